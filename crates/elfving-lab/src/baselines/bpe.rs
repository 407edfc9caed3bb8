//! BPE: batched pure exploration (Li and Scarlett 2022).

use super::phased::Exploration;
use elfving::bandit::Precision;
use elfving::numerics::first_largest;
use elfving::pool::PointId;

/// `N_i = ⌈√(T N_{i-1})⌉`, `N_0 = 1`: about log log T phases, each measuring the active point of largest variance again and again.
pub(super) struct Bpe;

impl Exploration for Bpe {
    fn name(&self) -> &'static str {
        "bpe"
    }

    fn length(&self, horizon: u64, _phase: u64, before: u64) -> u64 {
        (horizon as f64 * before as f64).sqrt().ceil() as u64
    }

    fn most_phases(&self, horizon: u64) -> u64 {
        // Their Proposition 1.
        (horizon.max(4) as f64).log2().log2().ceil() as u64 + 1
    }

    fn choose(&self, fresh: &Precision, active: &[PointId], length: u64, _: u64, _: u64) -> Vec<PointId> {
        let mut supposed = fresh.clone();
        (0..length)
            .map(|_| {
                let norms: Vec<f64> = active.iter().map(|id| supposed.norms()[id.index()]).collect();
                let point = active[first_largest(&norms).expect("an active point")];
                supposed.suppose(point);
                point
            })
            .collect()
    }
}
