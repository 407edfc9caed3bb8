//! Regret minimisation: rounding by playing against the worst direction (Allen-Zhu, Li, Singh and Wang 2017).
//!
//! Whiten the points so that the design is the identity, `x̃ = (T (A + γI))^(-1/2) x`, and build `Z = Σ x̃ x̃ᵀ + Z₀` with
//! `Z₀ = γ (A + γI)⁻¹` one point at a time. Each step looks at Z through `A_t = (c I + α Z)⁻²`, `tr A_t = 1`, which
//! weighs the directions in which Z is small, and adds the point with the largest
//! `x̃ᵀ A_t x̃ / (1 + α x̃ᵀ A_t^½ x̃)`.
//!
//! *Guarantee.* The potential `Φ(Z) = min_{tr A = 1} ⟨A, Z⟩ - (2/α) tr A^½` has the gradient `A_t`, is concave, grows by at least
//! the score of the point added, starts at `-2√p/α` and ends at most at `λ_min(Z) - 2/α`. Averaged over λ the score is
//! at least `(1 - ⟨A_t, Z₀⟩) / (T + α√p)`, and adding `Z₀/T` before the step gains `⟨A_t, Z₀⟩ / T` more: together at
//! least `1 / (T + α√p)`. So with the prior in T equal parts
//!
//! ```text
//! λ_min(Z) ≥ T / (T + α√p) - 2 (√p - 1) / α ≥ (1 - √(2p/T))²   for α = 2√p / (s (1 - s)), s = √(2p/T) < 1.
//! ```
//!
//! With the whole prior at the start the sum over steps does not close, and the bound fails: a test holds an
//! example. In practice that start is often as good, so both are tried.

mod potential;
mod run;
mod space;

use rayon::prelude::*;

use super::report::{Path, PriorEntry, Rounded};
use super::{Request, Rounding, RoundingError};
use run::{Player, Run};
pub(super) use space::{Space, members};

/// Regret minimisation with repetition, with the ridge as a prior, and with maxima: exactly T measurements, also
/// when T is below the dimension.
///
/// Every α of a small list is tried, over threads, and the counts with the best criterion value are kept. For T > 2p
/// and no constraint in the way, `λ_min ≥ (1 - √(2p/T))²` is guaranteed, so no squared norm grows by more than one
/// over it: the list then holds the α of the proof, and what falls short of the bound is not considered. When
/// maxima are in the way (at 1 each: no repetition) the steps are followed by swaps.
///
/// Cost: T (2 s p² + a few p³) for each α, s the points of positive weight.
///
/// | setting | default | effect |
/// |---|---|---|
/// | `multipliers` | 1, 2, 4, 8, 16, 32 | tries α = multiplier · √p |
/// | `alpha` | none | tries this α only |
#[derive(Debug, Clone, PartialEq)]
pub struct RegretMinimisation {
    multipliers: Vec<f64>,
    alpha: Option<f64>,
}

impl Default for RegretMinimisation {
    fn default() -> Self {
        Self { multipliers: vec![1.0, 2.0, 4.0, 8.0, 16.0, 32.0], alpha: None }
    }
}

impl RegretMinimisation {
    /// Tries `α = multiplier · √p` for these multipliers.
    #[must_use]
    pub fn multipliers(mut self, multipliers: &[f64]) -> Self {
        self.multipliers = multipliers.to_vec();
        self
    }

    /// Tries this α only.
    #[must_use]
    pub fn alpha(mut self, alpha: f64) -> Self {
        self.alpha = Some(alpha);
        self
    }

    /// The best run in a space, by the criterion of the request.
    pub(super) fn best_in(&self, request: &Request, space: &Space) -> Chosen {
        let budget = request.budget as f64;
        let p = space.dimension() as f64;
        let promised = promise(p, budget).filter(|_| self.alpha.is_none() && request.bounds.starts_empty());
        let mut alphas: Vec<f64> = match self.alpha {
            Some(alpha) => vec![alpha],
            None => self.multipliers.iter().map(|multiplier| multiplier * p.sqrt()).collect(),
        };
        alphas.extend(promised.map(|promised| promised.alpha));
        let entries: &[PriorEntry] = if space.prior.max_abs() > 0.0 {
            &[PriorEntry::InParts, PriorEntry::AtOnce]
        } else {
            &[PriorEntry::InParts]
        };
        let games: Vec<(f64, PriorEntry)> =
            alphas.iter().flat_map(|&alpha| entries.iter().map(move |&entry| (alpha, entry))).collect();

        let runs: Vec<Vec<Run>> =
            games.par_iter().map(|&(alpha, entry)| play(request, space, alpha, entry)).collect();
        let runs = runs.concat();
        // The bound is a theorem for one of them; it stays true of the result because the others must meet it too.
        let promised = promised.filter(|_| runs.iter().all(|run| !run.hindered));
        let meets = |run: &&Run| {
            promised.is_none_or(|promised| run.smallest_eigenvalue >= promised.eigenvalue - 1e-12)
        };
        let values: Vec<(f64, Run)> = runs
            .iter()
            .filter(meets)
            .collect::<Vec<_>>()
            .into_par_iter()
            .map(|run| (request.search_value(&dense(request, space, &run.counts)), run.clone()))
            .collect();
        let (_, run) = values
            .into_iter()
            .reduce(|best, next| if next.0 < best.0 { next } else { best })
            .expect("the run of the proof meets its bound");
        Chosen {
            counts: dense(request, space, &run.counts),
            guaranteed_eigenvalue: promised.map(|promised| promised.eigenvalue),
            path: Path::Steps { alpha: run.alpha, prior: run.prior, swaps: run.swaps },
        }
    }
}

impl Rounding for RegretMinimisation {
    fn name(&self) -> &'static str {
        "regret"
    }

    fn round(&self, request: &Request) -> Result<Rounded, RoundingError> {
        let space = Space::full(request);
        let chosen = self.best_in(request, &space);
        let mut rounded = request.answer(self.name(), &chosen.counts, chosen.path);
        rounded.report.guaranteed_eigenvalue = chosen.guaranteed_eigenvalue;
        rounded.report.dimension = space.dimension();
        Ok(rounded)
    }
}

/// The best counts, one for each point of the pool.
pub(super) struct Chosen {
    pub counts: Vec<u64>,
    pub guaranteed_eigenvalue: Option<f64>,
    pub path: Path,
}

/// The α of the proof and what it promises.
#[derive(Clone, Copy)]
struct Promise {
    alpha: f64,
    eigenvalue: f64,
}

/// `(1 - √(2p/T))²` and its α, for T > 2p.
fn promise(p: f64, budget: f64) -> Option<Promise> {
    let s = (2.0 * p / budget).sqrt();
    (p > 0.0 && s < 1.0)
        .then(|| Promise { alpha: 2.0 * p.sqrt() / (s * (1.0 - s)), eigenvalue: (1.0 - s).powi(2) })
}

/// The run at one α; where a maximum was in the way, also the run after swaps.
fn play(request: &Request, space: &Space, alpha: f64, prior: PriorEntry) -> Vec<Run> {
    let mut player = Player::new(request, space, alpha, prior);
    player.play();
    let mut runs = vec![player.result()];
    if runs[0].hindered {
        player.swap();
        runs.push(player.result());
    }
    runs
}

fn dense(request: &Request, space: &Space, counts: &[u64]) -> Vec<u64> {
    let mut dense = vec![0; request.bounds.lower.len()];
    for (&i, &count) in space.ids.iter().zip(counts) {
        dense[i] = count;
    }
    dense
}
