//! A matrix game by interior points: `max_λ min_k ⟨g_k, λ⟩` over the simplex.

use elfving::numerics::{Cholesky, Matrix, apply, apply_transposed, dot, weighted_gram};

/// Newton steps at most.
const MOST_STEPS: usize = 60;
/// Rows kept: beyond it, those that carried nothing in the last solution go.
pub(super) const MOST_ROWS: usize = 120;

/// The rows g_k found so far.
pub(super) struct Game {
    points: usize,
    rows: Vec<Vec<f64>>,
}

/// Nearly optimal shares, and a certain upper bound of the value of the game.
pub(super) struct Solved {
    pub shares: Vec<f64>,
    pub at_most: f64,
}

impl Game {
    pub(super) fn new(points: usize) -> Self {
        Self { points, rows: vec![] }
    }

    pub(super) fn add(&mut self, row: Vec<f64>) {
        self.rows.push(row);
    }

    /// Solves to a relative gap, by a primal-dual path that is feasible from the first step on.
    ///
    /// Unknowns λ, t with slacks `s = Gλ - t`, and w, v with slacks `z = v - Gᵀw`; the gap is `⟨λ, z⟩ + ⟨w, s⟩`. A step solves
    /// `(G D Gᵀ + E) dw = …` with `D = λ/z`, `E = s/w`, bordered by dt and dv. Cost: n K² + K³/3 a step for K rows.
    pub(super) fn solve(&mut self, accuracy: f64) -> Solved {
        let (n, rows) = (self.points, self.rows.len());
        let unit = self.rows.iter().flatten().copied().fold(0.0, f64::max);
        if !(unit > 0.0 && unit.is_finite()) {
            return Solved { shares: vec![1.0 / n as f64; n], at_most: 0.0 };
        }
        let game = Matrix::from_fn(n, rows, |x, k| self.rows[k][x] / unit);
        let mut shares = vec![1.0 / n as f64; n];
        let mut mix = vec![1.0 / rows as f64; rows];
        let gains = apply_transposed(&game, &shares);
        let costs = apply(&game, &mix);
        let mut t = gains.iter().copied().fold(f64::INFINITY, f64::min) - 0.1;
        let mut v = costs.iter().copied().fold(0.0, f64::max) + 0.1;
        for _ in 0..MOST_STEPS {
            let s: Vec<f64> = apply_transposed(&game, &shares).iter().map(|gain| gain - t).collect();
            let z: Vec<f64> = apply(&game, &mix).iter().map(|cost| v - cost).collect();
            let gap = v - t;
            if !(gap > accuracy * v.abs()) {
                break;
            }
            let mean = (dot(&shares, &z) + dot(&mix, &s)) / (n + rows) as f64;
            let Some(newton) = Newton::new(&game, &shares, &mix, &s, &z) else { break };
            let aim = newton.step(0.0, None);
            let reach = aim.reach(&shares, &mix, &s, &z);
            let ahead = aim.mean_after(reach, &shares, &mix, &s, &z);
            // Mehrotra: the closer the plain step gets, the less centring.
            let step = newton.step((ahead / mean).powi(3).clamp(1e-6, 0.5) * mean, Some(&aim));
            let length = (0.97 * step.reach(&shares, &mix, &s, &z)).min(1.0);
            shares.iter_mut().zip(&step.shares).for_each(|(value, by)| *value += length * by);
            mix.iter_mut().zip(&step.mix).for_each(|(value, by)| *value += length * by);
            t += length * step.t;
            v += length * step.v;
            if !(length > 1e-10) {
                break;
            }
        }
        // Whatever rounding did: shares and mixture of sum one, and the bound that the mixture proves.
        normalise(&mut shares);
        normalise(&mut mix);
        let at_most = apply(&game, &mix).into_iter().fold(0.0, f64::max) * unit;
        if rows > MOST_ROWS {
            let largest = mix.iter().copied().fold(0.0, f64::max);
            let mut weights = mix.iter();
            self.rows.retain(|_| weights.next().is_some_and(|&weight| weight > 1e-4 * largest));
        }
        Solved { shares, at_most }
    }
}

fn normalise(weights: &mut [f64]) {
    weights.iter_mut().for_each(|weight| *weight = weight.max(0.0));
    let sum: f64 = weights.iter().sum();
    weights.iter_mut().for_each(|weight| *weight /= sum);
}

/// A Newton direction.
struct Step {
    shares: Vec<f64>,
    mix: Vec<f64>,
    s: Vec<f64>,
    z: Vec<f64>,
    t: f64,
    v: f64,
}

impl Step {
    /// The longest step of at most one that leaves everything positive.
    fn reach(&self, shares: &[f64], mix: &[f64], s: &[f64], z: &[f64]) -> f64 {
        let reach = |now: &[f64], by: &[f64]| {
            now.iter().zip(by).filter(|(_, by)| **by < 0.0).map(|(now, by)| -now / by).fold(1.0, f64::min)
        };
        reach(shares, &self.shares).min(reach(mix, &self.mix)).min(reach(s, &self.s)).min(reach(z, &self.z))
    }

    /// The mean complementarity after a step of this length.
    fn mean_after(&self, length: f64, shares: &[f64], mix: &[f64], s: &[f64], z: &[f64]) -> f64 {
        let sum = |a: &[f64], da: &[f64], b: &[f64], db: &[f64]| -> f64 {
            (0..a.len()).map(|k| (a[k] + length * da[k]) * (b[k] + length * db[k])).sum()
        };
        (sum(shares, &self.shares, z, &self.z) + sum(mix, &self.mix, s, &self.s))
            / (shares.len() + mix.len()) as f64
    }
}

/// The factored Newton system at a point.
struct Newton<'a> {
    game: &'a Matrix,
    shares: &'a [f64],
    mix: &'a [f64],
    s: &'a [f64],
    z: &'a [f64],
    /// D = λ/z.
    ratio: Vec<f64>,
    factor: Cholesky,
    /// H⁻¹ 1 and H⁻¹ G D 1.
    ones: Vec<f64>,
    sums: Vec<f64>,
    /// G D 1.
    row_sums: Vec<f64>,
}

impl<'a> Newton<'a> {
    fn new(game: &'a Matrix, shares: &'a [f64], mix: &'a [f64], s: &'a [f64], z: &'a [f64]) -> Option<Self> {
        let ratio: Vec<f64> = shares.iter().zip(z).map(|(share, z)| share / z).collect();
        let mut matrix = weighted_gram(game, &ratio);
        for k in 0..mix.len() {
            matrix[(k, k)] += s[k] / mix[k];
        }
        let factor = Cholesky::new(matrix).ok()?;
        let row_sums = apply_transposed(game, &ratio);
        let (mut ones, mut sums) = (vec![1.0; mix.len()], row_sums.clone());
        factor.solve(&mut ones);
        factor.solve(&mut sums);
        Some(Self { game, shares, mix, s, z, ratio, factor, ones, sums, row_sums })
    }

    /// The direction towards complementarity `target`, with the second-order term of an earlier direction.
    fn step(&self, target: f64, earlier: Option<&Step>) -> Step {
        let rest = |a: &[f64], b: &[f64], da: Option<&[f64]>, db: Option<&[f64]>| -> Vec<f64> {
            (0..a.len())
                .map(|k| {
                    let second = da.zip(db).map_or(0.0, |(da, db)| da[k] * db[k]);
                    (target - second) / a[k] - b[k]
                })
                .collect()
        };
        let of_shares = rest(self.shares, self.z, earlier.map(|e| &e.shares[..]), earlier.map(|e| &e.z[..]));
        let of_mix = rest(self.mix, self.s, earlier.map(|e| &e.mix[..]), earlier.map(|e| &e.s[..]));
        let scaled: Vec<f64> = self.ratio.iter().zip(&of_shares).map(|(d, r)| d * r).collect();
        let pulled = apply_transposed(self.game, &scaled);
        let mut base: Vec<f64> = of_mix.iter().zip(&pulled).map(|(r, p)| r - p).collect();
        self.factor.solve(&mut base);
        // dw = base + dt ones + dv sums; the sums of dw and dλ are zero.
        let total = |x: &[f64]| x.iter().sum::<f64>();
        let (a11, a12, b1) = (total(&self.ones), total(&self.sums), -total(&base));
        let a21 = dot(&self.row_sums, &self.ones);
        let a22 = dot(&self.row_sums, &self.sums) - total(&self.ratio);
        let b2 = -total(&scaled) - dot(&self.row_sums, &base);
        let determinant = a11 * a22 - a12 * a21;
        let t = (b1 * a22 - a12 * b2) / determinant;
        let v = (a11 * b2 - a21 * b1) / determinant;
        let mix: Vec<f64> = (0..base.len()).map(|k| base[k] + t * self.ones[k] + v * self.sums[k]).collect();
        let z: Vec<f64> = apply(self.game, &mix).iter().map(|cost| v - cost).collect();
        let shares: Vec<f64> = (0..z.len()).map(|x| self.ratio[x] * (of_shares[x] - z[x])).collect();
        let s: Vec<f64> = apply_transposed(self.game, &shares).iter().map(|gain| gain - t).collect();
        Step { shares, mix, s, z, t, v }
    }
}
