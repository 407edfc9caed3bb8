//! Ours, since the paper has none: its elimination algorithms, the ellipsoid and the baselines as bandits.

use super::findings::Found;
use super::{Claim, Curve, ExperimentError, Panel};
use crate::AnyAlgorithm;
use crate::baselines::Baseline;
use crate::simulate::{Environment, Law, RkhsFunction, Simulation};
use elfving::bandit::elimination::Constants;
use elfving::bandit::{Algorithm, Goal, Question};
use elfving::estimate::{Assumptions, Tails};
use elfving::numerics::Matrix;
use elfving::pool::{Factorisation, Points, Pool, kernels::Rbf};
use serde_json::json;
use std::sync::Arc;

const POINTS: usize = 100;
const NORM: f64 = 1.3;
const CENTRES: usize = 6;
const SIGMA: f64 = 0.1;
const HORIZON: u64 = 20_000;
const MISSPECIFICATION: f64 = 0.05;

/// One world: its name, the lengthscale, how far the truth is from the model, and the noise.
struct World {
    name: &'static str,
    title: &'static str,
    lengthscale: f64,
    misspecification: f64,
    law: Law,
}

const WORLDS: [World; 4] = [
    World {
        name: "smooth",
        title: "A smooth function, normal noise",
        lengthscale: 0.2,
        misspecification: 0.0,
        law: Law::Normal,
    },
    World {
        name: "rough",
        title: "A rough function, normal noise",
        lengthscale: 0.05,
        misspecification: 0.0,
        law: Law::Normal,
    },
    World {
        name: "misspecified",
        title: "Every mean moved by 0.05, which no algorithm is told",
        lengthscale: 0.2,
        misspecification: MISSPECIFICATION,
        law: Law::Normal,
    },
    World {
        name: "heavy-tails",
        title: "Student's t noise with 2.1 degrees of freedom",
        lengthscale: 0.2,
        misspecification: 0.0,
        law: Law::StudentT { degrees: 2.1 },
    },
];

const RIPS: AnyAlgorithm = AnyAlgorithm::Core(Algorithm::RipsRegret(Constants::Certified));
const RIPS_PAPER: AnyAlgorithm = AnyAlgorithm::Core(Algorithm::RipsRegret(Constants::Paper));
const GP_UCB: AnyAlgorithm = AnyAlgorithm::Baseline(Baseline::GpUcb);

const BASELINES: [Baseline; 7] = [
    Baseline::GpUcb,
    Baseline::IgpUcb,
    Baseline::GpTs,
    Baseline::KernelUcb,
    Baseline::Bpe,
    Baseline::Reds,
    Baseline::Random,
];

/// The algorithms for regret. In worlds without sub-Gaussian noise those that need it are left out.
fn algorithms(light: bool) -> Vec<AnyAlgorithm> {
    let needs_light = [
        Algorithm::PtrRegret(Constants::Certified),
        Algorithm::PtrRegret(Constants::Paper),
        Algorithm::EllipsoidRegret,
    ];
    let needs_light = needs_light.map(AnyAlgorithm::Core).into_iter().filter(|_| light);
    let baselines = BASELINES.map(AnyAlgorithm::Baseline);
    [RIPS, RIPS_PAPER].into_iter().chain(needs_light).chain(baselines).collect()
}

fn is_light(law: Law) -> bool {
    law == Law::Normal
}

/// Runs of one repetition.
pub(crate) fn runs() -> usize {
    WORLDS.iter().map(|world| algorithms(is_light(world.law)).len()).sum()
}

pub(crate) fn run(repeats: usize, seed: u64, progress: &(dyn Fn() + Sync)) -> Result<Found, ExperimentError> {
    let panels =
        WORLDS.iter().map(|world| panel(world, repeats, seed, progress)).collect::<Result<Vec<_>, _>>()?;
    let claims = claims(&panels);
    let parameters = json!({
        "points": POINTS, "kernel": "rbf", "norm": NORM, "centres": CENTRES, "sigma": SIGMA, "horizon": HORIZON,
        "delta": 0.05,
        "worlds": WORLDS.map(|world| json!({
            "name": world.name, "lengthscale": world.lengthscale, "misspecification": world.misspecification,
            "noise": world.law,
        })),
    });
    Ok(Found { parameters, panels, claims })
}

fn panel(
    world: &World,
    repeats: usize,
    seed: u64,
    progress: &(dyn Fn() + Sync),
) -> Result<Panel, ExperimentError> {
    let points = Points::new(Matrix::from_fn(POINTS, 1, |i, _| i as f64 / (POINTS - 1) as f64))?;
    let pool =
        Pool::from_kernel(Arc::new(Rbf::new(world.lengthscale)?), points, None, &Factorisation::default())?;
    let truth = RkhsFunction::random(&pool, CENTRES, NORM, seed)?;
    let environment =
        Environment::new(truth.means)?.misspecified(world.misspecification, seed)?.noise(world.law, SIGMA)?;
    let tails = if is_light(world.law) { Tails::SubGaussian } else { Tails::BoundedVariance };
    // |f| ≤ ‖f‖ under a kernel with k(x, x) = 1; and the same bound for the moved means.
    let assumptions = Assumptions::new(SIGMA)?.bound(NORM + world.misspecification)?.norm(NORM)?.tails(tails);
    let question = Question::new(pool, assumptions, Goal::Regret { horizon: Some(HORIZON) })?;
    let simulation = Simulation::new(HORIZON).repeats(repeats).seed(seed);
    let curve = |algorithm: AnyAlgorithm| -> Result<Curve, ExperimentError> {
        let policy = |seed| algorithm.start(question.clone().seed(seed));
        let runs = simulation.run_watched(&environment, policy, progress)?;
        let reference = matches!(algorithm, AnyAlgorithm::Baseline(_));
        let x = runs.checkpoints.iter().map(|&samples| samples as f64).collect();
        Ok(Curve { method: algorithm.name().to_owned(), x, y: runs.regret(), reference })
    };
    Ok(Panel {
        name: world.name.to_owned(),
        title: format!("Bandits: {}", world.title),
        subtitle: format!(
            "{POINTS} points, RBF {}, norm {NORM}, noise of deviation {SIGMA}, {repeats} repetitions",
            world.lengthscale
        ),
        x: "measurements".to_owned(),
        y: "cumulative regret".to_owned(),
        log_x: true,
        log_y: true,
        curves: algorithms(is_light(world.law)).into_iter().map(curve).collect::<Result<_, _>>()?,
    })
}

fn claims(panels: &[Panel]) -> Vec<Claim> {
    let last = |panel: &Panel, algorithm: AnyAlgorithm| {
        panel.curve(algorithm.name()).and_then(|curve| curve.at(HORIZON as f64)).map_or(f64::NAN, |y| y.mean)
    };
    let mut claims = Vec::new();
    for panel in panels {
        let (rips, paper) = (last(panel, RIPS), last(panel, RIPS_PAPER));
        claims.push(Claim {
            says: format!("certified constants lose less than the printed ones ({})", panel.name),
            measured: format!("regret {rips:.0} against {paper:.0} after {HORIZON} measurements"),
            holds: rips < paper,
        });
    }
    for panel in &panels[..2] {
        let (rips, ucb) = (last(panel, RIPS), last(panel, GP_UCB));
        claims.push(Claim {
            says: format!("elimination is competitive with GP-UCB at this horizon ({})", panel.name),
            measured: format!(
                "regret {rips:.0} against {ucb:.0}: its rounds pay for a proof with fresh data"
            ),
            holds: rips < 2.0 * ucb,
        });
    }
    claims
}
