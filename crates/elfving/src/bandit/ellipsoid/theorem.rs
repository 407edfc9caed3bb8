//! Which theorem stands behind the bounds, and how δ is shared.

use super::testimony::Testimony;
use crate::bandit::Question;
use crate::pool::PointId;

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
