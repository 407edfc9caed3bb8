//! Measurements, gathered by row: what the model is conditioned on.

use std::collections::BTreeMap;

use crate::numerics::Matrix;
use crate::pool::PointId;

use super::outcome::OutcomeScale;
use super::{Space, SurrogateError};

/// One measurement, in the units of the table.
#[derive(Debug, Clone, Copy, PartialEq, serde::Serialize, serde::Deserialize)]
pub struct Measurement {
    /// What was measured.
    pub point: PointId,
    /// What came out.
    pub outcome: f64,
    /// Its noise variance, where it is known; else it is the model's s².
    pub variance: Option<f64>,
}

impl Measurement {
    /// A measurement whose noise is not known.
    pub fn new(point: PointId, outcome: f64) -> Self {
        Self { point, outcome, variance: None }
    }

    /// States its noise variance.
    #[must_use]
    pub fn variance(self, variance: f64) -> Self {
        Self { variance: Some(variance), ..self }
    }
}

/// All measurements of one site whose noise is of one kind: their weighted mean says everything about the site,
/// their scatter everything else about the noise.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Cell {
    /// The first row with these coordinates.
    pub(super) site: usize,
    /// Whether the noise variances are known. Then the weights are `1/v_k` and the noise unit is 1; else the weights
    /// are 1 (or those of the robust fit) and the unit is s².
    pub(super) known: bool,
    pub(super) count: usize,
    /// `Σ w_k`; the mean has the variance `unit / precision`.
    pub(super) precision: f64,
    pub(super) mean: f64,
    /// `Σ w_k (y_k - mean)²`.
    pub(super) scatter: f64,
    /// `½ Σ log w_k - ½ log Σ w_k`: the part of the likelihood that knows no parameter.
    pub(super) constant: f64,
}

/// The measurements in the model's units, by distinct row: `m` cells, whatever the number of repeats.
///
/// The likelihood of the repeats written out is that of the cell means times that of the scatter around them,
/// exactly, so cost depends on distinct rows only.
#[derive(Debug, Clone, PartialEq)]
pub struct GroupedMeasurements {
    pub(super) cells: Vec<Cell>,
    /// The cell of each measurement.
    pub(super) members: Vec<usize>,
    /// Value and base weight of each measurement.
    values: Vec<(f64, f64)>,
    /// What the robust fit multiplies each weight by.
    factors: Vec<f64>,
    pub(super) rows: Vec<usize>,
    pub(super) columns: Matrix,
}

/// Known variances in the model's units are kept in this range, so that the covariance can be factored.
const KNOWN_VARIANCES: (f64, f64) = (1e-8, 1e8);

impl GroupedMeasurements {
    /// Gathers measurements by site, outcomes through `outcome`. A known variance is multiplied by the squared slope of
    /// the map at its measurement, and kept between 1e-8 and 1e8.
    ///
    /// # Errors
    /// [`SurrogateError::NoMeasurements`], [`SurrogateError::UnknownPoint`], [`SurrogateError::Outcome`],
    /// [`SurrogateError::Variance`].
    pub fn new(
        space: &Space,
        measurements: &[Measurement],
        outcome: &OutcomeScale,
    ) -> Result<Self, SurrogateError> {
        check(space, measurements)?;
        let key = |m: &Measurement| (space.site(m.point.index()), m.variance.is_some());
        let mut places: BTreeMap<(usize, bool), usize> = measurements.iter().map(|m| (key(m), 0)).collect();
        places.values_mut().enumerate().for_each(|(place, value)| *value = place);

        let values = measurements.iter().map(|m| {
            let weight = m.variance.map_or(1.0, |variance| {
                let slope = outcome.slope(m.outcome);
                (variance * slope * slope).clamp(KNOWN_VARIANCES.0, KNOWN_VARIANCES.1).recip()
            });
            (outcome.forward(m.outcome), weight)
        });
        let rows: Vec<usize> = places.keys().map(|(site, _)| *site).collect();
        let empty = |(site, known): &(usize, bool)| Cell {
            site: *site,
            known: *known,
            count: 0,
            precision: 0.0,
            mean: 0.0,
            scatter: 0.0,
            constant: 0.0,
        };
        let mut evidence = Self {
            cells: places.keys().map(empty).collect(),
            members: measurements.iter().map(|m| places[&key(m)]).collect(),
            values: values.collect(),
            factors: Vec::new(),
            columns: space.by_column(&rows),
            rows,
        };
        evidence.weigh(&vec![1.0; measurements.len()]);
        Ok(evidence)
    }

    /// Gathers again, with the weight of each measurement multiplied by a factor.
    pub(super) fn weigh(&mut self, factors: &[f64]) {
        self.factors = factors.to_vec();
        for cell in &mut self.cells {
            (cell.count, cell.precision, cell.mean) = (0, 0.0, 0.0);
            (cell.scatter, cell.constant) = (0.0, 0.0);
        }
        let weighted = || self.members.iter().zip(self.values.iter().zip(factors));
        for (&at, ((value, weight), factor)) in weighted() {
            let (cell, weight) = (&mut self.cells[at], weight * factor);
            cell.count += 1;
            cell.precision += weight;
            cell.mean += weight * value;
            cell.constant += 0.5 * weight.ln();
        }
        for cell in &mut self.cells {
            cell.mean /= cell.precision;
            cell.constant -= 0.5 * cell.precision.ln();
        }
        // Around the mean, in a second pass: sums of squares would cancel.
        for (&at, ((value, weight), factor)) in weighted() {
            let deviation = value - self.cells[at].mean;
            self.cells[at].scatter += weight * factor * deviation * deviation;
        }
    }

    /// m, the number of distinct rows measured (a row with both kinds of noise counts twice).
    pub fn cells(&self) -> usize {
        self.cells.len()
    }

    /// The number of measurements.
    pub fn measurements(&self) -> usize {
        self.members.len()
    }

    /// The value of each measurement in the model's units, and its weight.
    pub(super) fn values(&self) -> &[(f64, f64)] {
        &self.values
    }

    /// What the weight of each measurement was multiplied by.
    pub(super) fn factors(&self) -> &[f64] {
        &self.factors
    }

    /// The variance of one more measurement: s², or the average of the known ones where every noise is known.
    pub(super) fn next_noise(&self, noise: f64) -> f64 {
        if self.cells.iter().all(|cell| cell.known) {
            self.values.iter().map(|(_, weight)| weight.recip()).sum::<f64>() / self.values.len() as f64
        } else {
            noise
        }
    }

    /// The cells of a site: none, one, or two with both kinds of noise.
    pub(super) fn cells_of(&self, site: usize) -> std::ops::Range<usize> {
        let first = self.rows.partition_point(|row| *row < site);
        first..first + self.rows[first..].iter().take_while(|row| **row == site).count()
    }

    /// About `count` of the cells, evenly spaced in the order of the table.
    pub(super) fn thinned(&self, space: &Space, count: usize) -> Self {
        let chosen: Vec<usize> = (0..count).map(|k| k * self.cells.len() / count).collect();
        let rows: Vec<usize> = chosen.iter().map(|&k| self.rows[k]).collect();
        Self {
            cells: chosen.iter().map(|&k| self.cells[k].clone()).collect(),
            members: Vec::new(),
            values: Vec::new(),
            factors: Vec::new(),
            columns: space.by_column(&rows),
            rows,
        }
    }
}

/// The outcomes of each distinct site, in the order of the table.
pub(super) fn outcomes_by_site(space: &Space, measurements: &[Measurement]) -> Vec<Vec<f64>> {
    let mut rows: BTreeMap<usize, Vec<f64>> = BTreeMap::new();
    for measurement in measurements {
        rows.entry(space.site(measurement.point.index())).or_default().push(measurement.outcome);
    }
    rows.into_values().collect()
}

pub(super) fn check(space: &Space, measurements: &[Measurement]) -> Result<(), SurrogateError> {
    if measurements.is_empty() {
        return Err(SurrogateError::NoMeasurements);
    }
    for (index, Measurement { point, outcome, variance }) in measurements.iter().copied().enumerate() {
        if point.index() >= space.points() {
            return Err(SurrogateError::UnknownPoint { index, point, points: space.points() });
        }
        if !outcome.is_finite() {
            return Err(SurrogateError::Outcome { index, value: outcome });
        }
        if let Some(value) = variance.filter(|value| !(*value > 0.0 && value.is_finite())) {
            return Err(SurrogateError::Variance { index, value });
        }
    }
    Ok(())
}
