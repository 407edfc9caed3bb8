//! A finished picture, to write as SVG or PNG.

use std::path::Path;

use elfving::units::ErrorKind;

use crate::canvas::Canvas;

/// The file formats of a picture.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Format {
    /// Lines and text, for papers and browsers.
    Svg,
    /// Pixels, for slides and e-mail.
    Png,
}

impl Format {
    /// The format that the extension of a file name asks for.
    ///
    /// # Errors
    /// [`PictureError::Extension`] unless it is `.svg` or `.png`.
    pub fn of(path: &Path) -> Result<Self, PictureError> {
        let extension = path.extension().unwrap_or_default().to_string_lossy().to_ascii_lowercase();
        match extension.as_str() {
            "svg" => Ok(Self::Svg),
            "png" => Ok(Self::Png),
            _ => Err(PictureError::Extension { got: path.display().to_string() }),
        }
    }
}

/// Why there is no picture.
#[derive(Debug, Clone, PartialEq, thiserror::Error)]
pub enum PictureError {
    /// The file name says neither `.svg` nor `.png`.
    #[error("a picture is written as .svg or .png, not as {got:?}")]
    Extension {
        /// The file name.
        got: String,
    },
    /// There is nothing to draw.
    #[error("there is nothing to draw")]
    Empty,
    /// Lists that belong together differ in length.
    #[error("{what}: expected {expected} entries, got {got}")]
    Length {
        /// The list.
        what: &'static str,
        /// Entries needed.
        expected: usize,
        /// Entries given.
        got: usize,
    },
    /// A number cannot be drawn.
    #[error("{what}: entry {index} is {value}, which cannot be drawn on this axis")]
    NotDrawable {
        /// The list.
        what: &'static str,
        /// Position in it, from 0.
        index: usize,
        /// The number.
        value: f64,
    },
    /// The pixels could not be computed.
    #[error("the picture could not be drawn: {0}")]
    Pixels(String),
}

impl PictureError {
    /// What kind of mistake it is.
    pub fn kind(&self) -> ErrorKind {
        match self {
            PictureError::Extension { .. } => ErrorKind::Usage,
            _ => ErrorKind::Numerical,
        }
    }
}

/// A picture of fixed size.
#[derive(Debug)]
pub struct Picture {
    pub(crate) canvas: Canvas,
}

impl Picture {
    /// The picture as SVG; text stays text.
    pub fn to_svg(&self) -> String {
        self.canvas.to_svg()
    }

    /// The picture as PNG; the font is inside the program.
    ///
    /// # Errors
    /// [`PictureError::Pixels`].
    pub fn to_png(&self) -> Result<Vec<u8>, PictureError> {
        self.canvas.to_png().map_err(PictureError::Pixels)
    }

    /// The bytes of a file in this format.
    ///
    /// # Errors
    /// [`PictureError::Pixels`].
    pub fn to_bytes(&self, format: Format) -> Result<Vec<u8>, PictureError> {
        match format {
            Format::Svg => Ok(self.to_svg().into_bytes()),
            Format::Png => self.to_png(),
        }
    }
}

/// Checks that a list has as many entries as it should.
pub(crate) fn same_length(what: &'static str, got: usize, expected: usize) -> Result<(), PictureError> {
    if got == expected { Ok(()) } else { Err(PictureError::Length { what, expected, got }) }
}

/// Checks that every number can be drawn: finite, and positive on a log axis.
pub(crate) fn drawable(what: &'static str, values: &[f64], log: bool) -> Result<(), PictureError> {
    let good = |x: f64| x.is_finite() && (!log || x > 0.0);
    match values.iter().position(|&x| !good(x)) {
        None => Ok(()),
        Some(index) => Err(PictureError::NotDrawable { what, index, value: values[index] }),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_extension_decides_the_format() {
        assert_eq!(Format::of(Path::new("a.svg")), Ok(Format::Svg));
        assert_eq!(Format::of(Path::new("a/b.PNG")), Ok(Format::Png));
        let error = Format::of(Path::new("design.jpg")).unwrap_err();
        assert_eq!(error.to_string(), "a picture is written as .svg or .png, not as \"design.jpg\"");
        assert!(Format::of(Path::new("png")).is_err());
    }
}
