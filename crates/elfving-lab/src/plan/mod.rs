//! How many measurements an answer takes, before the first one.
//!
//! [`Planner::rips`] and [`Planner::ptr`] run the rounds of the two elimination algorithms on paper, with their own designs, sample sizes and
//! confidence, and with nothing ever eliminated: the worst case, because eliminations only make later designs easier. The confidence
//! ellipsoid has no rounds to count: what it takes is found by simulating it, and its hardest truth is the flat one.

mod planner;
mod rounds;

pub use planner::{PlannedRound, Planner, WorstCase};
