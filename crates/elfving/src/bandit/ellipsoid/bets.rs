//! Models that bet: before each outcome, each names a normal distribution for the mean of that measurement.
//!
//! A bet may be as wrong as it likes: it costs width, never truth. What it must not do is look at the outcome it bets on. The
//! types see to that: [`Bettor::bet`] is not given the outcome, and [`Bettor::learn`] takes the bet away.

use crate::bandit::Question;
use crate::numerics::{CholeskyStop, Matrix, add_scaled_row, apply, dot, norm_squared, pivoted_cholesky};
use crate::pool::PointId;
use crate::surrogate::{Columns, Covariance, Parameters, Space};
use std::sync::Arc;

/// The share of what was believed beforehand, where something was; all others keep their proportions.
const SHARE_OF_BELIEFS: f64 = 0.5;
/// What the deviations of a belief are multiplied by: as stated, and three times as modest.
const MODESTY: [f64; 2] = [1.0, 3.0];
/// The length scale over which the errors of a belief go together, one of those of the bank.
const BELIEF_LENGTHSCALE: f64 = LENGTHSCALES[1];
/// The share of the class itself; the bank has the rest. It costs the class `2σ² ln(4/3)` of its squared radius, 0.6 of about 20 (docs/ellipsoid.md).
const SHARE_OF_THE_CLASS: f64 = 0.75;
/// Length scales of the bank, for columns scaled to [0, 1], times the root of the number of columns.
const LENGTHSCALES: [f64; 3] = [0.15, 0.4, 1.0];
/// Signal variances of the bank, in units of the noise variance.
const SIGNALS: [f64; 3] = [10.0, 100.0, 1000.0];
/// The variance of the mean level, against the signal variance.
const LEVEL: f64 = 10.0;
/// Variances that the noise may have beyond the assumed one, in units of it: what finds a sigma that is too small.
const EXTRA_VARIANCES: [f64; 2] = [3.0, 10.0];
/// A bank member is a Gaussian process on this many inducing points at most: a bet need not be exact.
const MOST_FEATURES: usize = 64;
/// What the features of a bank member may leave out.
const LEFT_OUT: f64 = 1e-3;
/// After so many measurements the bank bets what the class bets: its choice is made by then, and a bet costs r².
pub(super) const LAST_OF_THE_BANK: u64 = 2000;

/// `N(mean, variance)` for the mean of one measurement, in the units in which its noise has variance σ²; the variance is in units of σ².
pub(super) struct Bet {
    pub(super) mean: f64,
    pub(super) variance: f64,
    /// What the measurement would teach: the covariance of everything with it.
    gain: Vec<f64>,
}

impl Bet {
    /// What it loses by an outcome, `e²/(1 + q)` and `ln(1 + q)`.
    pub(super) fn loss(&self, outcome: f64) -> Loss {
        let surprise = outcome - self.mean;
        Loss { surprise: surprise * surprise / (1.0 + self.variance), spread: self.variance.ln_1p() }
    }
}

/// What bets have lost: `surprise + σ² spread`, in units of the squared outcome.
#[derive(Debug, Clone, Copy, Default, PartialEq)]
pub(super) struct Loss {
    pub(super) surprise: f64,
    pub(super) spread: f64,
}

impl Loss {
    pub(super) fn add(&mut self, other: Loss) {
        self.surprise += other.surprise;
        self.spread += other.spread;
    }
}

/// A Gaussian model with parameters fixed before the first measurement: `y = ⟨ψ(x), w⟩ + noise`, w normal.
#[derive(Debug, Clone)]
pub(super) struct Bettor {
    name: String,
    /// ln of its share of the mixture.
    pub(super) log_share: f64,
    /// ψ, n × k; the features of the pool where there are none.
    features: Option<Arc<Matrix>>,
    /// What it predicts of every point before the first measurement; 0 where there is nothing.
    offset: Option<Arc<[f64]>>,
    mean: Vec<f64>,
    /// In units of σ², symmetric.
    covariance: Matrix,
    /// Noise beyond the assumed one, in units of σ².
    extra: f64,
}

impl Bettor {
    fn new(name: String, share: f64, features: Option<Arc<Matrix>>, variances: Vec<f64>, extra: f64) -> Self {
        let dimension = variances.len();
        let mut covariance = Matrix::zeros(dimension, dimension);
        (0..dimension).for_each(|k| covariance[(k, k)] = variances[k]);
        Self {
            name,
            log_share: share.ln(),
            features,
            offset: None,
            mean: vec![0.0; dimension],
            covariance,
            extra,
        }
    }

    /// What it is, for people.
    pub(super) fn name(&self) -> &str {
        &self.name
    }

    fn row<'a>(&'a self, of_the_pool: &'a Matrix, point: PointId) -> &'a [f64] {
        self.features.as_deref().unwrap_or(of_the_pool).row(point.index())
    }

    /// The bet on a measurement of `point` that counts `weight` times: on its outcome times √weight. Cost: k².
    pub(super) fn bet(&self, of_the_pool: &Matrix, point: PointId, weight: f64) -> Bet {
        let row = self.row(of_the_pool, point);
        let gain = apply(&self.covariance, row);
        let root = weight.sqrt();
        let latent = (weight * dot(row, &gain)).max(0.0);
        Bet {
            mean: root
                * (dot(row, &self.mean) + self.offset.as_ref().map_or(0.0, |offset| offset[point.index()])),
            variance: latent + self.extra,
            gain: gain.into_iter().map(|entry| root * entry).collect(),
        }
    }

    /// Supposes a point measured, without an outcome.
    pub(super) fn suppose(&mut self, of_the_pool: &Matrix, point: PointId, weight: f64) {
        let bet = self.bet(of_the_pool, point, weight);
        let mean = bet.mean;
        self.learn(bet, mean);
    }

    /// Whether it is one of the bank: a model of its own, not the class.
    pub(super) fn is_of_the_bank(&self) -> bool {
        self.features.is_some() && self.offset.is_none()
    }

    /// Whether it was given from outside.
    pub(super) fn is_believed(&self) -> bool {
        self.offset.is_some()
    }

    /// Learns the outcome (times √weight) that the bet was on. Cost: k².
    pub(super) fn learn(&mut self, bet: Bet, outcome: f64) {
        let shrink = 1.0 / (1.0 + bet.variance);
        add_scaled_row(&mut self.mean, shrink * (outcome - bet.mean), &bet.gain);
        for (k, &entry) in bet.gain.iter().enumerate() {
            add_scaled_row(self.covariance.row_mut(k), -shrink * entry, &bet.gain);
        }
    }
}

/// All that bet, the class first. Fixed by the question as it was before the first measurement.
pub(super) fn bettors(question: &Question, ridge: f64) -> Vec<Bettor> {
    let dimension = question.pool.dimension();
    let class = |name: &str, share, extra: f64| {
        Bettor::new(name.to_owned(), share, None, vec![1.0 / ridge; dimension], extra)
    };
    let bank = bank(question);
    let others = (bank.len() + EXTRA_VARIANCES.len()) as f64;
    let share = (1.0 - SHARE_OF_THE_CLASS) / others;
    let mut bettors = vec![class("the model itself", SHARE_OF_THE_CLASS, 0.0)];
    for extra in EXTRA_VARIANCES {
        let times = (1.0 + extra).sqrt();
        bettors.push(class(&format!("the model with {times:.1} times the noise"), share, extra));
    }
    for Member { lengthscale, signal, features } in bank {
        let k = features.columns() - 1;
        let mut variances = vec![signal; k];
        variances.push(LEVEL * signal);
        let name = format!("a smooth model (Matern 5/2, length scale {lengthscale:.2})");
        bettors.push(Bettor::new(name, share, Some(features), variances, 0.0));
    }
    let believers = believers(question);
    if !believers.is_empty() {
        bettors.iter_mut().for_each(|bettor| bettor.log_share += (1.0 - SHARE_OF_BELIEFS).ln());
        bettors.extend(believers);
    }
    bettors
}

/// What was believed beforehand, as models: the predicted mean, and errors of the stated size that go together as those of a smooth
/// model with a level of its own do.
fn believers(question: &Question) -> Vec<Bettor> {
    let sigma = question.assumptions.sigma_bound();
    if question.beliefs.is_empty() || !(sigma > 0.0) {
        return Vec::new();
    }
    let space = space(question).filter(|space| space.dimension() > 0);
    let of_space = space.and_then(|space| {
        let lengthscale = BELIEF_LENGTHSCALE * (space.dimension() as f64).sqrt();
        features(&space, lengthscale, question)
    });
    let base: &Matrix = of_space.as_deref().unwrap_or(question.pool.features());
    let share = SHARE_OF_BELIEFS / (question.beliefs.len() * MODESTY.len()) as f64;
    let mut believers = Vec::new();
    for belief in &question.beliefs {
        let offset: Arc<[f64]> = (0..base.rows()).map(|point| belief.of(point).0).collect();
        let mut scaled = base.clone();
        let scales: Vec<f64> = (0..base.rows())
            .map(|point| {
                let length = norm_squared(base.row(point)).sqrt();
                let deviation = belief.of(point).1 / sigma;
                if length > 0.0 { deviation / length } else { 0.0 }
            })
            .collect();
        scaled.scale_rows(&scales);
        let scaled = Arc::new(scaled);
        for modesty in MODESTY {
            let variances = vec![modesty * modesty; scaled.columns()];
            let bettor = Bettor::new(belief.name().to_owned(), share, Some(scaled.clone()), variances, 0.0);
            believers.push(Bettor { offset: Some(offset.clone()), ..bettor });
        }
    }
    believers
}

struct Member {
    lengthscale: f64,
    signal: f64,
    features: Arc<Matrix>,
}

/// Gaussian processes over the columns of the candidates; none where only a kernel matrix is known, or where there is no noise to
/// measure a signal by.
fn bank(question: &Question) -> Vec<Member> {
    let sigma = question.assumptions.sigma_bound();
    let Some(space) = space(question).filter(|space| space.dimension() > 0 && sigma > 0.0) else {
        return Vec::new();
    };
    let root = (space.dimension() as f64).sqrt();
    let mut members = Vec::new();
    for lengthscale in LENGTHSCALES.map(|length| length * root) {
        let Some(features) = features(&space, lengthscale, question) else { continue };
        let member = |signal| Member { lengthscale, signal, features: features.clone() };
        members.extend(SIGNALS.map(member));
    }
    members
}

/// The columns of the candidates: those of the question, or the features of a pool that has no kernel.
fn space(question: &Question) -> Option<Space> {
    let pool = &question.pool;
    question.space.clone().or_else(|| {
        let table = Columns::numeric(pool.features().clone());
        let few = pool.exact().is_none();
        few.then(|| Space::on_the_scale_of(question.begun_with, &table, None).ok()).flatten()
    })
}

/// The features of a unit-variance Gaussian process at the points, and a constant. Inducing points are taken from the points that there
/// were before the first measurement: those that come later do not change what was bet.
fn features(space: &Space, lengthscale: f64, question: &Question) -> Option<Arc<Matrix>> {
    let lengthscales = vec![lengthscale; space.dimension()];
    let parameters = Parameters { lengthscales, noise: 1.0, roughness: 1e-9 };
    let kernel = Covariance::new(space, &parameters);
    let begun_with = question.begun_with;
    let diagonal = (0..begun_with).map(|i| kernel.covariance(i, i)).collect();
    let column = |pivot: usize, out: &mut [f64]| {
        out.iter_mut().enumerate().for_each(|(i, value)| *value = kernel.covariance(i, pivot));
    };
    let stop = CholeskyStop { tolerance: LEFT_OUT, max_rank: Some(MOST_FEATURES) };
    let factorised = pivoted_cholesky(diagonal, column, stop).ok()?;
    let rank = factorised.pivots.len();
    let mut features = Matrix::zeros(question.pool.len(), rank + 1);
    for i in 0..question.pool.len() {
        let mut row: Vec<f64> = factorised.pivots.iter().map(|&pivot| kernel.covariance(i, pivot)).collect();
        factorised.triangle.extend_row(&mut row);
        row.push(1.0);
        features.row_mut(i).copy_from_slice(&row);
    }
    Some(Arc::new(features))
}
