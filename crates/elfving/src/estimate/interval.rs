//! Intervals: estimate, noise width and bias width kept apart, and the statement that goes with them.

use super::EstimateError;
use super::assumptions::Premise;
use crate::design::TargetRef;
use serde::Serialize;
use std::fmt;

/// An estimate of `⟨v, θ⟩` and how far off it may be.
#[derive(Debug, Clone, Copy, PartialEq, Serialize)]
pub struct Interval {
    /// Which direction v.
    pub target: TargetRef,
    /// The estimate.
    pub estimate: f64,
    /// The width due to noise and sampling: more data makes it smaller.
    pub noise: f64,
    /// The width due to the model: more data leaves it as it is.
    pub bias: Bias,
    /// `‖v‖` in the inverse of the information matrix.
    pub norm: f64,
}

/// The widths that more data does not reduce.
#[derive(Debug, Clone, Copy, PartialEq, Serialize)]
pub struct Bias {
    /// What the ridge takes, `γ ‖M⁻¹v‖ S ≤ √γ ‖v‖ S`, and what a kernel's features leave out; `None` when no bound S on
    /// the norm of θ is given and it matters.
    pub ridge: Option<f64>,
    /// What a wrong model adds, `h Σ_x w_x |vᵀM⁻¹φ(x)| ≤ h ‖v‖`.
    pub misspecification: f64,
}

impl Interval {
    /// Noise and bias together: half the length of the interval.
    ///
    /// Without a bound on the norm the ridge's part is not in it; [`Statement`] says so.
    pub fn width(&self) -> f64 {
        self.noise + self.bias.ridge.unwrap_or(0.0) + self.bias.misspecification
    }

    /// The lower end.
    pub fn lower(&self) -> f64 {
        self.estimate - self.width()
    }

    /// The upper end.
    pub fn upper(&self) -> f64 {
        self.estimate + self.width()
    }
}

impl fmt::Display for Interval {
    /// `target 3: 0.4213 ± 0.1127 (noise 0.1021, ridge 0.0106, misspecification 0)`
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let digits = digits(self.width());
        write!(f, "{}: {:.digits$} ± {:.digits$}", self.target, self.estimate, self.width())?;
        write!(f, " (noise {:.digits$}, ridge ", self.noise)?;
        match self.bias.ridge {
            Some(ridge) => write!(f, "{ridge:.digits$}")?,
            None => f.write_str("unknown")?,
        }
        write!(f, ", misspecification {:.digits$})", self.bias.misspecification)
    }
}

/// Decimals that show a width to four digits.
fn digits(width: f64) -> usize {
    if width > 0.0 { (3.0 - width.log10().floor()).clamp(0.0, 12.0) as usize } else { 6 }
}

/// What a family of intervals promises, and under which assumptions.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Statement {
    /// The estimator.
    pub estimator: &'static str,
    /// The probability that some interval misses, all assumptions holding; earlier rounds that it rests on included.
    pub delta: f64,
    /// |V|: how many intervals hold together.
    pub statements: usize,
    /// The assumptions.
    pub premises: Vec<Premise>,
}

impl fmt::Display for Statement {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { estimator, delta, statements, premises } = self;
        match statements {
            1 => writeln!(f, "{estimator}: the interval holds with probability {}, if", 1.0 - delta)?,
            _ => writeln!(
                f,
                "{estimator}: all {statements} intervals hold together with probability {}, if",
                1.0 - delta
            )?,
        }
        for premise in premises {
            writeln!(f, "- {premise}")?;
        }
        Ok(())
    }
}

/// One interval for each direction of V, two-sided, all holding together.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Intervals {
    /// What they promise.
    pub statement: Statement,
    /// In the order of V.
    pub intervals: Vec<Interval>,
}

impl Intervals {
    /// Refuses what left the range of floating-point numbers.
    pub(super) fn finite(statement: Statement, intervals: Vec<Interval>) -> Result<Self, EstimateError> {
        let sound = |interval: &Interval| (interval.lower() + interval.upper()).is_finite();
        if intervals.iter().all(sound) {
            Ok(Self { statement, intervals })
        } else {
            Err(EstimateError::Overflow)
        }
    }

    /// The estimates alone, in the order of V.
    pub fn estimates(&self) -> Vec<f64> {
        self.intervals.iter().map(|interval| interval.estimate).collect()
    }

    /// The largest width.
    pub fn largest_width(&self) -> f64 {
        self.intervals.iter().map(Interval::width).fold(0.0, f64::max)
    }
}

impl fmt::Display for Intervals {
    /// The statement, then one interval a line.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.statement.fmt(f)?;
        self.intervals.iter().try_for_each(|interval| writeln!(f, "{interval}"))
    }
}
