//! Elfving: which candidates to measure next, how often, and when to stop.

pub mod estimate;
pub mod linalg;
pub mod units;
