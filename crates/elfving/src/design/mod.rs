//! LAMBDA: weights on the pool.
mod canonical;
mod control;
mod interior_point;
pub use control::{Control, Progress};

#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
/// T
pub enum TargetRef {
    /// R
    Row(usize),
    /// P
    Pair(usize, usize),
}

/// E
#[derive(Debug)]
pub enum DesignError {
    /// B
    Breakdown,
}

#[cfg(test)]
mod probe {
    use super::*;
    use crate::linalg::*;
    use crate::pool::TargetRows;
    use crate::units::Tolerance;
    use std::borrow::Cow;
    use std::time::Instant;

    pub(crate) fn normals(seed: u64, rows: usize, cols: usize) -> Matrix {
        let out = |k: u64| { let mut z = seed.wrapping_add(k.wrapping_mul(0x9E3779B97F4A7C15)); z ^= z >> 30; z = z.wrapping_mul(0xBF58476D1CE4E5B9); z ^= z >> 27; z = z.wrapping_mul(0x94D049BB133111EB); z ^= z >> 31; ((z >> 11) as f64 + 0.5) * 2f64.powi(-53) };
        let mut data = Vec::with_capacity(rows * cols + 1);
        let mut k = 1;
        while data.len() < rows * cols { let (a, b) = (out(k), out(k + 1)); k += 2; let r = (-2.0 * a.ln()).sqrt(); let t = 2.0 * std::f64::consts::PI * b; data.push(r * t.cos()); data.push(r * t.sin()); }
        data.truncate(rows * cols);
        Matrix::from_row_major(rows, cols, data)
    }
    fn unit(mut m: Matrix, last: usize) -> Matrix {
        let d = m.columns();
        for i in 0..m.rows() { for j in d - last..d { m[(i, j)] *= 0.1f64.sqrt(); } let n = norm_squared(m.row(i)).sqrt(); m.row_mut(i).iter_mut().for_each(|v| *v /= n); }
        m
    }
    fn ridge(r: usize, g: f64) -> Matrix { Matrix::from_fn(r, r, |i, j| if i == j { g } else { 0.0 }) }
    fn run(name: &str, c: canonical::Canonical, tol: f64) {
        let t = Instant::now();
        let mut control = Control::new(Tolerance::new(tol).unwrap());
        let s = interior_point::solve(&c, None, &mut control);
        match s { Ok(s) => {
            let mut lam = vec![0.0; c.points.rows()]; for &(i, w) in &s.weights { lam[i] = w; }
            let mut m = weighted_gram(&c.points, &lam); add_scaled(&mut m, 1.0, &c.prior); let f = Cholesky::new(m).unwrap();
            let inv = f.inverse_lower().transposed();
            let v = match &c.goal { canonical::Goal::LogDet => f.log_det(), canonical::Goal::Trace{root,..} => { let mut w = root.clone(); f.whiten_rows(&mut w); norm_squared(w.as_slice()) }, canonical::Goal::Largest(TargetRows::Rows(v)) => row_norms(v, &inv).into_iter().fold(0.0, f64::max), canonical::Goal::Largest(TargetRows::Pairs(v)) => { let w = multiply(v, &inv); let mut b: f64 = 0.0; if w.rows() < 3000 { for i in 0..w.rows() { for j in 0..i { let d: f64 = w.row(i).iter().zip(w.row(j)).map(|(a, b)| (a - b) * (a - b)).sum(); b = b.max(d); } } } b } };
            let sup = s.weights.iter().filter(|w| w.1 > 1e-8).count();
            println!("{name}: value {v:.10} it {} passes {} set {} support {sup} targets {} active {} in {:.1} ms", s.iterations, s.passes, s.weights.len(), s.target_weights.len(), s.target_weights.iter().filter(|w| w.1 > 1e-8).count(), t.elapsed().as_secs_f64() * 1e3);
        }, Err(e) => println!("{name}: {e:?}") }
    }
    #[test]
    fn probe() {
        use canonical::{Canonical, Goal};
        let small = unit(normals(11, 60, 12), 10); let smallz = unit(normals(12, 15, 12), 0);
        for g in [0.0, 0.05] {
            run("small d", Canonical { points: Cow::Borrowed(&small), prior: ridge(12, g), goal: Goal::LogDet }, 1e-9);
            run("small a", Canonical { points: Cow::Borrowed(&small), prior: ridge(12, g), goal: Goal::Trace { moment: Matrix::identity(12), root: Matrix::identity(12) } }, 1e-9);
            run("small g", Canonical { points: Cow::Borrowed(&small), prior: ridge(12, g), goal: Goal::Largest(TargetRows::Rows(Cow::Borrowed(&small))) }, 1e-9);
            run("small xy", Canonical { points: Cow::Borrowed(&small), prior: ridge(12, g), goal: Goal::Largest(TargetRows::Pairs(Cow::Borrowed(&smallz))) }, 1e-9);
        }
        let pg = unit(normals(1, 1275, 50), 10);
        run("paper_g d", Canonical { points: Cow::Borrowed(&pg), prior: ridge(50, 0.0), goal: Goal::LogDet }, 1e-9);
        run("paper_g g .01", Canonical { points: Cow::Borrowed(&pg), prior: ridge(50, 0.01), goal: Goal::Largest(TargetRows::Rows(Cow::Borrowed(&pg))) }, 1e-9);
        let n = 501; let k = Matrix::from_fn(n, n, |i, j| { let (a, b) = ((i as f64 / 500.).powi(2), (j as f64 / 500.).powi(2)); (-(a - b) * (a - b) / (2.0 * 0.025 * 0.025)).exp() });
        // crude pivoted cholesky
        let mut d: Vec<f64> = (0..n).map(|i| k[(i, i)]).collect(); let mut cols: Vec<Vec<f64>> = vec![];
        loop { let (p, &m) = d.iter().enumerate().max_by(|a, b| a.1.total_cmp(b.1)).unwrap(); if m < 1e-12 { break; } let rt = m.sqrt(); let mut c: Vec<f64> = (0..n).map(|i| k[(i, p)]).collect(); for q in &cols { let f = q[p]; for i in 0..n { c[i] -= f * q[i]; } } for i in 0..n { c[i] /= rt; d[i] -= c[i] * c[i]; } d[p] = 0.0; cols.push(c); }
        let phi = Matrix::from_fn(n, cols.len(), |i, j| cols[j][i]);
        run("paper_rbf g .005", Canonical { points: Cow::Borrowed(&phi), prior: ridge(phi.columns(), 0.005), goal: Goal::Largest(TargetRows::Rows(Cow::Borrowed(&phi))) }, 1e-9);
        let p2 = unit(normals(21, 210, 20), 0);
        run("210x20 d", Canonical { points: Cow::Borrowed(&p2), prior: ridge(20, 0.0), goal: Goal::LogDet }, 1e-9);
        run("210x20 g .01", Canonical { points: Cow::Borrowed(&p2), prior: ridge(20, 0.01), goal: Goal::Largest(TargetRows::Rows(Cow::Borrowed(&p2))) }, 1e-9);
        let (x, z) = (normals(23, 1000, 20), normals(22, 200, 20));
        run("xy 200", Canonical { points: Cow::Borrowed(&x), prior: ridge(20, 0.01), goal: Goal::Largest(TargetRows::Pairs(Cow::Borrowed(&z))) }, 1e-9);
        let z = normals(22, 20000, 20);
        run("xy 20000", Canonical { points: Cow::Borrowed(&x), prior: ridge(20, 0.01), goal: Goal::Largest(TargetRows::Pairs(Cow::Borrowed(&z))) }, 1e-9);
        if std::env::var("BIG").is_ok() {
            let t = normals(4, 100_000, 50);
            run("tall d", Canonical { points: Cow::Borrowed(&t), prior: ridge(50, 0.0), goal: Goal::LogDet }, 1e-9);
            let m = normals(5, 1_000_000, 20);
            run("million d", Canonical { points: Cow::Borrowed(&m), prior: ridge(20, 0.0), goal: Goal::LogDet }, 1e-9);
            run("million g .01", Canonical { points: Cow::Borrowed(&m), prior: ridge(20, 0.01), goal: Goal::Largest(TargetRows::Rows(Cow::Borrowed(&m))) }, 1e-9);
        }
    }
}
