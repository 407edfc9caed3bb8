//! Laws of noise: mean 0 and standard deviation 1, light tails and heavy ones.

use super::SimulationError;
use elfving::estimate::Tails;
use elfving::named::named_enum;
use elfving::numerics::rng::Stream;
use rand_distr::{Distribution, OpenClosed01, StandardNormal, StudentT};
use serde::{Deserialize, Serialize};

/// The shape of the noise. Every law has mean 0 and variance 1 before it is scaled by σ.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Law {
    /// Normal.
    Normal,
    /// Uniform on ±√3: bounded.
    Uniform,
    /// +1 or -1: the largest variance of its range.
    Rademacher,
    /// Student's t with more than 2 degrees of freedom: heavy on both sides.
    StudentT {
        /// Degrees of freedom.
        degrees: f64,
    },
    /// A Pareto law with shape above 2, less its mean: heavy on the right.
    Pareto {
        /// The shape: moments below it are finite.
        shape: f64,
    },
    /// `√((1-p)/p)` with probability p, else `-√(p/(1-p))`: for small p, rare and large, which no sample mean survives.
    TwoPoint {
        /// p.
        probability: f64,
    },
}

named_enum! {
    /// The outcomes of a simulated world by name.
    pub enum LawName: "noise" {
        /// [`Law::Normal`].
        Normal = "normal": "Normal",
        /// [`Law::Uniform`].
        Uniform = "uniform": "Uniform: bounded",
        /// [`Law::Rademacher`].
        Rademacher = "rademacher": "Plus or minus sigma",
        /// [`Law::StudentT`].
        StudentT = "student-t": "Student's t: heavy on both sides",
        /// [`Law::Pareto`].
        Pareto = "pareto": "Pareto less its mean: heavy on the good side",
        /// [`Law::TwoPoint`].
        TwoPoint = "two-point": "Rarely very large, else a little below",
        /// Not a law of noise: [`Environment::bernoulli`](super::Environment::bernoulli).
        Bernoulli = "bernoulli": "Outcomes 0 and 1, with the truth as probability of 1",
    }
}

impl LawName {
    /// The law, with the parameter of its tail where it has one: the degrees of freedom of `student-t` (3 unless given), the
    /// shape of `pareto` (3), the probability of `two-point` (0.01). None for outcomes 0 and 1.
    ///
    /// ```
    /// use elfving_lab::simulate::{Law, LawName};
    /// assert_eq!(LawName::Pareto.law(None), Some(Law::Pareto { shape: 3.0 }));
    /// assert_eq!(LawName::Bernoulli.law(None), None);
    /// ```
    pub fn law(self, tail: Option<f64>) -> Option<Law> {
        Some(match self {
            LawName::Normal => Law::Normal,
            LawName::Uniform => Law::Uniform,
            LawName::Rademacher => Law::Rademacher,
            LawName::StudentT => Law::StudentT { degrees: tail.unwrap_or(3.0) },
            LawName::Pareto => Law::Pareto { shape: tail.unwrap_or(3.0) },
            LawName::TwoPoint => Law::TwoPoint { probability: tail.unwrap_or(0.01) },
            LawName::Bernoulli => return None,
        })
    }
}

impl Law {
    /// Whether σ times it is σ-sub-Gaussian; uniform noise on ±√3 σ and ±σ are.
    pub(super) fn tails(self) -> Tails {
        match self {
            Law::Normal | Law::Uniform | Law::Rademacher => Tails::SubGaussian,
            Law::StudentT { .. } | Law::Pareto { .. } | Law::TwoPoint { .. } => Tails::BoundedVariance,
        }
    }

    /// Refuses parameters without a finite variance.
    pub(super) fn check(self) -> Result<Self, SimulationError> {
        let refused = |what, wanted, got| Err(SimulationError::Parameter { what, wanted, got });
        match self {
            Law::StudentT { degrees } if !(degrees > 2.0 && degrees.is_finite()) => {
                refused("the degrees of freedom", "a finite number > 2", degrees)
            }
            Law::Pareto { shape } if !(shape > 2.0 && shape.is_finite()) => {
                refused("the shape of a Pareto law", "a finite number > 2", shape)
            }
            Law::TwoPoint { probability } if !(probability > 0.0 && probability < 1.0) => {
                refused("the probability of a two-point law", "strictly between 0 and 1", probability)
            }
            _ => Ok(self),
        }
    }

    /// One draw of mean 0 and variance 1.
    pub(super) fn draw(self, random: &mut Stream) -> f64 {
        match self {
            Law::Normal => StandardNormal.sample(random),
            Law::Uniform => {
                let u: f64 = OpenClosed01.sample(random);
                3f64.sqrt() * (2.0 * u - 1.0)
            }
            Law::Rademacher => {
                if random.next_u32() & 1 == 0 {
                    -1.0
                } else {
                    1.0
                }
            }
            Law::StudentT { degrees } => {
                let t = StudentT::new(degrees).expect("checked: more than 2 degrees of freedom");
                t.sample(random) * ((degrees - 2.0) / degrees).sqrt()
            }
            Law::Pareto { shape } => {
                let u: f64 = OpenClosed01.sample(random);
                let mean = shape / (shape - 1.0);
                let variance = shape / ((shape - 1.0).powi(2) * (shape - 2.0));
                (u.powf(-1.0 / shape) - mean) / variance.sqrt()
            }
            Law::TwoPoint { probability: p } => {
                let u: f64 = OpenClosed01.sample(random);
                if u <= p { ((1.0 - p) / p).sqrt() } else { -(p / (1.0 - p)).sqrt() }
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use elfving::numerics::rng::{Purpose, stream};

    #[test]
    fn every_law_has_mean_zero_and_the_light_ones_variance_one() {
        let laws = [
            (Law::Normal, true),
            (Law::Uniform, true),
            (Law::Rademacher, true),
            (Law::TwoPoint { probability: 0.05 }, true),
            (Law::StudentT { degrees: 9.0 }, true),
            (Law::Pareto { shape: 9.0 }, true),
            // The fourth moment is infinite: the sample variance says nothing yet.
            (Law::StudentT { degrees: 2.1 }, false),
            (Law::Pareto { shape: 2.1 }, false),
        ];
        let n = 400_000;
        for (law, light) in laws {
            let mut random = stream(5, 0, Purpose::new("test"));
            let draws: Vec<f64> = (0..n).map(|_| law.draw(&mut random)).collect();
            let mean = draws.iter().sum::<f64>() / n as f64;
            let variance = draws.iter().map(|x| (x - mean).powi(2)).sum::<f64>() / n as f64;
            assert!(mean.abs() < 6.0 / (n as f64).sqrt(), "{law:?}: mean {mean}");
            assert!(!light || (variance - 1.0).abs() < 0.03, "{law:?}: variance {variance}");
        }
    }

    #[test]
    fn laws_without_a_variance_are_refused() {
        for law in [
            Law::StudentT { degrees: 2.0 },
            Law::StudentT { degrees: f64::NAN },
            Law::Pareto { shape: 2.0 },
            Law::TwoPoint { probability: 0.0 },
            Law::TwoPoint { probability: f64::NAN },
        ] {
            assert!(law.check().is_err(), "{law:?}");
        }
    }
}
