//! Elfving: which candidates to measure next, how often, and when to stop.

pub mod design;
pub mod linalg;
pub mod pool;
pub mod rounding;
pub mod units;
