//! Feature maps to compare with: approximations that the pivoted Cholesky factorisation of the core makes unnecessary when
//! the pool is known.

mod nystrom;
mod random_fourier;

pub use nystrom::Nystrom;
pub use random_fourier::{RandomFourier, Spectrum};
