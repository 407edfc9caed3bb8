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

mod dense;
mod potential;
mod rotated;
mod run;
mod space;

use rayon::prelude::*;

use super::report::{PriorEntry, Rounded, RoundingPath};
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
///
/// ```
/// use elfving::design::{Criterion, Problem};
/// use elfving::rounding::{Constraints, RegretMinimisation, Request, Rounding};
/// use elfving::{numerics::Matrix, pool::{PointId, Pool}, units::Ridge};
/// let pool = Pool::from_features(Matrix::from_fn(11, 2, |i, k| if k == 0 { 1.0 } else { i as f64 / 10.0 }))?;
/// let problem = Problem::over_choices(&pool, Criterion::G, Ridge::ZERO)?;
/// let weights: Vec<_> = (0..11).map(|i| (PointId::new(i), 1.0)).collect();
/// let request = Request::from_weights(&problem, &weights, 16, &Constraints::default())?;
/// let report = RegretMinimisation::default().round(&request)?.report;
/// // p = 2, T = 16: (1 - √(4/16))².
/// assert!((report.guaranteed_eigenvalue.unwrap() - 0.25).abs() < 1e-12);
/// assert!(report.smallest_eigenvalue > 0.9);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
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

    fn alphas(&self, p: f64) -> Result<Vec<f64>, RoundingError> {
        let alphas: Vec<f64> = match self.alpha {
            Some(alpha) => vec![alpha],
            None => self.multipliers.iter().map(|multiplier| multiplier * p.sqrt()).collect(),
        };
        if alphas.is_empty() || !alphas.iter().all(|&alpha| alpha > 0.0 && alpha.is_finite()) {
            return Err(RoundingError::Alpha { got: alphas });
        }
        Ok(alphas)
    }

    /// The best run in a space, by the criterion of the request.
    ///
    /// # Errors
    /// [`RoundingError::Alpha`].
    pub(super) fn best_in(&self, request: &Request, space: &Space) -> Result<Chosen, RoundingError> {
        let budget = request.budget as f64;
        let p = space.dimension() as f64;
        let promised = promise(p, budget).filter(|_| self.alpha.is_none() && request.bounds.starts_empty());
        let mut alphas = self.alphas(p)?;
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
        let mut runs = runs.concat();
        // The bound is a theorem for one of them; it holds for the result because the others must meet it too.
        let promised = promised.filter(|_| runs.iter().all(|run| !run.hindered));
        if let Some(promised) = promised {
            runs.retain(|run| run.smallest_eigenvalue >= promised.eigenvalue - 1e-12);
        }
        let value = |run: &Run| request.search_value(&dense(request, space, &run.counts));
        let values: Vec<f64> = runs.par_iter().map(value).collect();
        let best = (1..runs.len()).fold(0, |best, k| if values[k] < values[best] { k } else { best });
        let run = runs.get(best).expect("the run of the proof meets its bound");
        Ok(Chosen {
            counts: dense(request, space, &run.counts),
            guaranteed_eigenvalue: promised.map(|promised| promised.eigenvalue),
            path: RoundingPath::Steps { alpha: run.alpha, prior: run.prior, swaps: run.swaps },
        })
    }
}

impl Rounding for RegretMinimisation {
    fn name(&self) -> &'static str {
        "regret"
    }

    fn round(&self, request: &Request) -> Result<Rounded, RoundingError> {
        let space = Space::full(request);
        let chosen = self.best_in(request, &space)?;
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
    pub path: RoundingPath,
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

#[cfg(test)]
mod tests {
    use super::super::Constraints;
    use super::*;
    use crate::design::{Criterion, Problem};
    use crate::numerics::Matrix;
    use crate::pool::{PointId, Pool};
    use crate::units::Ridge;

    #[test]
    fn the_guarantee_needs_the_prior_in_parts() {
        // Z₀ = diag(0.9, 0.001): the prior covers the first direction, and the third point, of almost no weight, looks
        // a little better for the second one while it neglects the first.
        let (a, b) = (1.0 / 3.0, 1000f64.sqrt());
        let features = Matrix::from_rows(&[[a, b], [-a, b], [0.0, 1.05f64.sqrt() * b]]);
        let pool = Pool::from_features(features).unwrap();
        let problem = Problem::over_choices(&pool, Criterion::G, Ridge::new(1.0).unwrap()).unwrap();
        let weights = [(0, 0.49995), (1, 0.49995), (2, 0.0001)].map(|(i, w)| (PointId::new(i), w));
        let request = Request::from_weights(&problem, &weights, 10_000, &Constraints::default()).unwrap();
        let space = Space::full(&request);
        let Promise { alpha, eigenvalue } = promise(2.0, 10_000.0).unwrap();
        assert!((eigenvalue - 0.9604).abs() < 1e-12);
        let reached = |prior| play(&request, &space, alpha, prior)[0].smallest_eigenvalue;
        assert!((reached(PriorEntry::AtOnce) - 0.9146).abs() < 1e-3);
        assert!(reached(PriorEntry::InParts) > 0.999);
        let report = RegretMinimisation::default().round(&request).unwrap().report;
        assert!(report.smallest_eigenvalue >= report.guaranteed_eigenvalue.unwrap());
    }

    #[test]
    fn an_alpha_that_is_no_number_above_zero_is_refused() {
        let pool = Pool::from_features(Matrix::identity(2)).unwrap();
        let problem = Problem::over_choices(&pool, Criterion::G, Ridge::ZERO).unwrap();
        let weights = [(PointId::new(0), 0.5), (PointId::new(1), 0.5)];
        let request = Request::from_weights(&problem, &weights, 4, &Constraints::default()).unwrap();
        for bad in [0.0, -1.0, f64::NAN, f64::INFINITY] {
            let error = RegretMinimisation::default().alpha(bad).round(&request).unwrap_err();
            assert!(matches!(error, RoundingError::Alpha { .. }));
        }
        assert!(RegretMinimisation::default().multipliers(&[]).round(&request).is_err());
    }

    #[test]
    fn swaps_raise_the_potential_where_a_maximum_is_in_the_way() {
        let features = Matrix::from_fn(200, 8, |i, j| ((37 * i + 101 * j * j) as f64).sin());
        let pool = Pool::from_features(features).unwrap();
        let problem = Problem::over_choices(&pool, Criterion::D, Ridge::ZERO).unwrap();
        let weights: Vec<_> = (0..200).map(|i| (PointId::new(i), 1.0)).collect();
        let shelf = Constraints::default().each_at_most(1);
        let request = Request::from_weights(&problem, &weights, 100, &shelf).unwrap();
        let space = Space::full(&request);
        let mut swapped = 0;
        for multiplier in [0.25, 1.0, 4.0, 16.0, 64.0] {
            let alpha = multiplier * 8f64.sqrt();
            let runs = play(&request, &space, alpha, PriorEntry::InParts);
            let [before, after] = &runs[..] else { panic!("a maximum of one is always in the way") };
            assert_eq!(after.counts.iter().sum::<u64>(), 100);
            assert!(after.counts.iter().all(|&count| count <= 1));
            // The potential is λ_min up to 2 (√p - 1) / α.
            let slack = 2.0 * (8f64.sqrt() - 1.0) / alpha;
            assert!(after.smallest_eigenvalue >= before.smallest_eigenvalue - slack);
            swapped += after.swaps;
        }
        assert!(swapped > 0);
    }
}
