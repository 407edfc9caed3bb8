//! Independent draws from a design.

use serde::{Deserialize, Serialize};
use std::fmt;

use super::report::RoundingPath;
use super::{Request, RoundingError, RoundingReport};
use crate::numerics::rng::{Purpose, stream};
use crate::pool::PointId;
use crate::units::Simplex;

/// The integer weights of draws sum to this.
const WEIGHT_SUM: u64 = 1 << 32;

/// Points drawn independently from a design, in the order drawn, with all that is needed to draw them again.
///
/// The weights are first rounded to integers that sum to 2³² (largest remainder, ties to the smallest id), and
/// each draw compares one 32-bit word of the stream with their running sums: no floating point decides, so the same
/// seed gives the same points on every machine. [`Draws::probabilities`] are the exact probabilities used.
///
/// ```
/// use elfving::{pool::PointId, rounding::Draws};
/// let weights = [(PointId::new(2), 0.75), (PointId::new(5), 0.25)];
/// let draws = Draws::new(&weights, 1000, 1)?;
/// assert_eq!(draws.points().len(), 1000);
/// assert_eq!(draws.integer_weights(), &[(PointId::new(2), 3 << 30), (PointId::new(5), 1 << 30)]);
/// assert_eq!(draws, Draws::new(&weights, 1000, 1)?);
/// # Ok::<(), elfving::rounding::RoundingError>(())
/// ```
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(try_from = "Stored", into = "Stored")]
pub struct Draws {
    points: Vec<PointId>,
    seed: u64,
    round: u64,
    weights: Vec<(PointId, u64)>,
}

impl Draws {
    /// Draws `budget` points from the weights, which are normalised; round 0 of the seed.
    ///
    /// # Errors
    /// [`RoundingError::Budget`] for no draws, [`RoundingError::NamedTwice`], and what
    /// [`Simplex::new`] says of the weights.
    pub fn new(weights: &[(PointId, f64)], budget: u64, seed: u64) -> Result<Self, RoundingError> {
        Self::for_round(weights, budget, seed, 0)
    }

    /// Draws for one round of a campaign: every round has its own stream.
    ///
    /// # Errors
    /// Those of [`Draws::new`].
    pub fn for_round(
        weights: &[(PointId, f64)],
        budget: u64,
        seed: u64,
        round: u64,
    ) -> Result<Self, RoundingError> {
        if !(1..=super::request::MOST_MEASUREMENTS).contains(&budget) {
            return Err(RoundingError::Budget { got: budget });
        }
        let weights = integer_weights(weights)?;
        let mut ends = Vec::with_capacity(weights.len());
        let mut sum = 0;
        for &(_, weight) in &weights {
            sum += weight;
            ends.push(sum);
        }
        let mut random = stream(seed, round, Purpose::DRAWS);
        let points = (0..budget)
            .map(|_| {
                let word = u64::from(random.next_u32());
                weights[ends.partition_point(|&end| end <= word)].0
            })
            .collect();
        Ok(Self { points, seed, round, weights })
    }

    /// Draws that were made earlier, from what [`points`](Self::points), [`seed`](Self::seed), [`round`](Self::round) and
    /// [`integer_weights`](Self::integer_weights) said of them.
    ///
    /// # Errors
    /// [`RoundingError::IntegerWeights`] unless the weights are positive, in pool order and sum to 2³²;
    /// [`RoundingError::DrawnWithoutWeight`] for a point without a weight.
    pub fn from_parts(
        points: Vec<PointId>,
        seed: u64,
        round: u64,
        weights: Vec<(PointId, u64)>,
    ) -> Result<Self, RoundingError> {
        let sum = weights.iter().fold(0u64, |sum, &(_, weight)| sum.saturating_add(weight));
        let ordered = weights.windows(2).all(|pair| pair[0].0 < pair[1].0);
        if sum != WEIGHT_SUM || !ordered || weights.iter().any(|&(_, weight)| weight == 0) {
            return Err(RoundingError::IntegerWeights { got: sum });
        }
        let unknown = points.iter().find(|id| weights.binary_search_by_key(id, |(id, _)| id).is_err());
        match unknown {
            Some(&id) => Err(RoundingError::DrawnWithoutWeight { id }),
            None => Ok(Self { points, seed, round, weights }),
        }
    }

    /// The points in the order drawn.
    pub fn points(&self) -> &[PointId] {
        &self.points
    }

    /// Some of the draws, by position. They are no longer what the probabilities say: for estimates without a guarantee.
    ///
    /// # Panics
    /// Unless there is one entry for each draw.
    #[must_use]
    pub fn only(&self, kept: &[bool]) -> Self {
        assert_eq!(kept.len(), self.points.len(), "one entry for each draw");
        let points = self.points.iter().zip(kept).filter(|(_, kept)| **kept).map(|(&id, _)| id).collect();
        Self { points, ..self.clone() }
    }

    /// The seed.
    pub fn seed(&self) -> u64 {
        self.seed
    }

    /// The round of the seed.
    pub fn round(&self) -> u64 {
        self.round
    }

    /// The positive integer weights, in pool order; they sum to 2³².
    pub fn integer_weights(&self) -> &[(PointId, u64)] {
        &self.weights
    }

    /// The probabilities the points were drawn with, exactly: integer weights over 2³².
    pub fn probabilities(&self) -> Vec<(PointId, f64)> {
        self.weights.iter().map(|&(id, weight)| (id, weight as f64 / WEIGHT_SUM as f64)).collect()
    }

    /// How often each point was drawn; positive counts in pool order. To report with, not to estimate with.
    pub fn counts(&self) -> Vec<(PointId, u64)> {
        let mut sorted = self.points.clone();
        sorted.sort_unstable();
        sorted.chunk_by(|a, b| a == b).map(|run| (run[0], run.len() as u64)).collect()
    }

    /// What these draws happen to be worth as a design, next to the roundings of the same request. Its
    /// constraints do not apply: independent draws keep none.
    ///
    /// # Errors
    /// [`RoundingError::UnknownPoint`] when the draws are from another pool.
    pub fn report(&self, request: &Request) -> Result<RoundingReport, RoundingError> {
        let counts = request.dense("draws", &self.counts())?;
        Ok(request.report("sample", &counts, RoundingPath::Drawn { seed: self.seed, round: self.round }))
    }
}

/// Rounds weights to integers with sum 2³²; what rounds to zero is left out.
fn integer_weights(weights: &[(PointId, f64)]) -> Result<Vec<(PointId, u64)>, RoundingError> {
    let mut weights = weights.to_vec();
    weights.sort_by_key(|&(id, _)| id);
    if let Some(pair) = weights.windows(2).find(|pair| pair[0].0 == pair[1].0) {
        return Err(RoundingError::NamedTwice { list: "weights", id: pair[0].0 });
    }
    let shares = Simplex::new(weights.iter().map(|&(_, weight)| weight).collect())?;
    let exact: Vec<f64> = shares.as_slice().iter().map(|share| share * WEIGHT_SUM as f64).collect();
    let mut rounded: Vec<u64> = exact.iter().map(|value| value.floor() as u64).collect();
    let missing = WEIGHT_SUM.saturating_sub(rounded.iter().sum());
    let mut order: Vec<usize> = (0..exact.len()).collect();
    order.sort_by(|&a, &b| exact[b].fract().total_cmp(&exact[a].fract()).then(a.cmp(&b)));
    for &i in order.iter().cycle().take(missing as usize) {
        rounded[i] += 1;
    }
    let pairs = weights.iter().zip(rounded).map(|(&(id, _), weight)| (id, weight));
    Ok(pairs.filter(|&(_, weight)| weight > 0).collect())
}

/// Draws as they are stored; checked when read back.
#[derive(Serialize, Deserialize)]
struct Stored {
    points: Vec<PointId>,
    seed: u64,
    round: u64,
    weights: Vec<(PointId, u64)>,
}

impl From<Draws> for Stored {
    fn from(Draws { points, seed, round, weights }: Draws) -> Self {
        Self { points, seed, round, weights }
    }
}

impl TryFrom<Stored> for Draws {
    type Error = RoundingError;
    fn try_from(Stored { points, seed, round, weights }: Stored) -> Result<Self, RoundingError> {
        Self::from_parts(points, seed, round, weights)
    }
}

impl fmt::Display for Draws {
    /// `200 draws from 87 candidates, seed 1, round 0`
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (draws, candidates) = (self.points.len(), self.weights.len());
        write!(f, "{draws} draws from {candidates} candidates, seed {}, round {}", self.seed, self.round)
    }
}
