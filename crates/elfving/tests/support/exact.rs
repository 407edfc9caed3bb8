//! `M = Σ λ x xᵀ + γI` without rounding: every f64 is a whole number over a power of two, so determinants of whole numbers
//! say everything.

use elfving::numerics::Matrix;
use num_bigint::{BigInt, Sign};

/// Every entry is a whole number of 2⁻¹¹⁰⁰; weights are of 2⁻²²⁰⁰.
const SHIFT: i64 = 1100;

/// `x · 2^shift`.
fn whole(x: f64, shift: i64) -> BigInt {
    assert!(x.is_finite());
    let bits = x.to_bits();
    let exponent = ((bits >> 52) & 0x7ff) as i64;
    let mantissa = (bits & ((1 << 52) - 1)) | if exponent == 0 { 0 } else { 1 << 52 };
    let by = exponent.max(1) - 1075 + shift;
    let number = BigInt::from(if x < 0.0 { -(mantissa as i64) } else { mantissa as i64 });
    assert!(by >= 0, "the shift is too small");
    number << by as u64
}

/// `a / b`, to the last digits of f64.
fn quotient(a: &BigInt, b: &BigInt) -> f64 {
    if a.sign() == Sign::NoSign {
        return 0.0;
    }
    let places = 128 + b.bits() as i64 - a.bits() as i64;
    let shifted = if places >= 0 { (a << places as u64) / b } else { a / (b << (-places) as u64) };
    let (sign, digits) = shifted.to_u64_digits();
    let mantissa = digits.iter().rev().fold(0.0, |sum, &digit| sum * 2f64.powi(64) + digit as f64);
    let value = scaled(mantissa, -places);
    if sign == Sign::Minus { -value } else { value }
}

/// `x · 2^by`, in steps that stay in range.
fn scaled(x: f64, by: i64) -> f64 {
    let step = |by: i64| 2f64.powi(by.clamp(-1000, 1000) as i32);
    let rest = by - by.clamp(-1000, 1000);
    if rest == 0 { x * step(by) } else { scaled(x * step(by), rest) }
}

fn logarithm(x: &BigInt) -> f64 {
    let extra = (x.bits() as i64 - 128).max(0);
    let (_, digits) = (x >> extra as u64).to_u64_digits();
    let top = digits.iter().rev().fold(0.0, |sum, &digit| sum * 2f64.powi(64) + digit as f64);
    top.ln() + extra as f64 * std::f64::consts::LN_2
}

/// The determinant, by elimination without fractions (Bareiss 1968).
fn determinant(mut m: Vec<Vec<BigInt>>) -> BigInt {
    let n = m.len();
    let (mut before, mut sign) = (BigInt::from(1), 1);
    for k in 0..n {
        let Some(pivot) = (k..n).find(|&i| m[i][k].sign() != Sign::NoSign) else { return BigInt::from(0) };
        if pivot != k {
            m.swap(pivot, k);
            sign = -sign;
        }
        for i in k + 1..n {
            for j in k + 1..n {
                m[i][j] = (&m[i][j] * &m[k][k] - &m[i][k] * &m[k][j]) / &before;
            }
        }
        before = m[k][k].clone();
    }
    before * sign
}

/// The columns of a largest independent set.
fn pivots(mut m: Vec<Vec<BigInt>>) -> Vec<usize> {
    let columns = m.first().map_or(0, Vec::len);
    let (mut row, mut found) = (0, Vec::new());
    for k in 0..columns {
        let Some(pivot) = (row..m.len()).find(|&i| m[i][k].sign() != Sign::NoSign) else { continue };
        m.swap(pivot, row);
        for i in row + 1..m.len() {
            let (a, b) = (m[row][k].clone(), m[i][k].clone());
            for j in k..columns {
                m[i][j] = &m[i][j] * &a - &m[row][j] * &b;
            }
        }
        found.push(k);
        row += 1;
    }
    found
}

/// A vector, times 2^SHIFT.
#[derive(Clone)]
pub(crate) struct Vector(Vec<BigInt>);

impl Vector {
    pub(crate) fn of(v: &[f64]) -> Self {
        Self(v.iter().map(|&x| whole(x, SHIFT)).collect())
    }

    pub(crate) fn difference(a: &[f64], b: &[f64]) -> Self {
        Self(a.iter().zip(b).map(|(&x, &y)| whole(x, SHIFT) - whole(y, SHIFT)).collect())
    }
}

/// M of the weights, which are normalised exactly.
pub(crate) struct Information {
    rows: Vec<Vec<BigInt>>,
    /// M times the sum of the weights and 2^(4 SHIFT), on independent columns.
    matrix: Vec<Vec<BigInt>>,
    columns: Vec<usize>,
    dimension: usize,
    total: BigInt,
    determinant: BigInt,
}

impl Information {
    pub(crate) fn new(features: &Matrix, weights: &[(usize, f64)], gamma: f64) -> Self {
        let r = features.columns();
        let rows: Vec<Vec<BigInt>> = weights.iter().map(|&(i, _)| Vector::of(features.row(i)).0).collect();
        let shares: Vec<BigInt> = weights.iter().map(|&(_, w)| whole(w, 2 * SHIFT)).collect();
        let total: BigInt = shares.iter().sum();
        let ridge = whole(gamma, 2 * SHIFT) * &total;
        let columns = if gamma > 0.0 { (0..r).collect() } else { pivots(rows.clone()) };
        let entry = |j: usize, k: usize| {
            let sum: BigInt = rows.iter().zip(&shares).map(|(row, share)| share * &row[j] * &row[k]).sum();
            if j == k { sum + &ridge } else { sum }
        };
        let matrix: Vec<Vec<BigInt>> =
            columns.iter().map(|&j| columns.iter().map(|&k| entry(j, k)).collect()).collect();
        let rows = if gamma > 0.0 { Vec::new() } else { rows };
        let determinant = determinant(matrix.clone());
        Self { rows, matrix, columns, dimension: r, total, determinant }
    }

    pub(crate) fn rank(&self) -> usize {
        self.columns.len()
    }

    /// `log det M`, when M has full rank.
    pub(crate) fn log_det(&self) -> Option<f64> {
        let r = self.dimension as f64;
        let units = 2.0 * SHIFT as f64 * std::f64::consts::LN_2;
        (self.rank() == self.dimension)
            .then(|| logarithm(&self.determinant) - r * (logarithm(&self.total) + units))
    }

    /// `vᵀ M⁻¹ v`; none when v is outside the range of M.
    pub(crate) fn norm(&self, v: &Vector) -> Option<f64> {
        let seen = self.rows.is_empty() || {
            let mut rows = self.rows.clone();
            rows.push(v.0.clone());
            pivots(rows).len() == self.rank()
        };
        seen.then(|| self.cross(v, v))
    }

    /// `aᵀ M⁻¹ b` for a and b in the range of M: `-det [M b; aᵀ 0] / det M`.
    pub(crate) fn cross(&self, a: &Vector, b: &Vector) -> f64 {
        let mut bordered = self.matrix.clone();
        for (row, &j) in bordered.iter_mut().zip(&self.columns) {
            row.push(b.0[j].clone());
        }
        let mut last: Vec<BigInt> = self.columns.iter().map(|&j| a.0[j].clone()).collect();
        last.push(BigInt::from(0));
        bordered.push(last);
        // a and b carry 2^SHIFT each, M carries the weights and 2^(2 SHIFT).
        quotient(&(-determinant(bordered) * &self.total), &self.determinant)
    }
}
