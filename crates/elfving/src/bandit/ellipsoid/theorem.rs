//! Which theorem stands behind the bounds, and how δ is shared.

use super::testimony::Testimony;
use crate::bandit::Question;
use crate::numerics::norm_squared;
use crate::pool::{PointId, Pool};

/// Residuals below this part of the largest k(x, x) are charged alike: which point has the larger rounding decides nothing.
const ROUNDING: f64 = 1e-8;

/// What the features leave out of k(x, x), as it is charged: of the points, and of the choices.
pub(super) fn charged_residuals(pool: &Pool) -> [Vec<f64>; 2] {
    let largest = (0..pool.len()).map(|i| norm_squared(pool.features().row(i))).fold(0.0, f64::max);
    if pool.residual() <= ROUNDING * largest {
        return [pool.len(), pool.choice_count()].map(|count| vec![pool.residual().max(0.0); count]);
    }
    [pool.residuals(), pool.choice_residuals()]
}

/// The witnesses, one ridge, or both.
#[derive(Debug, Clone)]
pub(super) struct Theorem {
    testimony: Option<Testimony>,
    share_of_one_ridge: f64,
}

impl Theorem {
    /// The witnesses. With a stated misspecification the ellipsoid of all data has half of δ: its floor is lower.
    pub(super) fn of(question: &Question, ridge: f64) -> Self {
        let share_of_one_ridge = if question.assumptions.h() > 0.0 { 0.5 } else { 0.0 };
        Self { testimony: Some(Testimony::new(question, ridge)), share_of_one_ridge }
    }

    /// The ellipsoid of all data alone.
    pub(super) fn one_ridge() -> Self {
        Self { testimony: None, share_of_one_ridge: 1.0 }
    }

    /// Takes in the mean of `times` measurements of a point of weight w each.
    pub(super) fn take(&mut self, point: PointId, mean: f64, times: u64, w: f64) {
        if let Some(testimony) = &mut self.testimony {
            testimony.take(point, mean, times, w);
        }
    }

    pub(super) fn testimony(&self) -> Option<&Testimony> {
        self.testimony.as_ref()
    }

    pub(super) fn share_of_one_ridge(&self) -> f64 {
        self.share_of_one_ridge
    }

    pub(super) fn share_of_witnesses(&self) -> f64 {
        1.0 - self.share_of_one_ridge
    }
}
