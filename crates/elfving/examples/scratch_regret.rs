//! scratch
#[path = "../tests/support/mod.rs"]
mod support;
use elfving::design::*; use elfving::pool::*; use elfving::rounding::*; use elfving::units::*;
use std::time::Instant;
fn main() {
    let pool = Pool::from_features(support::paper_g()).unwrap();
    let problem = Problem::over_choices(&pool, Criterion::G, Ridge::ZERO).unwrap();
    let weights: Vec<(PointId, f64)> = (0..pool.len()).map(|i| (PointId::new(i), 1.0)).collect();
    for t in [500u64, 2000] {
        let request = Request::from_weights(&problem, &weights, t, &Constraints::default()).unwrap();
        for m in [1.0, 4.0, 16.0, 32.0] {
            let mut b = f64::INFINITY; let mut r=0.0;
            for _ in 0..3 { let s=Instant::now(); r=RegretMinimisation::default().alpha(m*50f64.sqrt()).round(&request).unwrap().report.ratio.unwrap(); b=b.min(s.elapsed().as_secs_f64()); }
            println!("T {t} m {m} {:.1} us/step ratio {r:.4}", b/t as f64*1e6);
        }
    }
}
