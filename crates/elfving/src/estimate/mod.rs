//! COUNTS + Y → NUMBERS: estimates that survive heavy tails, with the assumption behind each.

pub mod robust_mean;
