//! An allocation about to be improved: which measurements to give, which to take.

use rayon::prelude::*;

use super::super::Request;
use super::objective::{RankTwo, SwapLoss};
use crate::numerics::{Cholesky, multiply, row_norms};

/// Points looked at in turn, to give and to take: only when no pair of a list helps is the next one tried.
const SHORTLISTS: [(usize, usize); 3] = [(8, 16), (32, 64), (128, 256)];
/// Pairs checked on all targets before a shortlist is given up.
const CHECKS: usize = 4;
/// Improvements below this fraction are not worth a swap, and could be rounding.
const WORTH: f64 = 1e-7;

pub(super) struct Position<'r> {
    request: &'r Request<'r>,
    counts: &'r [u64],
    factor: Cholesky,
    /// One measurement as a share of all.
    share: f64,
    objective: SwapLoss,
}

impl<'r> Position<'r> {
    pub(super) fn new(request: &'r Request<'r>, counts: &'r [u64]) -> Self {
        let frame = &request.frame;
        let factor = frame.search_factor(&frame.information(&request.shares(counts)));
        let objective = SwapLoss::new(&frame.loss, &factor);
        let share = 1.0 / (counts.iter().sum::<u64>() + request.bounds.done_total) as f64;
        Self { request, counts, factor, share, objective }
    }

    /// The best swap (given, taken) of the first shortlist that has one.
    pub(super) fn improvement(&self) -> Option<(usize, usize)> {
        let (give, take) = self.rankings();
        let mut seen = (0, 0);
        SHORTLISTS.iter().find_map(|&(most_give, most_take)| {
            let lengths = (give.len().min(most_give), take.len().min(most_take));
            if lengths == seen {
                return None; // nothing new
            }
            seen = lengths;
            let pairs = self.promising(&give[..lengths.0], &take[..lengths.1]);
            pairs.into_iter().find(|&(given, taken)| self.helps(given, taken))
        })
    }

    /// Points to give, the least useful first, and points to take, the most useful first.
    fn rankings(&self) -> (Vec<usize>, Vec<usize>) {
        let (frame, bounds) = (&self.request.frame, &self.request.bounds);
        let whitening = self.factor.inverse_upper();
        let gradient = match self.objective.gradient_root() {
            None => row_norms(&frame.points, &whitening),
            Some(root) => row_norms(&frame.points, &multiply(&whitening, &root.transposed())),
        };
        let points = 0..self.counts.len();
        let mut give: Vec<usize> = points.clone().filter(|&i| self.counts[i] > bounds.lower[i]).collect();
        let mut take: Vec<usize> = points.filter(|&i| self.counts[i] < bounds.upper[i]).collect();
        give.sort_by(|&a, &b| gradient[a].total_cmp(&gradient[b]).then(a.cmp(&b)));
        take.sort_by(|&a, &b| gradient[b].total_cmp(&gradient[a]).then(a.cmp(&b)));
        (give, take)
    }

    /// For each point to give its best partner, when the pair improves the targets that decide; best pairs first.
    fn promising(&self, give: &[usize], take: &[usize]) -> Vec<(usize, usize)> {
        let whitened = |ids: &[usize]| {
            let mut rows = self.request.frame.points.select_rows(ids);
            self.factor.whiten_rows(&mut rows);
            let images = self.objective.images(&rows);
            (rows, images)
        };
        let ((given, given_images), (taken, taken_images)) = (whitened(give), whitened(take));
        let better = self.better_than();
        let mut pairs: Vec<(f64, usize, usize)> = (0..give.len())
            .into_par_iter()
            .filter_map(|a| {
                let value = |b: usize| {
                    let swap = RankTwo::new(self.share, given.row(a), taken.row(b));
                    self.objective.after(&swap, given_images.row(a), taken_images.row(b))
                };
                (0..take.len())
                    .filter(|&b| take[b] != give[a])
                    .map(|b| (value(b), give[a], take[b]))
                    .min_by(|x, y| x.0.total_cmp(&y.0))
            })
            .filter(|&(value, _, _)| value < better)
            .collect();
        pairs.sort_by(|x, y| x.0.total_cmp(&y.0).then((x.1, x.2).cmp(&(y.1, y.2))));
        pairs.truncate(CHECKS);
        pairs.into_iter().map(|(_, given, taken)| (given, taken)).collect()
    }

    /// Whether the swap improves the criterion on all targets.
    fn helps(&self, given: usize, taken: usize) -> bool {
        let mut counts = self.counts.to_vec();
        counts[given] -= 1;
        counts[taken] += 1;
        self.request.search_value(&counts) < self.better_than()
    }

    fn better_than(&self) -> f64 {
        match self.objective {
            // The difference of two log determinants is a fraction already.
            SwapLoss::LogDet { value } => value - WORTH,
            _ => self.objective.value() * (1.0 - WORTH),
        }
    }
}
