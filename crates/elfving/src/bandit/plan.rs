//! The measurements of one round, known before the first of them is made.

use super::{Reading, Why};
use crate::pool::PointId;
use crate::rounding::{Allocation, Draws};
use serde::{Deserialize, Serialize};
use std::collections::HashMap;

/// What a round measures, and how it was chosen: an estimator that needs draws does not take counts.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Measurements {
    /// Independent draws from a design.
    Drawn(Draws),
    /// A design rounded to counts.
    Counted(Allocation),
    /// Points chosen one by one, by any rule that looks at the past only.
    Chosen(Vec<PointId>),
}

impl Measurements {
    /// One point a measurement, in the order in which slots are handed out.
    pub fn points(&self) -> Vec<PointId> {
        match self {
            Measurements::Drawn(draws) => draws.points().to_vec(),
            Measurements::Counted(allocation) => allocation.slots(),
            Measurements::Chosen(points) => points.clone(),
        }
    }

    /// How many measurements.
    pub fn len(&self) -> usize {
        match self {
            Measurements::Drawn(draws) => draws.points().len(),
            Measurements::Counted(allocation) => allocation.total() as usize,
            Measurements::Chosen(points) => points.len(),
        }
    }

    /// Whether there is nothing to measure.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }
}

/// One round as it was planned. It holds everything random or numerical that went into the choice, so that a record of it
/// replays anywhere.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Plan {
    /// Counted from 1; rounds that could not eliminate anything are skipped, not renumbered.
    pub round: u64,
    /// What to measure.
    pub measurements: Measurements,
    /// The accuracy ε_ℓ the round is planned for, where the policy has one.
    pub epsilon: Option<f64>,
    /// The ridge of its design, where it has one.
    pub gamma: Option<f64>,
    /// The achieved value f of its design, where it has one.
    pub value: Option<f64>,
    /// Why each measurement is in, where the design does not say it.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub reasons: Vec<Why>,
}

impl Plan {
    /// The plan of some of its measurements, as if they had been all; `None` when there are none. It keeps no promise of the whole.
    ///
    /// # Panics
    /// Unless there is one entry for each measurement.
    pub fn only(&self, kept: &[bool]) -> Option<Plan> {
        assert_eq!(kept.len(), self.measurements.len(), "one entry for each measurement");
        let points = || {
            let all = self.measurements.points();
            all.into_iter().zip(kept).filter(|(_, kept)| **kept).map(|(id, _)| id).collect::<Vec<PointId>>()
        };
        let measurements = match &self.measurements {
            _ if !kept.contains(&true) => return None,
            Measurements::Drawn(draws) => Measurements::Drawn(draws.only(kept)),
            Measurements::Chosen(_) => Measurements::Chosen(points()),
            Measurements::Counted(_) => {
                let runs = points();
                let counts = runs.chunk_by(|a, b| a == b).map(|run| (run[0], run.len() as u64)).collect();
                Measurements::Counted(Allocation::new(counts).expect("slots are in pool order"))
            }
        };
        let reasons = self.reasons.iter().zip(kept).filter(|(_, kept)| **kept).map(|(why, _)| *why);
        Some(Plan { measurements, reasons: reasons.collect(), ..self.clone() })
    }

    /// What came back, each with its point, in the order of the plan.
    pub fn measured(&self, readings: &[Reading]) -> Vec<(PointId, Reading)> {
        self.measurements.points().into_iter().zip(readings.iter().cloned()).collect()
    }

    /// A plan of points chosen one by one.
    pub fn chosen(round: u64, points: Vec<PointId>) -> Self {
        let measurements = Measurements::Chosen(points);
        Self { round, measurements, epsilon: None, gamma: None, value: None, reasons: Vec::new() }
    }

    /// The same with controls behind it, which no design chose.
    #[must_use]
    pub fn with_controls(self, controls: &[PointId]) -> Self {
        if controls.is_empty() {
            return self;
        }
        let (mut points, mut reasons) = (self.measurements.points(), self.why());
        points.extend(controls);
        reasons.extend(controls.iter().map(|_| Why::Control));
        Self { measurements: Measurements::Chosen(points), reasons, ..self }
    }

    /// Points that the user wants measured: a round of its own, with the number 0.
    pub fn forced(points: Vec<PointId>) -> Self {
        let reasons = vec![Why::Forced; points.len()];
        Self { reasons, ..Self::chosen(0, points) }
    }

    /// Whether the user chose these measurements.
    pub fn is_forced(&self) -> bool {
        self.round == 0
    }

    /// The same, with a reason for each measurement.
    #[must_use]
    pub fn because(self, reasons: Vec<Why>) -> Self {
        Self { reasons, ..self }
    }

    /// Why each measurement is in: the reasons stated, or the weights of the design. Empty when neither is known.
    pub fn why(&self) -> Vec<Why> {
        let weights: HashMap<PointId, f64> = match &self.measurements {
            _ if !self.reasons.is_empty() => return self.reasons.clone(),
            Measurements::Drawn(draws) => draws.probabilities().into_iter().collect(),
            Measurements::Counted(allocation) => {
                let total = allocation.total() as f64;
                allocation.counts().iter().map(|&(id, count)| (id, count as f64 / total)).collect()
            }
            Measurements::Chosen(_) => return Vec::new(),
        };
        let weight = |id: PointId| Why::Weight { weight: weights.get(&id).copied().unwrap_or(0.0) };
        self.measurements.points().into_iter().map(weight).collect()
    }
}
