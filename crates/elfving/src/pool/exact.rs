//! The kernel itself, kept next to its factorisation so that answers can be checked without it.

use std::sync::Arc;

use crate::numerics::Matrix;

use super::{Kernel, Points};

/// Exact kernel values between the atoms of a pool.
///
/// Atom `i < n` is the measurable point in row i; when the pool has choices of its own, the atoms
/// from n on are the choices, in order.
#[derive(Debug, Clone)]
pub struct ExactKernel {
    source: Arc<Source>,
    /// Where each atom sits in the source: a restricted pool has fewer atoms than its parent.
    rows: Vec<usize>,
    /// The atom of the first choice: 0 when the pool chooses among itself.
    first_choice: usize,
}

#[derive(Debug)]
enum Source {
    Kernel { kernel: Arc<dyn Kernel>, points: Points },
    Gram(Matrix),
}

impl ExactKernel {
    pub(crate) fn from_kernel(kernel: Arc<dyn Kernel>, points: Points, first_choice: usize) -> Self {
        let rows = (0..points.len()).collect();
        Self { source: Arc::new(Source::Kernel { kernel, points }), rows, first_choice }
    }

    pub(crate) fn from_gram(gram: Matrix, first_choice: usize) -> Self {
        let rows = (0..gram.rows()).collect();
        Self { source: Arc::new(Source::Gram(gram)), rows, first_choice }
    }

    /// The same kernel on some of the measurable points and, if the pool has them, all its choices.
    pub(crate) fn restrict(&self, measurable: &[usize]) -> Self {
        let mut rows: Vec<usize> = measurable.iter().map(|&i| self.rows[i]).collect();
        let mut first_choice = 0;
        if self.first_choice > 0 {
            first_choice = rows.len();
            rows.extend_from_slice(&self.rows[self.first_choice..]);
        }
        Self { source: Arc::clone(&self.source), rows, first_choice }
    }

    /// The same kernel on the first n atoms, the measurable points.
    pub(crate) fn points_only(&self, n: usize) -> Self {
        Self { source: Arc::clone(&self.source), rows: self.rows[..n].to_vec(), first_choice: 0 }
    }

    /// The kernel between atoms `a` and `b`.
    ///
    /// # Panics
    /// When there is no such atom.
    pub fn value(&self, a: usize, b: usize) -> f64 {
        let (a, b) = (self.rows[a], self.rows[b]);
        match &*self.source {
            Source::Kernel { kernel, points } if a == b => kernel.diagonal(points.matrix().row(a)),
            Source::Kernel { kernel, points } => {
                kernel.evaluate(points.matrix().row(a), points.matrix().row(b))
            }
            Source::Gram(gram) => gram[(a, b)],
        }
    }

    /// The kernel between atom `a` and each of `others`, into `out`.
    ///
    /// # Panics
    /// When there is no such atom, or `out` and `others` differ in length.
    pub fn row(&self, a: usize, others: &[usize], out: &mut [f64]) {
        assert_eq!(others.len(), out.len(), "one slot for each atom");
        for (slot, &b) in out.iter_mut().zip(others) {
            *slot = self.value(a, b);
        }
    }

    /// The atom of choice `c`.
    pub fn choice_atom(&self, c: usize) -> usize {
        self.first_choice + c
    }

    /// Number of atoms.
    pub fn atoms(&self) -> usize {
        self.rows.len()
    }
}
