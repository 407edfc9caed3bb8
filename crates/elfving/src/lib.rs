//! Elfving: which candidates to measure next, how often, and when to stop.

pub mod linalg;
pub mod pool;
pub mod units;
