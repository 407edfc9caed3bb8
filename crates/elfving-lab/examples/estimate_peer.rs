//! The Rust side of `cargo xtask peers estimate`: reads arrays of little-endian `f64`, estimates, writes the answer and the time.
//!
//! `estimate_peer fit FOLDER D` fits `rows.bin` (m × D) to `values.bin`; `estimate_peer rips FOLDER D` estimates every row of
//! `rows.bin` from draws of `features.bin` (n × D): `draws.json`, `outcomes.bin` and `settings.bin` (σ, B, γ, δ).

use elfving::estimate::minimax::MinimaxProblem;
use elfving::estimate::{Assumptions, Rips, Sampled, Widths};
use elfving::numerics::Matrix;
use elfving::pool::{Pool, TargetRows, Targets};
use elfving::rounding::Draws;
use elfving::units::{Confidence, Ridge, Tolerance};
use std::borrow::Cow;
use std::error::Error;
use std::path::Path;
use std::time::Instant;

fn main() -> Result<(), Box<dyn Error>> {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let [task, folder, columns] = arguments.as_slice() else {
        return Err("usage: estimate_peer fit|rips FOLDER COLUMNS".into());
    };
    let (folder, columns) = (Path::new(folder), columns.parse()?);
    match task.as_str() {
        "fit" => fit(folder, columns),
        "rips" => rips(folder, columns),
        other => Err(format!("{other} is not a task").into()),
    }
}

fn fit(folder: &Path, columns: usize) -> Result<(), Box<dyn Error>> {
    let rows = matrix(&folder.join("rows.bin"), columns)?;
    let values = numbers(&folder.join("values.bin"))?;
    let scales = vec![1.0; values.len()];
    let start = Instant::now();
    let problem = MinimaxProblem::new(TargetRows::Rows(Cow::Borrowed(&rows)), &values, &scales)?;
    let fit = problem.solve(&vec![0.0; columns], Tolerance::new(1e-9)?);
    let seconds = start.elapsed().as_secs_f64();
    write(&folder.join("answer.bin"), &fit.theta)?;
    let certificate = fit.certificate;
    println!(
        "{}",
        serde_json::json!({
            "seconds": seconds, "residual": certificate.residual, "bound": certificate.bound,
            "relative_gap": certificate.relative_gap, "status": fit.status.to_string(),
            "iterations": fit.iterations, "passes": fit.passes,
        })
    );
    Ok(())
}

fn rips(folder: &Path, columns: usize) -> Result<(), Box<dyn Error>> {
    let pool = Pool::from_features(matrix(&folder.join("features.bin"), columns)?)?;
    let targets = Targets::Directions(matrix(&folder.join("rows.bin"), columns)?);
    let draws: Draws = serde_json::from_slice(&std::fs::read(folder.join("draws.json"))?)?;
    let outcomes = numbers(&folder.join("outcomes.bin"))?;
    let [sigma, bound, gamma, delta] = numbers(&folder.join("settings.bin"))?[..] else {
        return Err("four settings".into());
    };
    let rips =
        Rips::new(Assumptions::new(sigma)?.bound(bound)?, Confidence::new(delta)?).widths(Widths::Paper);
    let start = Instant::now();
    let sampled = Sampled::new(&pool, &draws, &outcomes, Ridge::new(gamma)?)?;
    let intervals = rips.intervals(&sampled, &targets)?;
    let seconds = start.elapsed().as_secs_f64();
    write(&folder.join("answer.bin"), &intervals.estimates())?;
    println!("{}", serde_json::json!({ "seconds": seconds, "width": intervals.largest_width() }));
    Ok(())
}

fn numbers(path: &Path) -> Result<Vec<f64>, Box<dyn Error>> {
    let bytes = std::fs::read(path)?;
    let number = |bytes: &[u8]| f64::from_le_bytes(bytes.try_into().expect("eight bytes a number"));
    Ok(bytes.chunks_exact(8).map(number).collect())
}

fn matrix(path: &Path, columns: usize) -> Result<Matrix, Box<dyn Error>> {
    let data = numbers(path)?;
    Ok(Matrix::from_row_major(data.len() / columns, columns, data))
}

fn write(path: &Path, numbers: &[f64]) -> Result<(), Box<dyn Error>> {
    let bytes: Vec<u8> = numbers.iter().flat_map(|number| number.to_le_bytes()).collect();
    Ok(std::fs::write(path, bytes)?)
}
