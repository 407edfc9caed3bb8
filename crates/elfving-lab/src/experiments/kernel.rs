//! Experiment 2: a G-optimal design in the space of an RBF kernel, with fewer measurements than points.

use super::curves::{Point, curves, largest_error, repeat};
use super::findings::Found;
use super::normal::normals;
use super::{Claim, Curve, ExperimentError, Panel};
use crate::simulate::{RkhsFunction, Summary};
use elfving::design::{Control, Criterion, InteriorPoint, Problem, Solver};
use elfving::estimate::minimax::theta_hat;
use elfving::estimate::{Assumptions, Counted, Ips, LeastSquares, Rips, Sampled};
use elfving::numerics::Matrix;
use elfving::numerics::rng::Purpose;
use elfving::pool::{Factorisation, PointId, Points, Pool, Subset, Targets, kernels::Rbf};
use elfving::rounding::{Allocation, Constraints, Draws, ProjectThenRound, Request, Rounding};
use elfving::units::{Confidence, Ridge, Tolerance};
use serde_json::json;
use std::sync::Arc;

/// The last point is (m/m)²: 501 points, although the text says 500.
const M: usize = 500;
const LENGTHSCALE: f64 = 0.025;
const GAMMA: f64 = 0.005;
const DELTA: f64 = 0.05;
const BUDGETS: [u64; 10] = [50, 100, 150, 200, 250, 300, 350, 400, 450, 500];
/// θ* is not given in the text: random functions with this many centres and norm 1.
const CENTRES: usize = 20;
const FUNCTIONS: u64 = 8;

const NOISE: Purpose = Purpose::new("kernel-noise");

/// N(0, 0.05) with 0.05 a variance, and with 0.05 a standard deviation.
pub(crate) const NOISES: [(&str, f64); 2] = [("variance", 0.223_606_797_749_979), ("deviation", 0.05)];

const PTR: &str = "PTR";
const RIPS: &str = "RIPS";
const RIPS_W: &str = "RIPS, W alone";
const IPS: &str = "IPS";
const RIDGE: &str = "iid draws + ridge";
const NOTHING: &str = "predict 0";
const METHODS: [&str; 5] = [PTR, RIPS, RIPS_W, IPS, RIDGE];

struct Setting {
    pool: Pool,
    weights: Vec<(PointId, f64)>,
    allocations: Vec<Allocation>,
    functions: Vec<Vec<f64>>,
}

pub(crate) fn run(repeats: usize, seed: u64, progress: &(dyn Fn() + Sync)) -> Result<Found, ExperimentError> {
    let setting = Setting::new(seed)?;
    let at: Vec<f64> = BUDGETS.iter().map(|&budget| budget as f64).collect();
    let zero =
        Summary::of(setting.functions.iter().map(|means| largest_error(means, &vec![0.0; means.len()])));
    let mut panels = Vec::new();
    for (reading, sigma) in NOISES {
        let repetitions = repeat(repeats, progress, |repetition| setting.one(sigma, seed, repetition))?;
        let mut all = curves(&repetitions, &METHODS, &at);
        let (method, y) = (NOTHING.to_owned(), vec![zero; at.len()]);
        all.push(Curve { method, x: at.clone(), y, reference: true });
        panels.push(Panel {
            name: format!("noise-{reading}"),
            title: "Design in an RKHS: largest error over the pool".to_owned(),
            subtitle: format!(
                "{} points, RBF {LENGTHSCALE}, γ = {GAMMA}, noise N(0, 0.05) with 0.05 a {reading}, {repeats} repetitions",
                M + 1
            ),
            x: "measurements T".to_owned(),
            y: "largest error of a mean".to_owned(),
            log_x: false,
            log_y: false,
            curves: all,
        });
    }
    let claims = claims(&panels);
    let parameters = json!({
        "points": M + 1, "lengthscale": LENGTHSCALE, "gamma": GAMMA, "delta": DELTA, "budgets": BUDGETS,
        "centres": CENTRES, "functions": FUNCTIONS, "norm": 1.0,
        "noise": NOISES.map(|(reading, sigma)| json!({"reading": reading, "sigma": sigma})),
    });
    Ok(Found { parameters, panels, claims })
}

impl Setting {
    fn new(seed: u64) -> Result<Self, ExperimentError> {
        let points = Points::new(Matrix::from_fn(M + 1, 1, |i, _| (i as f64 / M as f64).powi(2)))?;
        let pool =
            Pool::from_kernel(Arc::new(Rbf::new(LENGTHSCALE)?), points, None, &Factorisation::default())?;
        let gamma = Ridge::new(GAMMA)?;
        let problem = Problem::over_choices(&pool, Criterion::G, gamma)?;
        let design = InteriorPoint::default().solve(&problem, &mut Control::new(Tolerance::new(1e-6)?))?;
        let rounded = |budget: u64| -> Result<Allocation, ExperimentError> {
            let request = Request::new(&problem, &design, budget, &Constraints::default())?;
            Ok(ProjectThenRound::default().round(&request)?.allocation)
        };
        let allocations = BUDGETS.into_iter().map(rounded).collect::<Result<_, _>>()?;
        let function =
            |k: u64| RkhsFunction::random(&pool, CENTRES, 1.0, seed.wrapping_add(k)).map(|f| f.means);
        let functions = (0..FUNCTIONS).map(function).collect::<Result<_, _>>()?;
        let weights = design.support().to_vec();
        Ok(Self { pool, weights, allocations, functions })
    }

    /// One repetition with one of the functions: every method at every budget.
    fn one(&self, sigma: f64, seed: u64, repetition: u64) -> Result<Vec<Point>, ExperimentError> {
        let means = &self.functions[(repetition % FUNCTIONS) as usize];
        let measure = |points: &[PointId]| -> Vec<f64> {
            let noise = normals(seed, repetition, NOISE, points.len());
            points.iter().zip(noise).map(|(point, noise)| means[point.index()] + sigma * noise).collect()
        };
        let targets = Targets::Points(Subset::All);
        let gamma = Ridge::new(GAMMA)?;
        // The largest value of a function of norm 1 under a kernel with k(x, x) = 1.
        let rips = Rips::new(Assumptions::new(sigma)?.bound(1.0)?, Confidence::new(DELTA)?);
        let mut errors = Vec::new();
        for (budget, allocation) in BUDGETS.into_iter().zip(&self.allocations) {
            let ridge = |allocation: &Allocation| -> Result<f64, ExperimentError> {
                let outcomes = measure(&allocation.slots());
                let penalty = Ridge::new(GAMMA * budget as f64)?;
                let counted = Counted::new(&self.pool, allocation, &outcomes, penalty)?;
                Ok(largest_error(&LeastSquares::fit(&counted).predict(&self.pool, &targets)?, means))
            };
            let at = budget as f64;
            errors.push((PTR, at, ridge(allocation)?));
            let draws = Draws::for_round(&self.weights, budget, seed, 1000 * repetition + budget)?;
            let outcomes = measure(draws.points());
            let sampled = Sampled::new(&self.pool, &draws, &outcomes, gamma)?;
            let robust = rips.intervals(&sampled, &targets)?;
            let fit = theta_hat(&sampled, &targets, &robust, Tolerance::new(1e-4)?)?;
            errors.push((RIPS, at, largest_error(&fit.fit.predict(&self.pool, &targets)?, means)));
            errors.push((RIPS_W, at, largest_error(&robust.estimates(), means)));
            let ips = Ips::fit(&sampled).predict(&self.pool, &targets)?;
            errors.push((IPS, at, largest_error(&ips, means)));
            errors.push((RIDGE, at, ridge(&Allocation::new(draws.counts())?)?));
        }
        Ok(errors)
    }
}

fn claims(panels: &[Panel]) -> Vec<Claim> {
    let mut claims = Vec::new();
    for panel in panels {
        let mean = |method: &str, x: u64| {
            panel.curve(method).and_then(|curve| curve.at(x as f64)).map_or(f64::NAN, |y| y.mean)
        };
        let average =
            |method: &str| BUDGETS.iter().map(|&x| mean(method, x)).sum::<f64>() / BUDGETS.len() as f64;
        let (ptr, rips, ips) = (average(PTR), average(RIPS), average(IPS));
        let ridge = average(RIDGE);
        claims.push(Claim {
            says: format!("PTR does slightly better than IPS and RIPS ({})", panel.name),
            measured: format!(
                "error averaged over T: PTR {ptr:.3}, RIPS {rips:.3}, IPS {ips:.3}; and iid draws with ridge regression \
                 {ridge:.3}"
            ),
            holds: ptr < rips && ptr < ips,
        });
        let zero = mean(NOTHING, BUDGETS[0]);
        let last = BUDGETS[BUDGETS.len() - 1];
        let worst = [PTR, RIPS, IPS].iter().map(|method| mean(method, last)).fold(0.0, f64::max);
        claims.push(Claim {
            says: format!(
                "all three have learned nontrivial estimates with T below the number of points ({})",
                panel.name
            ),
            measured: format!(
                "the worst of the three has error {worst:.3} at T = {last}; predicting 0 has {zero:.3}"
            ),
            holds: worst < zero,
        });
    }
    claims
}
