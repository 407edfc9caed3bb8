//! The covariance of the model and its parameters.

use serde::{Deserialize, Serialize};

use crate::numerics::Matrix;

use super::SurrogateError;
use super::space::{ColumnKind, Space};

/// w, what the categories do by themselves: the variance of each is `OWN_EFFECTS / G`. Chosen by measurement (ADR 13).
const OWN_EFFECTS: f64 = 0.6;
/// How much of that variance is taken from the joint part.
const TAKEN: f64 = 0.5;

/// What the fit chooses: `G` lengthscales, the noise of a measurement and the roughness of a row. All in units of the transformed outcome.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Parameters {
    /// `l_g`, one for each column that varies.
    pub lengthscales: Vec<f64>,
    /// `s²`, the variance of one measurement around its row.
    pub noise: f64,
    /// `tau²`, the variance of a row around the smooth surface; part of what is predicted.
    pub roughness: f64,
}

impl Parameters {
    /// The logarithms `log l_1 … log l_G, log s², log tau²`.
    pub fn logs(&self) -> Vec<f64> {
        let values = self.lengthscales.iter().chain([&self.noise, &self.roughness]);
        values.map(|value| value.ln()).collect()
    }

    /// Parameters from their logarithms.
    ///
    /// # Panics
    /// With fewer than two.
    pub fn from_logs(logs: &[f64]) -> Self {
        let (lengths, variances) = logs.split_at(logs.len() - 2);
        Self {
            lengthscales: lengths.iter().map(|log| log.exp()).collect(),
            noise: variances[0].exp(),
            roughness: variances[1].exp(),
        }
    }

    /// One positive lengthscale for each of the `dimension` columns, positive variances.
    ///
    /// # Errors
    /// [`SurrogateError::Parameter`].
    pub fn check(&self, dimension: usize) -> Result<(), SurrogateError> {
        let wrong =
            |what, wanted: &str, got| Err(SurrogateError::Parameter { what, wanted: wanted.into(), got });
        if self.lengthscales.len() != dimension {
            let wanted = format!("{dimension}, one for each column that varies");
            return wrong("the number of lengthscales", &wanted, self.lengthscales.len() as f64);
        }
        let named = self.lengthscales.iter().map(|length| ("a lengthscale", *length));
        for (what, got) in named.chain([("the noise", self.noise), ("the roughness", self.roughness)]) {
            // The logarithm and the inverse square must be finite too.
            if !(got > 1e-100 && got < 1e100) {
                return wrong(what, "positive, between 1e-100 and 1e100", got);
            }
        }
        Ok(())
    }
}

/// The covariance of two rows at given parameters, `k + tau² 1[same site]`.
///
/// With the Matern 5/2 function `m(r) = (1 + √5 r + 5r²/3) exp(-√5 r)`, `r² = Σ_g D_g / l_g²` and C categories among the G columns,
///
/// `k = (1 - wC/2G) m(r) + w/G Σ_categories m(√(G D_g) / l_g)`, w = 0.6:
///
/// most of a row's value is its own combination of all columns, and a part of it is what each category does in any company, so that a level
/// seen in one combination says something about it in all others. Alone, two levels are as far apart as rows that differ in G such columns.
/// The own effects take half of their variance from the joint part and add the other half.
///
/// ```
/// use elfving::numerics::Matrix;
/// use elfving::surrogate::{Columns, Covariance, Parameters, Space};
/// // Two catalysts at 20, 30 and 90 degrees.
/// let degrees = [20.0, 30.0, 90.0, 20.0, 30.0, 90.0];
/// let table = Columns::numeric(Matrix::from_fn(6, 1, |i, _| degrees[i])).category(vec![0, 0, 0, 1, 1, 1]);
/// let space = Space::new(&table, None)?;
/// let parameters = Parameters { lengthscales: vec![0.2, 0.6], noise: 0.02, roughness: 0.002 };
/// let kernel = Covariance::new(&space, &parameters);
/// let [near, same_catalyst, other_catalyst] = [1, 2, 5].map(|row| kernel.covariance(0, row));
/// assert!(near > same_catalyst && same_catalyst > 0.25); // far away, but what the catalyst does is the same
/// assert!(other_catalyst < 0.05);
/// # Ok::<(), elfving::surrogate::SurrogateError>(())
/// ```
#[derive(Debug, Clone)]
pub struct Covariance {
    space: Space,
    /// `1 / l_g²`.
    inverse_squares: Vec<f64>,
    roughness: f64,
    /// `1 - wC/2G`.
    joint: f64,
    /// `k` of a row with itself.
    signal: f64,
    own: Vec<OwnEffect>,
}

/// What a column does by itself: nothing where it has numbers.
#[derive(Debug, Clone, Copy, Default)]
struct OwnEffect {
    /// What it adds to the kernel where the levels agree.
    share: f64,
    /// How much less that is where they differ.
    drop: f64,
    /// `l_g²` times its derivative in `log l_g` where they differ.
    slope: f64,
}

impl OwnEffect {
    fn of_category(columns: f64, inverse_square: f64) -> Self {
        let share = OWN_EFFECTS / columns;
        let (value, slope) = matern_and_slope(columns * inverse_square);
        Self { share, drop: share * (1.0 - value), slope: share * columns * slope }
    }
}

impl Covariance {
    /// The kernel of a space at some parameters.
    ///
    /// # Panics
    /// With another number of lengthscales than the space has columns.
    pub fn new(space: &Space, parameters: &Parameters) -> Self {
        assert_eq!(parameters.lengthscales.len(), space.dimension(), "one lengthscale for each column");
        let inverse_squares: Vec<f64> =
            parameters.lengthscales.iter().map(|length| (length * length).recip()).collect();
        let columns = space.dimension() as f64;
        let own: Vec<OwnEffect> = space
            .kinds()
            .iter()
            .zip(&inverse_squares)
            .map(|(kind, &inverse_square)| match kind {
                ColumnKind::Numeric => OwnEffect::default(),
                ColumnKind::Category => OwnEffect::of_category(columns, inverse_square),
            })
            .collect();
        let shares: f64 = own.iter().map(|own| own.share).sum();
        let joint = 1.0 - TAKEN * shares;
        let (space, roughness) = (space.clone(), parameters.roughness);
        Self { space, inverse_squares, roughness, joint, signal: joint + shares, own }
    }

    /// The covariance of two rows of the space. Cost: G.
    pub fn covariance(&self, a: usize, b: usize) -> f64 {
        let (mut squared, mut own) = (0.0, 0.0);
        for (g, effect) in self.own.iter().enumerate() {
            let distance = self.space.squared_distance(a, b, g);
            squared += self.inverse_squares[g] * distance;
            own += effect.share - effect.drop * distance;
        }
        self.joint * matern(squared) + own + self.roughness_of(a, b)
    }

    /// The variance of a row.
    pub(super) fn variance(&self) -> f64 {
        self.signal + self.roughness
    }

    /// `tau² 1[same site]`.
    pub(super) fn roughness_of(&self, a: usize, b: usize) -> f64 {
        if self.space.site(a) == self.space.site(b) { self.roughness } else { 0.0 }
    }

    /// `1 / l_g²`.
    pub(super) fn inverse_square(&self, g: usize) -> f64 {
        self.inverse_squares[g]
    }

    /// `k` from one row to the rows of `columns` (G × m) from `first` on, as many as `out` has room for.
    pub(super) fn values(&self, row: &[f64], columns: &Matrix, first: usize, out: &mut [f64]) {
        self.squared_distances(row, columns, first, out);
        out.iter_mut().for_each(|entry| *entry = self.joint * matern(*entry));
        self.add_own_effects(row, columns, first, out);
    }

    /// The same, and the slope of the joint part: its derivative in `log l_g` is `slope · D_g / l_g²`.
    pub(super) fn values_and_slopes(
        &self,
        row: &[f64],
        columns: &Matrix,
        first: usize,
        out: &mut [f64],
        slopes: &mut [f64],
    ) {
        self.squared_distances(row, columns, first, out);
        for (entry, joint_slope) in out.iter_mut().zip(slopes) {
            let (value, slope) = matern_and_slope(*entry);
            (*entry, *joint_slope) = (self.joint * value, self.joint * slope);
        }
        self.add_own_effects(row, columns, first, out);
    }

    /// `r²`.
    fn squared_distances(&self, row: &[f64], columns: &Matrix, first: usize, out: &mut [f64]) {
        out.fill(0.0);
        for (g, &at) in row.iter().enumerate() {
            let scale = self.inverse_squares[g];
            let others = &columns.row(g)[first..];
            for_each_distance(self.space.kinds()[g], at, others, out, |out, d| *out += scale * d);
        }
    }

    fn add_own_effects(&self, row: &[f64], columns: &Matrix, first: usize, out: &mut [f64]) {
        for (g, (&at, own)) in row.iter().zip(&self.own).enumerate().filter(|(_, (_, own))| own.share > 0.0) {
            let others = &columns.row(g)[first..];
            for_each_distance(self.space.kinds()[g], at, others, out, |out, d| {
                *out += own.share - own.drop * d
            });
        }
    }

    /// `l_g² Σ_j pulls_j dk/d log l_g` from one row to those of `columns` from `first` on; `joint_pulls_j` is `pulls_j · slope_j`.
    pub(super) fn pull_on_length(
        &self,
        g: usize,
        at: f64,
        columns: &Matrix,
        first: usize,
        pulls: &[f64],
        joint_pulls: &[f64],
    ) -> f64 {
        let others = &columns.row(g)[first..first + pulls.len()];
        match self.space.kinds()[g] {
            ColumnKind::Numeric => {
                weighted_sum(joint_pulls, others, |other| ColumnKind::Numeric.squared_distance(at, other))
            }
            ColumnKind::Category => {
                let distance = |other| ColumnKind::Category.squared_distance(at, other);
                weighted_sum(joint_pulls, others, distance)
                    + self.own[g].slope * weighted_sum(pulls, others, distance)
            }
        }
    }
}

/// One loop a kind, so that each vectorises.
fn for_each_distance(
    kind: ColumnKind,
    at: f64,
    others: &[f64],
    out: &mut [f64],
    mut add: impl FnMut(&mut f64, f64),
) {
    let pairs = out.iter_mut().zip(others);
    match kind {
        ColumnKind::Numeric => {
            pairs.for_each(|(out, other)| add(out, ColumnKind::Numeric.squared_distance(at, *other)))
        }
        ColumnKind::Category => {
            pairs.for_each(|(out, other)| add(out, ColumnKind::Category.squared_distance(at, *other)))
        }
    }
}

/// `Σ weight · f(other)`, with eight running sums so that it vectorises and rounds the same everywhere.
fn weighted_sum(weights: &[f64], others: &[f64], f: impl Fn(f64) -> f64) -> f64 {
    let mut lanes = [0.0; 8];
    let (ws, xs) = (weights.chunks_exact(8), others.chunks_exact(8));
    let tail: f64 = ws.remainder().iter().zip(xs.remainder()).map(|(w, x)| w * f(*x)).sum();
    for (w, x) in ws.zip(xs) {
        for lane in 0..8 {
            lanes[lane] += w[lane] * f(x[lane]);
        }
    }
    lanes.iter().sum::<f64>() + tail
}

/// The Matern 5/2 function of a squared distance.
#[inline]
fn matern(squared: f64) -> f64 {
    matern_and_slope(squared).0
}

/// `k` and `-2 dk/d(r²) = 5/3 (1 + s) exp(-s)` with `s = √5 r`, so that `dk / d log l_g = slope · D_g / l_g²`.
#[inline]
fn matern_and_slope(squared: f64) -> (f64, f64) {
    let s = (5.0 * squared).sqrt();
    let decay = (-s).exp();
    // Far away s may be infinite; the kernel is 0 there, not infinity times zero.
    if decay > 0.0 { ((1.0 + s + s * s / 3.0) * decay, 5.0 / 3.0 * (1.0 + s) * decay) } else { (0.0, 0.0) }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::surrogate::Columns;

    #[test]
    fn the_slope_is_the_derivative() {
        for squared in [0.01, 0.04, 1.0, 9.0, 100.0] {
            let step = 1e-5 * squared;
            let slope = -(matern(squared + step) - matern(squared - step)) / step;
            let (_, exact) = matern_and_slope(squared);
            assert!((slope - exact).abs() < 1e-6 * exact.max(1e-3), "{squared}: {slope} {exact}");
        }
        assert_eq!(matern_and_slope(0.0), (1.0, 5.0 / 3.0));
        assert_eq!(matern_and_slope(f64::INFINITY), (0.0, 0.0));
    }

    /// Two numbers and two categories, in no pattern.
    fn mixed_space() -> Space {
        let numbers = Matrix::from_fn(12, 2, |i, j| ((i * (5 + 2 * j)) % 12) as f64);
        let codes = |levels: u32| (0..12).map(|i| (i * i) % levels).collect();
        Space::new(&Columns::numeric(numbers).category(codes(5)).category(codes(7)), None).unwrap()
    }

    fn of_mixed_space(space: &Space) -> Covariance {
        let lengthscales = vec![0.4, 0.9, 0.7, 1.6];
        Covariance::new(space, &Parameters { lengthscales, noise: 0.01, roughness: 0.003 })
    }

    #[test]
    fn a_category_has_an_effect_of_its_own() {
        let space = mixed_space();
        let kernel = of_mixed_space(&space);
        // C/G is a half: 0.85 of all columns, 0.15 of each category.
        let squared = |a, b, g| space.squared_distance(a, b, g);
        for (a, b) in [(0, 1), (2, 7), (4, 9), (3, 10)] {
            let joint: f64 = (0..4).map(|g| squared(a, b, g) / [0.16, 0.81, 0.49, 2.56][g]).sum();
            let own = matern(4.0 * squared(a, b, 2) / 0.49) + matern(4.0 * squared(a, b, 3) / 2.56);
            let expected = 0.85 * matern(joint) + 0.15 * own;
            assert!((kernel.covariance(a, b) - expected).abs() < 1e-14, "{a} {b}");
        }
        assert!((kernel.covariance(5, 5) - 1.153).abs() < 1e-14);
        assert_eq!(kernel.covariance(5, 5), kernel.variance());
    }

    #[test]
    fn without_categories_the_joint_part_is_all() {
        let space = Space::new(&Columns::numeric(Matrix::from_rows(&[[0.0], [0.5], [1.0]])), None).unwrap();
        let parameters = Parameters { lengthscales: vec![0.5], noise: 0.01, roughness: 0.003 };
        let kernel = Covariance::new(&space, &parameters);
        assert_eq!(kernel.covariance(0, 1), matern(1.0));
        assert_eq!(kernel.variance(), 1.003);
    }

    #[test]
    fn a_row_of_the_kernel_is_its_entries() {
        let space = mixed_space();
        let kernel = of_mixed_space(&space);
        let columns = space.by_column(&(0..12).collect::<Vec<_>>());
        for a in 0..12 {
            let (mut values, mut again, mut slopes) = (vec![0.0; 9], vec![0.0; 9], vec![0.0; 9]);
            kernel.values(space.row(a), &columns, 3, &mut values);
            kernel.values_and_slopes(space.row(a), &columns, 3, &mut again, &mut slopes);
            assert_eq!(values, again);
            for (b, value) in (3..).zip(values) {
                let expected = kernel.covariance(a, b) - kernel.roughness_of(a, b);
                assert!((value - expected).abs() < 1e-14, "{a} {b}: {value} {expected}");
            }
        }
    }

    #[test]
    fn logs_and_parameters_are_inverse() {
        let parameters = Parameters { lengthscales: vec![0.5, 2.0], noise: 0.01, roughness: 0.003 };
        let back = Parameters::from_logs(&parameters.logs());
        for (a, b) in back.logs().iter().zip(parameters.logs()) {
            assert!((a - b).abs() < 1e-14);
        }
        assert!(parameters.check(2).is_ok() && parameters.check(3).is_err());
        assert!(Parameters { noise: f64::NAN, ..parameters }.check(2).is_err());
    }
}
