//! Linear programmes by Mehrotra's primal-dual interior point: `max ⟨c, y⟩` subject to `A y ≤ b`.
//!
//! The slacks `s = b - A y` are computed, never iterated, so every y on the way is feasible. The multipliers `x > 0` reach
//! `Aᵀ x = c` with the first full step; then the complementarity `⟨s, x⟩` is the duality gap. A step solves
//! `Aᵀ diag(x/s) A dy = c - Aᵀ((μ - ds dx)/s)`, once to see how far the plain direction goes (μ = 0, no second order) and once
//! with the centring that this deserves. Mehrotra, SIAM J. Optim. 2, 1992.
//!
//! What A looks like is behind [`Constraints`]: who asks knows its structure, and how its normal equations are solved best.

/// The constraints `A y ≤ b` of a programme. Rows of A are constraints, columns are unknowns.
pub trait Constraints {
    /// The factored normal matrix `Aᵀ diag(w) A`.
    type Normal;

    /// `b - A y`. Where one unknown can make room for all constraints, it may give way here by as much as rounding took.
    fn slacks(&self, y: &mut [f64]) -> Vec<f64>;

    /// `A d`.
    fn apply(&self, direction: &[f64]) -> Vec<f64>;

    /// `Aᵀ x`.
    fn apply_transposed(&self, multipliers: &[f64]) -> Vec<f64>;

    /// Factors `Aᵀ diag(w) A` for positive w; none where double precision cannot.
    fn normal(&self, weights: &[f64]) -> Option<Self::Normal>;

    /// Solves with the factor; `right` becomes dy. Unknowns that are tied by equations are kept to them here.
    fn solve(&self, normal: &Self::Normal, right: &mut Vec<f64>);
}

/// Fraction of the way to the boundary that a step may go; the usual choice, as in Mehrotra 1992.
const TO_BOUNDARY: f64 = 0.995;
/// A step that moves neither side by this fraction of its direction is none.
const NO_STEP: f64 = 1e-10;

/// `max ⟨objective, y⟩` subject to the constraints.
#[derive(Debug)]
pub struct LinearProgramme<'a, C> {
    /// A and b.
    pub constraints: &'a C,
    /// c.
    pub objective: &'a [f64],
}

/// Where the iteration stands.
#[derive(Debug, Clone)]
pub struct Point {
    /// The unknowns; feasible.
    pub y: Vec<f64>,
    /// `b - A y`, positive.
    pub slacks: Vec<f64>,
    /// The dual variables x, positive.
    pub multipliers: Vec<f64>,
}

/// A Newton direction.
struct Direction {
    y: Vec<f64>,
    slacks: Vec<f64>,
    multipliers: Vec<f64>,
}

impl Point {
    /// The complementarity `⟨s, x⟩`: the duality gap, once `Aᵀ x = c`.
    pub fn complementarity(&self) -> f64 {
        self.slacks.iter().zip(&self.multipliers).map(|(s, x)| s * x).sum()
    }

    fn mean(&self) -> f64 {
        self.complementarity() / self.slacks.len() as f64
    }

    /// How far slacks and multipliers can go before one of them is zero.
    fn reach(&self, direction: &Direction) -> (f64, f64) {
        let until = |now: &[f64], by: &[f64]| {
            let limit = |(now, by): (&f64, &f64)| if *by < 0.0 { -now / by } else { f64::INFINITY };
            now.iter().zip(by).map(limit).fold(f64::INFINITY, f64::min)
        };
        (until(&self.slacks, &direction.slacks), until(&self.multipliers, &direction.multipliers))
    }

    /// The complementarity after steps of these lengths.
    fn complementarity_after(&self, direction: &Direction, (primal, dual): (f64, f64)) -> f64 {
        let slacks = self.slacks.iter().zip(&direction.slacks).map(|(s, ds)| s + primal * ds);
        let multipliers = self.multipliers.iter().zip(&direction.multipliers).map(|(x, dx)| x + dual * dx);
        slacks.zip(multipliers).map(|(s, x)| s * x).sum()
    }
}

impl<C: Constraints> LinearProgramme<'_, C> {
    /// The point to start from: y strictly inside, and positive multipliers.
    pub fn start(&self, mut y: Vec<f64>, multipliers: Vec<f64>) -> Point {
        let slacks = self.constraints.slacks(&mut y);
        Point { y, slacks, multipliers }
    }

    /// Steps until the point is good enough, at most so many, or as far as double precision goes; how many were made. What is
    /// enough is for who asks: a gap may be relative to a level that falls with it.
    pub fn solve(&self, at: &mut Point, most: usize, mut enough: impl FnMut(&Point) -> bool) -> usize {
        let mut steps = 0;
        while steps < most && !enough(at) && self.step(at) {
            steps += 1;
        }
        steps
    }

    /// Mehrotra's predictor and corrector; false when nothing moved.
    pub fn step(&self, at: &mut Point) -> bool {
        let Some(normal) = self.normal(at) else { return false };
        let predictor = self.direction(&normal, at, 0.0, None);
        let (primal, dual) = at.reach(&predictor);
        let ahead = at.complementarity_after(&predictor, (primal.min(1.0), dual.min(1.0)));
        // The closer the plain step gets, the less centring.
        let centring = (ahead / at.complementarity()).powi(3).clamp(0.0, 1.0);
        let direction = self.direction(&normal, at, centring * at.mean(), Some(&predictor));
        self.go(at, &direction)
    }

    /// A step towards the central path at the present complementarity; false when nothing moved.
    pub fn centre(&self, at: &mut Point) -> bool {
        let Some(normal) = self.normal(at) else { return false };
        let direction = self.direction(&normal, at, at.mean(), None);
        self.go(at, &direction)
    }

    fn normal(&self, at: &Point) -> Option<C::Normal> {
        let ratios: Vec<f64> = at.multipliers.iter().zip(&at.slacks).map(|(x, s)| x / s).collect();
        self.constraints.normal(&ratios)
    }

    /// Aims at complementarity `target` everywhere; with a predictor, adds its second order.
    fn direction(
        &self,
        normal: &C::Normal,
        at: &Point,
        target: f64,
        predictor: Option<&Direction>,
    ) -> Direction {
        let cross = |k: usize| predictor.map_or(0.0, |p| p.slacks[k] * p.multipliers[k]);
        // What the multipliers would be if the slacks stayed.
        let aims: Vec<f64> =
            at.slacks.iter().enumerate().map(|(k, slack)| (target - cross(k)) / slack).collect();
        let mut y = self.constraints.apply_transposed(&aims);
        y.iter_mut().zip(self.objective).for_each(|(pulled, c)| *pulled = c - *pulled);
        self.constraints.solve(normal, &mut y);
        let mut slacks = self.constraints.apply(&y);
        slacks.iter_mut().for_each(|change| *change = -*change);
        let multipliers = (0..aims.len())
            .map(|k| aims[k] - at.multipliers[k] - at.multipliers[k] / at.slacks[k] * slacks[k])
            .collect();
        Direction { y, slacks, multipliers }
    }

    fn go(&self, at: &mut Point, direction: &Direction) -> bool {
        let (primal, dual) = at.reach(direction);
        let (primal, dual) = ((TO_BOUNDARY * primal).min(1.0), (TO_BOUNDARY * dual).min(1.0));
        let finite = direction.y.iter().chain(&direction.multipliers).all(|change| change.is_finite());
        if !(finite && (primal > NO_STEP || dual > NO_STEP)) {
            return false;
        }
        let mut y: Vec<f64> = at.y.iter().zip(&direction.y).map(|(y, dy)| y + primal * dy).collect();
        let slacks = self.constraints.slacks(&mut y);
        // Rounding must not carry y over the boundary.
        if !slacks.iter().all(|slack| *slack > 0.0) {
            return false;
        }
        (at.y, at.slacks) = (y, slacks);
        at.multipliers.iter_mut().zip(&direction.multipliers).for_each(|(x, dx)| *x += dual * dx);
        true
    }
}
