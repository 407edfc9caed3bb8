//! A number with certified bounds on both sides.

use std::fmt;

use serde::{Deserialize, Serialize};

use elfving::design::Design;

/// A value and two numbers that the true quantity lies between, for certain.
///
/// Behind it stands a design with its certificate: the design reaches one side, the certificate proves the other.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
pub struct Enclosure {
    /// The value to use.
    pub value: f64,
    /// The quantity is at least this.
    pub at_least: f64,
    /// The quantity is at most this.
    pub at_most: f64,
}

impl Enclosure {
    /// A number known exactly.
    pub fn exact(value: f64) -> Self {
        Self { value, at_least: value, at_most: value }
    }

    /// The optimum that a design was computed for: its value on one side, its bound on the other.
    pub fn of(design: &Design) -> Self {
        let (value, bound) = (design.certificate().value(), design.certificate().bound());
        Self { value, at_least: value.min(bound), at_most: value.max(bound) }
    }

    /// The same under an increasing function.
    #[must_use]
    pub fn map(self, f: impl Fn(f64) -> f64) -> Self {
        Self { value: f(self.value), at_least: f(self.at_least), at_most: f(self.at_most) }
    }

    /// `(at_most - at_least) / |value|`; 0 for an exact number.
    pub fn relative_width(&self) -> f64 {
        let width = self.at_most - self.at_least;
        if width == 0.0 { 0.0 } else { width / self.value.abs() }
    }
}

impl fmt::Display for Enclosure {
    /// `26.69203236 (within 2.1e-10)`
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let digits = 9 - (self.value.abs().max(1e-300).log10().floor() as i32).clamp(-9, 9);
        write!(f, "{:.*} (within {:.1e})", digits as usize, self.value, self.relative_width())
    }
}
