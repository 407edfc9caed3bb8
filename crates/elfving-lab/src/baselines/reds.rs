//! REDS: random exploration with domain shrinking (Salgia, Vakili and Zhao 2024), the honest control for every design.

use super::phased::Exploration;
use elfving::bandit::Precision;
use elfving::numerics::rng::{Purpose, stream};
use elfving::pool::PointId;

const PURPOSE: Purpose = Purpose::new("reds");

/// Uniform draws from the active points, in phases of `⌈√T⌉` measurements and twice as many each time.
pub(super) struct Reds;

impl Exploration for Reds {
    fn name(&self) -> &'static str {
        "reds"
    }

    fn length(&self, horizon: u64, phase: u64, before: u64) -> u64 {
        if phase == 1 { (horizon as f64).sqrt().ceil() as u64 } else { 2 * before }
    }

    fn most_phases(&self, horizon: u64) -> u64 {
        // √T (2^P - 1) ≥ T.
        ((horizon as f64).sqrt() + 1.0).log2().ceil().max(1.0) as u64
    }

    fn choose(&self, _: &Precision, active: &[PointId], length: u64, seed: u64, phase: u64) -> Vec<PointId> {
        let mut random = stream(seed, phase, PURPOSE);
        (0..length).map(|_| active[random.below(active.len() as u64) as usize]).collect()
    }
}
