//! The pictures of Elfving: designs, intervals and curves, as SVG or PNG, without system fonts.
//!
//! A picture is drawn on a [`Picture`] of fixed size in four steps that every figure shares: a scale for each axis,
//! a panel with its ticks and titles, the marks, a legend. One file names the library behind the pixels, so that
//! it can be replaced.
//!
//! Colours are those of Okabe and Ito and the map *viridis*, which people with any kind of colour vision can tell apart.
//!
//! ```
//! use elfving_plot::{Axis, Lines, Series, lines_picture};
//!
//! let n = vec![1e3, 1e4, 1e5, 1e6];
//! let seconds = vec![0.002, 0.011, 0.12, 1.3];
//! let figure = Lines {
//!     title: "Time to a certified design",
//!     subtitle: "d = 20, gap 1e-9",
//!     x: Axis::log("candidates"),
//!     y: Axis::log("seconds"),
//!     series: vec![Series::new("interior point", n, seconds)],
//! };
//! assert!(lines_picture(&figure)?.to_svg().starts_with("<svg"));
//! # Ok::<(), elfving_plot::PictureError>(())
//! ```

mod canvas;
mod colour;
mod design;
mod intervals;
mod legend;
mod lines;
mod panel;
mod picture;
mod principal;
mod scale;
mod text;

pub use design::{DesignView, design_picture};
pub use intervals::{Intervals, intervals_picture};
pub use lines::{Axis, Lines, Series, lines_picture};
pub use picture::{Format, Picture, PictureError};
