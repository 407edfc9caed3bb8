//! What a statement is about.

use crate::pool::PointId;

/// A mean, or a difference of two.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum About {
    /// The mean of a measurable point.
    Point(PointId),
    /// The mean of a choice that is not measurable.
    Choice(PointId),
    /// The mean of the first choice less that of the second.
    Pair(PointId, PointId),
}

impl About {
    /// How many times h the mean may be from the model's value: once, and twice for a difference.
    pub(super) fn model_steps(self) -> f64 {
        match self {
            About::Point(_) | About::Choice(_) => 1.0,
            About::Pair(..) => 2.0,
        }
    }
}
