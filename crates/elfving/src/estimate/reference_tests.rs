//! Every estimator against numbers computed elsewhere, without randomness.
//!
//! Six points in three dimensions, weights in proportion to 1, 2, ..., 6; x_t = t mod 6 for t = 0..59 and
//! y_t = mean + 0.3 sin t, with 5 added to y_17. These draws are not a sample of the weights, so they are put together here, from
//! weights that are exact in double precision.

use super::frame::Frame;
use super::minimax::{FitStatus, theta_hat};
use super::robust_mean::{Catoni, MedianOfMeans, MomentBound};
use super::{Assumptions, Counted, Intervals, Ips, LeastSquares, Rips, Sampled, Widths};
use crate::numerics::Matrix;
use crate::pool::{PointId, Pool, Subset, Targets};
use crate::rounding::Allocation;
use crate::units::{Confidence, Ridge, Tolerance};

const MEANS: [f64; 6] = [1.0, 0.3, -0.2, 0.9099999999999999, 0.34, 0.21];
const SQUARED_NORMS: [f64; 6] = [
    4.399937516653134,
    3.5331835140027468,
    3.1124813899933352,
    2.9410762104477755,
    1.5750504587822023,
    1.826468601329597,
];
const IPS: [f64; 6] = [
    1.2158988902793966,
    0.2812246553524868,
    -0.12108885941553431,
    1.0479864819423181,
    0.26560588074391955,
    0.3825749158725806,
];
const ALPHA: [f64; 6] = [
    0.1764462414436388,
    0.1969031067880709,
    0.2097887931326977,
    0.21581544750801315,
    0.29490927433507064,
    0.2738606035356944,
];
const W: [f64; 6] = [
    1.1949799437316875,
    0.28510680917441394,
    -0.12286791145810434,
    1.0393430221329147,
    0.2807655872118425,
    0.3490224718611426,
];
const FIT_RESIDUAL: f64 = 0.004351098748053677;
const FIT: [f64; 6] = [
    1.1858530668042335,
    0.2932854669733545,
    -0.13054421821367665,
    1.0353969736443116,
    0.280406654754954,
    0.3549028471658659,
];
const PAIR_SQUARED_NORMS: [f64; 15] = [
    9.864045713459157,
    10.17865037304077,
    2.5327484817488157,
    5.000557612001863,
    2.7273682864039683,
    3.1271572042991624,
    2.879450082808971,
    3.683219915739188,
    7.395342580948885,
    5.456964237129277,
    7.556397452946722,
    3.6738456283778724,
    2.836515574894514,
    3.7432016556038183,
    5.635016829837772,
];
const PAIR_W: [f64; 15] = [
    0.8946274143501326,
    1.3279261176452903,
    0.1526543102980069,
    0.8970384801109674,
    0.8301573691547645,
    0.42651233048736553,
    -0.7449334646226701,
    0.015512951969597942,
    -0.055183003720891965,
    -1.1647384134111323,
    -0.40329161688931814,
    -0.49081340184676925,
    0.7606153977721681,
    0.6750694343830868,
    -0.06216544054863624,
];
const PAIR_FIT_RESIDUAL: f64 = 0.003901467810346287;
const MEDIAN_OF_8_MEANS: [f64; 6] = [
    1.1464182075268718,
    0.301281636347233,
    -0.18645898846735315,
    1.06459834395715,
    0.3291982434003791,
    0.2808093647564077,
];
const RIDGE: [f64; 6] = [
    0.885834405688035,
    0.31654390770744195,
    -0.013122381190061969,
    0.8416648193768338,
    0.20042424957651475,
    0.27545958215725314,
];
const LEAST_SQUARES: [f64; 6] = [
    1.0396972689435695,
    0.3365360396904149,
    -0.03246287271615964,
    0.963363316043789,
    0.22789192198717664,
    0.32885660372526554,
];

fn pool() -> Pool {
    let rows = [
        [1.0, 0.0, 0.0],
        [0.0, 1.0, 0.0],
        [0.0, 0.0, 1.0],
        [0.7, 0.7, 0.0],
        [0.0, 0.6, -0.8],
        [0.5, -0.5, 0.7],
    ];
    Pool::from_features(Matrix::from_rows(&rows)).unwrap()
}

fn outcomes() -> Vec<f64> {
    let outcome = |t: usize| MEANS[t % 6] + 0.3 * (t as f64).sin() + if t == 17 { 5.0 } else { 0.0 };
    (0..60).map(outcome).collect()
}

fn sampled<'a>(pool: &'a Pool, outcomes: &'a [f64]) -> Sampled<'a> {
    let weights = (0..6).map(|i| (PointId::new(i), (i + 1) as f64 / 21.0));
    let frame = Frame::new(pool, weights, Ridge::new(0.05).unwrap()).unwrap();
    Sampled { frame, columns: (0..60).map(|t| t % 6).collect(), outcomes }
}

fn delta() -> Confidence {
    Confidence::new(0.05).unwrap()
}

fn rips(sampled: &Sampled<'_>, targets: &Targets) -> Intervals {
    let assumptions = Assumptions::new(0.3).unwrap().bound(1.0).unwrap();
    Rips::new(assumptions, delta()).widths(Widths::Paper).intervals(sampled, targets).unwrap()
}

fn close(got: &[f64], want: &[f64]) {
    assert_eq!(got.len(), want.len());
    for (got, want) in got.iter().zip(want) {
        assert!((got - want).abs() <= 1e-9 * want.abs().max(1e-2), "{got} against {want}");
    }
}

fn points() -> Targets {
    Targets::Points(Subset::All)
}

#[test]
fn rips_its_norms_and_its_alphas_have_their_reference_values() {
    let (pool, outcomes) = (pool(), outcomes());
    let intervals = rips(&sampled(&pool, &outcomes), &points());
    close(&intervals.estimates(), &W);
    let norms: Vec<f64> = intervals.intervals.iter().map(|v| v.norm * v.norm).collect();
    close(&norms, &SQUARED_NORMS);
    let catoni = Catoni::with_log_term((12.0f64 / 0.05).ln()).unwrap();
    let alpha = |norm: &f64| catoni.alpha(60, MomentBound::new(1.09 * norm).unwrap()).unwrap();
    close(&norms.iter().map(alpha).collect::<Vec<_>>(), &ALPHA);
    // The width is Catoni's: nu sqrt(2L / (n - 2L)).
    let twice = 2.0 * (12.0f64 / 0.05).ln();
    let width = |norm: &f64| (1.09 * norm * twice / (60.0 - twice)).sqrt();
    let widths: Vec<f64> = intervals.intervals.iter().map(|v| v.noise).collect();
    close(&widths, &norms.iter().map(width).collect::<Vec<_>>());
}

#[test]
fn rips_of_differences_has_its_reference_values() {
    let (pool, outcomes) = (pool(), outcomes());
    let intervals = rips(&sampled(&pool, &outcomes), &Targets::Differences(Subset::All));
    close(&intervals.estimates(), &PAIR_W);
    let norms: Vec<f64> = intervals.intervals.iter().map(|v| v.norm * v.norm).collect();
    close(&norms, &PAIR_SQUARED_NORMS);
}

#[test]
fn ips_ridge_and_least_squares_have_their_reference_values() {
    let (pool, outcomes) = (pool(), outcomes());
    close(&Ips::fit(&sampled(&pool, &outcomes)).predict(&pool, &points()).unwrap(), &IPS);
    let allocation = Allocation::new((0..6).map(|i| (PointId::new(i), 10)).collect()).unwrap();
    let by_point: Vec<f64> = (0..6).flat_map(|i| outcomes.iter().copied().skip(i).step_by(6)).collect();
    for (penalty, want) in [(60.0 * 0.05, RIDGE), (0.0, LEAST_SQUARES)] {
        let counted = Counted::new(&pool, &allocation, &by_point, Ridge::new(penalty).unwrap()).unwrap();
        close(&LeastSquares::fit(&counted).predict(&pool, &points()).unwrap(), &want);
        let estimator = LeastSquares::new(Assumptions::new(0.3).unwrap(), delta());
        close(&estimator.intervals(&counted, &points()).unwrap().estimates(), &want);
    }
}

#[test]
fn the_median_of_eight_means_has_its_reference_values() {
    let (pool, outcomes) = (pool(), outcomes());
    let sampled = sampled(&pool, &outcomes);
    let directions = sampled.frame.directions(&points()).unwrap();
    let block = directions.blocks().next().unwrap();
    let coefficients = directions.coefficients(&block);
    let mean = MedianOfMeans::with_blocks(8).unwrap();
    let of = |i: usize| {
        let samples: Vec<f64> =
            sampled.columns.iter().zip(&outcomes).map(|(&x, y)| coefficients[(i, x)] * y).collect();
        mean.of(&samples).unwrap()
    };
    close(&(0..6).map(of).collect::<Vec<_>>(), &MEDIAN_OF_8_MEANS);
}

#[test]
fn the_min_max_fit_has_its_reference_residual_on_points_and_on_differences() {
    let (pool, outcomes) = (pool(), outcomes());
    let sampled = sampled(&pool, &outcomes);
    let tolerance = Tolerance::new(1e-12).unwrap();
    let fit = theta_hat(&sampled, &points(), &rips(&sampled, &points()), tolerance).unwrap();
    assert_eq!(fit.status, FitStatus::Certified);
    close(&[fit.certificate.residual, fit.certificate.bound], &[FIT_RESIDUAL, FIT_RESIDUAL]);
    // Six targets in three dimensions: the best fit is unique here, so that it may be compared.
    let predicted = fit.fit.predict(&pool, &points()).unwrap();
    predicted
        .iter()
        .zip(FIT)
        .for_each(|(got, want)| assert!((got - want).abs() < 1e-9, "{got} against {want}"));
    let pairs = Targets::Differences(Subset::All);
    let fit = theta_hat(&sampled, &pairs, &rips(&sampled, &pairs), tolerance).unwrap();
    close(&[fit.certificate.residual], &[PAIR_FIT_RESIDUAL]);
}
