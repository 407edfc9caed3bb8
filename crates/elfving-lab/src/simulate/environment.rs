//! The world of a simulation: true means, and what a measurement returns.

use super::{Law, SimulationError};
use elfving::estimate::Tails;
use elfving::numerics::rng::{Purpose, Stream, stream};
use elfving::pool::{ChoiceId, PointId};
use rand_distr::{Distribution, OpenClosed01};

const SIGNS: Purpose = Purpose::new("misspecified");

/// True means of the points and of the choices, and how an outcome is made. Large is good.
///
/// | setter | default | meaning |
/// |---|---|---|
/// | [`new`](Self::new) | required | the mean of every point |
/// | [`choices`](Self::choices) | the points | the mean of every choice, when Z is not X |
/// | [`noise`](Self::noise) | none | mean + σ · law |
/// | [`sigma_at`](Self::sigma_at) | σ everywhere | one σ for each point |
/// | [`bernoulli`](Self::bernoulli) | | 1 with the mean as probability, else 0 |
/// | [`repeats`](Self::repeats) | | one of the outcomes recorded for the point, each as likely |
/// | [`misspecified`](Self::misspecified) | | moves every mean by +h or -h |
#[derive(Debug, Clone, PartialEq)]
pub struct Environment {
    means: Vec<f64>,
    choice_means: Option<Vec<f64>>,
    outcomes: Outcomes,
}

#[derive(Debug, Clone, PartialEq)]
enum Outcomes {
    Noisy { law: Law, sigma: Vec<f64> },
    Bernoulli,
    Repeats(Vec<Vec<f64>>),
}

impl Environment {
    /// A world without noise.
    ///
    /// # Errors
    /// [`SimulationError::Zero`] for no point, [`SimulationError::Value`] for a mean that is not finite.
    pub fn new(means: Vec<f64>) -> Result<Self, SimulationError> {
        if means.is_empty() {
            return Err(SimulationError::Zero { what: "the number of points" });
        }
        check("the mean", &means, "a finite number", |_| true)?;
        let outcomes = Outcomes::Noisy { law: Law::Normal, sigma: vec![0.0; means.len()] };
        Ok(Self { means, choice_means: None, outcomes })
    }

    /// The means of the choices, when they are not the points.
    ///
    /// # Errors
    /// As [`Environment::new`].
    pub fn choices(mut self, means: Vec<f64>) -> Result<Self, SimulationError> {
        if means.is_empty() {
            return Err(SimulationError::Zero { what: "the number of choices" });
        }
        if let Some(i) = means.iter().position(|mean| !mean.is_finite()) {
            return Err(SimulationError::ChoiceMean { id: ChoiceId::new(i), got: means[i] });
        }
        self.choice_means = Some(means);
        Ok(self)
    }

    /// Outcomes `mean + σ · law`.
    ///
    /// # Errors
    /// [`SimulationError::Parameter`] for σ or for a law without a variance.
    pub fn noise(mut self, law: Law, sigma: f64) -> Result<Self, SimulationError> {
        if !(sigma >= 0.0 && sigma.is_finite()) {
            return Err(SimulationError::Parameter {
                what: "sigma",
                wanted: "a finite number >= 0",
                got: sigma,
            });
        }
        self.outcomes = Outcomes::Noisy { law: law.check()?, sigma: vec![sigma; self.means.len()] };
        Ok(self)
    }

    /// Outcomes `mean + σ_x · law`, one σ for each point.
    ///
    /// # Errors
    /// [`SimulationError::Length`], [`SimulationError::Value`], [`SimulationError::Parameter`].
    pub fn sigma_at(mut self, law: Law, sigma: Vec<f64>) -> Result<Self, SimulationError> {
        self.one_each("sigma", sigma.len())?;
        check("sigma", &sigma, "a finite number >= 0", |sigma| sigma >= 0.0)?;
        self.outcomes = Outcomes::Noisy { law: law.check()?, sigma };
        Ok(self)
    }

    /// Outcomes 1 with the mean as probability, else 0.
    ///
    /// # Errors
    /// [`SimulationError::Value`] for a mean outside [0, 1].
    pub fn bernoulli(mut self) -> Result<Self, SimulationError> {
        check("the mean", &self.means, "between 0 and 1", |mean| (0.0..=1.0).contains(&mean))?;
        self.outcomes = Outcomes::Bernoulli;
        Ok(self)
    }

    /// A world made of recorded outcomes: a measurement returns one of those of the point, and the mean of a point is the
    /// mean of its record.
    ///
    /// # Errors
    /// [`SimulationError::NoRepeats`] for a point without any, [`SimulationError::Value`] for one that is not finite.
    pub fn repeats(records: Vec<Vec<f64>>) -> Result<Self, SimulationError> {
        if let Some(i) = records.iter().position(Vec::is_empty) {
            return Err(SimulationError::NoRepeats { id: PointId::new(i) });
        }
        let mean = |record: &Vec<f64>| record.iter().sum::<f64>() / record.len() as f64;
        let world = Self::new(records.iter().map(mean).collect())?;
        Ok(Self { outcomes: Outcomes::Repeats(records), ..world })
    }

    /// Moves every mean by +h or -h, each as likely: a truth that is h away from the model it came from.
    ///
    /// # Errors
    /// [`SimulationError::Parameter`] for an h that is not a finite number at least 0, [`SimulationError::Value`] for a coin whose
    /// probability leaves [0, 1].
    pub fn misspecified(mut self, h: f64, seed: u64) -> Result<Self, SimulationError> {
        if !(h >= 0.0 && h.is_finite()) {
            let (what, wanted) = ("the misspecification", "a finite number >= 0");
            return Err(SimulationError::Parameter { what, wanted, got: h });
        }
        let mut random = stream(seed, 0, SIGNS);
        let mut step = || if random.next_u32() & 1 == 0 { -h } else { h };
        for i in 0..self.means.len() {
            let step = step();
            self.means[i] += step;
            if let Outcomes::Repeats(records) = &mut self.outcomes {
                records[i].iter_mut().for_each(|outcome| *outcome += step);
            }
        }
        if let Some(choices) = &mut self.choice_means {
            choices.iter_mut().for_each(|mean| *mean += step());
        }
        match self.outcomes {
            Outcomes::Bernoulli => self.bernoulli(),
            _ => Ok(self),
        }
    }

    /// How many points can be measured.
    pub fn points(&self) -> usize {
        self.means.len()
    }

    /// The true means of the points.
    pub fn means(&self) -> &[f64] {
        &self.means
    }

    /// The true means of the choices.
    pub fn choice_means(&self) -> &[f64] {
        self.choice_means.as_deref().unwrap_or(&self.means)
    }

    /// The largest mean in absolute value, of points and choices.
    pub fn largest_mean(&self) -> f64 {
        self.means.iter().chain(self.choice_means()).fold(0.0, |largest: f64, mean| largest.max(mean.abs()))
    }

    /// What may truthfully be assumed about the noise: σ, and whether it is σ-sub-Gaussian. A coin is with σ = 1/2, whatever
    /// its mean, and so are recorded outcomes with half their largest range (Hoeffding).
    pub fn noise_level(&self) -> (f64, Tails) {
        match &self.outcomes {
            Outcomes::Noisy { law, sigma } => (sigma.iter().copied().fold(0.0, f64::max), law.tails()),
            Outcomes::Bernoulli => (0.5, Tails::SubGaussian),
            Outcomes::Repeats(records) => {
                let half_ranges = records.iter().map(|record| half_range(record));
                (half_ranges.fold(0.0, f64::max), Tails::SubGaussian)
            }
        }
    }

    /// How much worse than the best choice each choice is.
    pub fn gaps(&self) -> Vec<f64> {
        below_the_largest(self.choice_means())
    }

    /// How much worse than the best point each point is: what measuring it costs.
    pub fn losses(&self) -> Vec<f64> {
        below_the_largest(&self.means)
    }

    /// One measurement.
    pub fn measure(&self, point: PointId, random: &mut Stream) -> f64 {
        let i = point.index();
        match &self.outcomes {
            Outcomes::Noisy { law, sigma } => self.means[i] + sigma[i] * law.draw(random),
            Outcomes::Bernoulli => {
                let u: f64 = OpenClosed01.sample(random);
                f64::from(u <= self.means[i])
            }
            Outcomes::Repeats(records) => {
                let record = &records[i];
                record[random.below(record.len() as u64) as usize]
            }
        }
    }

    fn one_each(&self, what: &'static str, got: usize) -> Result<(), SimulationError> {
        let expected = self.means.len();
        if got == expected { Ok(()) } else { Err(SimulationError::Length { what, expected, got }) }
    }
}

fn half_range(record: &[f64]) -> f64 {
    let largest = record.iter().copied().fold(f64::NEG_INFINITY, f64::max);
    let smallest = record.iter().copied().fold(f64::INFINITY, f64::min);
    (largest - smallest) / 2.0
}

fn below_the_largest(means: &[f64]) -> Vec<f64> {
    let largest = means.iter().copied().fold(f64::NEG_INFINITY, f64::max);
    means.iter().map(|mean| largest - mean).collect()
}

fn check(
    what: &'static str,
    values: &[f64],
    wanted: &'static str,
    good: impl Fn(f64) -> bool,
) -> Result<(), SimulationError> {
    match values.iter().position(|&value| !(value.is_finite() && good(value))) {
        None => Ok(()),
        Some(i) => Err(SimulationError::Value { what, id: PointId::new(i), got: values[i], wanted }),
    }
}
