//! One picture of each kind, to look at after a change: `cargo run --example gallery -- DIRECTORY`.

use std::error::Error;
use std::path::Path;

use elfving::numerics::Matrix;
use elfving_plot::{
    Axis, DesignView, Intervals, Lines, Picture, Series, design_picture, intervals_picture, lines_picture,
};

fn main() -> Result<(), Box<dyn Error>> {
    let directory = std::env::args().nth(1).unwrap_or_else(|| ".".to_owned());
    let write = |name: &str, picture: &Picture| -> Result<(), Box<dyn Error>> {
        std::fs::write(Path::new(&directory).join(format!("{name}.svg")), picture.to_svg())?;
        std::fs::write(Path::new(&directory).join(format!("{name}.png")), picture.to_png()?)?;
        Ok(())
    };
    for d in [1, 2, 6] {
        write(&format!("design-{d}d"), &design(d)?)?;
    }
    write("intervals", &intervals(30)?)?;
    write("intervals-many", &intervals(600)?)?;
    write("lines", &lines()?)?;
    write("lines-log", &log_lines()?)?;
    Ok(())
}

/// Numbers between 0 and 1 that look random.
fn noise(i: usize) -> f64 {
    ((i as f64 * 12.9898).sin() * 43758.5453).rem_euclid(1.0)
}

fn design(d: usize) -> Result<Picture, Box<dyn Error>> {
    let n = 120;
    let x = Matrix::from_fn(
        n,
        d,
        |i, k| if d == 1 { i as f64 / 119.0 } else { noise(i * d + k) * (k + 1) as f64 },
    );
    let names: Vec<String> = ["temperature (C)", "pH", "time (min)", "acid (M)", "stirring", "base (eq)"]
        [..d]
        .iter()
        .map(|name| name.to_string())
        .collect();
    let ids: Vec<String> = (0..n).map(|i| format!("R{i:03}")).collect();
    let mut weights: Vec<f64> = (0..n).map(|i| if i % 9 == 0 { 0.2 + noise(i + 7) } else { 0.0 }).collect();
    let total: f64 = weights.iter().sum();
    weights.iter_mut().for_each(|w| *w /= total);
    let variance: Vec<f64> =
        (0..n).map(|i| 8.0 - 2.0 * (i as f64 / 119.0 * 28.0).cos().abs() - noise(i) * 0.2).collect();
    Ok(design_picture(&DesignView {
        title: "G-optimal design on reactions.csv",
        subtitle: "value 8.000, certified within 3.1e-10 of the optimum; 14 of 120 candidates carry weight",
        coordinates: &x,
        names: &names,
        same_unit: false,
        ids: &ids,
        weights: &weights,
        variance: &variance,
    })?)
}

fn intervals(n: usize) -> Result<Picture, Box<dyn Error>> {
    let labels: Vec<String> = (0..n).map(|i| format!("candidate {i}")).collect();
    let estimates: Vec<f64> = (0..n).map(|i| 40.0 + 50.0 * noise(i)).collect();
    let low: Vec<f64> = estimates.iter().enumerate().map(|(i, x)| x - 2.0 - 6.0 * noise(i + 1)).collect();
    let high: Vec<f64> = estimates.iter().enumerate().map(|(i, x)| x + 2.0 + 6.0 * noise(i + 2)).collect();
    Ok(intervals_picture(&Intervals {
        title: "Estimated yield after round 3",
        subtitle: "all intervals hold together with probability 0.95",
        axis: "yield (%)",
        labels: &labels,
        estimates: &estimates,
        low: &low,
        high: &high,
        smallest_first: false,
    })?)
}

fn lines() -> Result<Picture, Box<dyn Error>> {
    let x: Vec<f64> = (0..80).map(|i| 25.0 * i as f64).collect();
    let curve = |slope: f64| -> Vec<f64> { x.iter().map(|x| slope * x.sqrt()).collect() };
    let band = |slope: f64| (curve(0.9 * slope), curve(1.15 * slope));
    let with_band = |name: &str, slope: f64| {
        Series::new(name, x.clone(), curve(slope)).band(band(slope).0, band(slope).1)
    };
    Ok(lines_picture(&Lines {
        title: "Regret on the RBF pool",
        subtitle: "mean of 40 runs, band: 10 % to 90 %",
        x: Axis::linear("samples"),
        y: Axis::linear("cumulative regret"),
        series: vec![with_band("RIPS", 3.0), with_band("PTR", 2.2), with_band("GP-UCB", 1.4)],
    })?)
}

fn log_lines() -> Result<Picture, Box<dyn Error>> {
    let n = vec![1e3, 3e3, 1e4, 3e4, 1e5, 3e5, 1e6];
    let seconds = |scale: f64| -> Vec<f64> { n.iter().map(|n| scale * n).collect() };
    Ok(lines_picture(&Lines {
        title: "Time to a certified design",
        subtitle: "criterion d, gap 1e-9, two threads",
        x: Axis::log("candidates"),
        y: Axis::log("seconds"),
        series: vec![
            Series::new("d = 5", n.clone(), seconds(2e-7)),
            Series::new("d = 20", n.clone(), seconds(1.1e-6)),
            Series::new("proportional to n", n.clone(), seconds(4e-6)).dashed(),
        ],
    })?)
}
