//! What the rounds have shown: who is in, and the statements of all rounds, kept so that their widths can be computed again
//! under other assumptions.

use super::groups::Groups;
use crate::bandit::{Decision, Elimination};
use crate::estimate::robust_mean::{Catoni, MomentBound};
use crate::estimate::{Assumptions, Evidence};
use crate::pool::{ChoiceId, PointId};
use std::collections::BTreeMap;

/// A mean, or a difference of two.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum About {
    /// The mean of a measurable point.
    Point(PointId),
    /// The mean of a choice that is not measurable.
    Choice(ChoiceId),
    /// The mean of the first choice less that of the second.
    Pair(ChoiceId, ChoiceId),
}

impl About {
    /// How many times h the mean may be from the model's value: once, and twice for a difference.
    pub(super) fn model_steps(self) -> f64 {
        match self {
            About::Point(_) | About::Choice(_) => 1.0,
            About::Pair(..) => 2.0,
        }
    }
}

/// How the noise of a round enters a width.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) enum Noise {
    /// The robust mean of this many independent draws.
    Drawn {
        /// n.
        draws: usize,
    },
    /// Sub-Gaussian noise at fixed counts.
    Counted,
}

/// One statement of a round.
#[derive(Debug, Clone)]
pub(super) struct Stated {
    pub about: About,
    pub evidence: Evidence,
}

/// Why a choice went out: what must hold for that to be right.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) enum Ground {
    /// The range of one mean lies above that of another.
    Ranges {
        /// The one above.
        winner: About,
        /// The one below.
        loser: About,
    },
    /// A difference (`sign` times that of statement `at`) exceeds `over` by more than its width.
    Difference {
        /// Which statement.
        at: usize,
        /// 1, or -1 for the other way round.
        sign: f64,
        /// What the difference must exceed.
        over: f64,
    },
}

/// What a round found, without its outcomes.
#[derive(Debug, Clone)]
pub(super) struct RoundRecord {
    pub noise: Noise,
    /// L_ℓ.
    pub log_term: f64,
    /// The points measured, with their σ as assumed, and the value m(x) their outcomes were centred at.
    pub points: Vec<PointId>,
    pub sigmas: Vec<f64>,
    pub centres: Vec<f64>,
    pub statements: Vec<Stated>,
    /// What the eliminations of this round rest on.
    pub grounds: Vec<Ground>,
}

/// Who is in, who went out, and what is known of the means.
pub(super) struct Ledger {
    groups: Groups,
    /// One choice for each group that is still in, in pool order.
    survivors: Vec<ChoiceId>,
    eliminated: Vec<Elimination>,
    records: Vec<RoundRecord>,
    known: Known,
    /// Whether a decision on record had no ground in the outcomes as they were recomputed.
    ungrounded: bool,
    /// Whether every survivor of some round was beaten by another.
    circular: bool,
}

impl Ledger {
    /// Everybody is in, and nothing is known but `|mean| ≤ B`.
    pub(super) fn new(groups: Groups, bound: Option<f64>) -> Self {
        Self {
            survivors: groups.names(),
            groups,
            eliminated: Vec::new(),
            records: Vec::new(),
            known: Known::within(bound),
            ungrounded: false,
            circular: false,
        }
    }

    pub(super) fn groups(&self) -> &Groups {
        &self.groups
    }

    pub(super) fn survivors(&self) -> &[ChoiceId] {
        &self.survivors
    }

    /// Every choice that is still in.
    pub(super) fn choices(&self) -> Vec<ChoiceId> {
        self.groups.expand(&self.survivors)
    }

    pub(super) fn eliminated(&self) -> &[Elimination] {
        &self.eliminated
    }

    pub(super) fn records(&self) -> &[RoundRecord] {
        &self.records
    }

    pub(super) fn known(&self) -> &Known {
        &self.known
    }

    /// Whether every decision follows from the records.
    pub(super) fn is_grounded(&self) -> bool {
        !self.ungrounded && !self.records.is_empty()
    }

    pub(super) fn decide(&mut self, decision: &Decision) {
        self.survivors = self.groups.named_in(&decision.survivors);
        self.eliminated.extend(&decision.eliminated);
    }

    pub(super) fn lose_ground(&mut self) {
        self.ungrounded = true;
    }

    /// The statements of a round beat every survivor by some other.
    pub(super) fn contradicts_itself(&mut self) {
        self.circular = true;
    }

    /// Whether statements contradict each other, or the bound B: some premise does not hold, or something of probability δ happened.
    pub(super) fn is_refuted(&self) -> bool {
        self.circular || self.known.contradicted
    }

    /// Takes in a round: its statements, and what these widths say of single means.
    pub(super) fn enter(&mut self, record: RoundRecord, widths: &[f64]) {
        self.known.learn(&record, widths);
        self.records.push(record);
    }
}

/// Ranges that are apart by less than this, relative to where they lie, touch.
const DISJOINT: f64 = 1e-9;

/// A mean known to lie between two numbers.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct Range {
    pub low: f64,
    pub high: f64,
}

impl Range {
    pub(super) fn middle(self) -> f64 {
        0.5 * (self.low + self.high)
    }

    pub(super) fn radius(self) -> f64 {
        0.5 * (self.high - self.low)
    }

    /// Both hold; when they contradict each other an earlier statement was wrong, and the later one stands alone.
    fn and(self, later: Range) -> Range {
        let both = Range { low: self.low.max(later.low), high: self.high.min(later.high) };
        if both.low <= both.high { both } else { later }
    }

    /// Whether two ranges do not meet, beyond rounding.
    fn excludes(self, later: Range) -> bool {
        let (low, high) = (self.low.max(later.low), self.high.min(later.high));
        low - high > DISJOINT * (low.abs() + high.abs())
    }
}

/// What is known of single means: of measurable points, and of choices when these are others.
#[derive(Debug, Clone, Default)]
pub(super) struct Known {
    ranges: BTreeMap<About, Range>,
    bound: f64,
    /// Whether two statements about one mean, or one and the bound, contradicted each other.
    contradicted: bool,
}

impl Known {
    /// Nothing but `|mean| ≤ B`.
    pub(super) fn within(bound: Option<f64>) -> Self {
        Self { ranges: BTreeMap::new(), bound: bound.unwrap_or(f64::INFINITY), contradicted: false }
    }

    pub(super) fn of(&self, about: About) -> Range {
        self.ranges.get(&about).copied().unwrap_or(Range { low: -self.bound, high: self.bound })
    }

    /// Whether anything but the bound is known.
    pub(super) fn has(&self, about: About) -> bool {
        self.ranges.contains_key(&about)
    }

    /// Takes in the statements about single means.
    pub(super) fn learn(&mut self, record: &RoundRecord, widths: &[f64]) {
        for (stated, width) in record.statements.iter().zip(widths) {
            if !matches!(stated.about, About::Pair(..)) {
                let estimate = stated.evidence.estimate;
                let found = Range { low: estimate - width, high: estimate + width };
                self.contradicted |= self.of(stated.about).excludes(found);
                let range = self.of(stated.about).and(found);
                self.ranges.insert(stated.about, range);
            }
        }
    }
}

/// Bounds below this fraction of B count as this: what is left is rounding.
const ROUNDING: f64 = 1e-12;

/// σ_x under these assumptions, for σ_x as it was assumed when the largest was `stated`; they keep their proportions.
fn sigma_under(assumptions: &Assumptions, sigma: f64, stated: f64) -> f64 {
    if stated > 0.0 { sigma * (assumptions.sigma / stated) } else { assumptions.sigma }
}

/// What the ridge and a wrong model may do, with the step from model to mean.
pub(super) fn bias(assumptions: &Assumptions, stated: &Stated) -> f64 {
    let Evidence { pull, reach, .. } = &stated.evidence;
    assumptions.norm.unwrap_or(0.0) * pull
        + assumptions.misspecification * (reach + stated.about.model_steps())
}

impl Ground {
    /// Whether it holds, for the ranges and widths after its round.
    fn holds(self, record: &RoundRecord, widths: &[f64], known: &Known) -> bool {
        match self {
            Ground::Ranges { winner, loser } => known.of(winner).low > known.of(loser).high,
            Ground::Difference { at, sign, over } => {
                sign * record.statements[at].evidence.estimate > over + widths[at]
            }
        }
    }
}

/// All rounds, under other premises than those they were planned for.
pub(super) struct Reviewed<'a> {
    /// The last round with its widths.
    pub last: Option<(&'a RoundRecord, Vec<f64>)>,
    /// Whether every elimination was right.
    pub stands: bool,
    /// What is known of single means.
    pub known: Known,
}

/// Goes through all rounds again: ranges, radii, widths and eliminations follow from the premises, estimates stay what they were.
///
/// No room is left for a bias that the premises do not name: what is computed is what they prove by themselves.
pub(super) fn review<'a>(
    rounds: &'a [RoundRecord],
    premises: &Assumptions,
    stated_sigma: f64,
) -> Reviewed<'a> {
    let mut known = Known::within(premises.bound);
    let (mut last, mut stands) = (None, true);
    for record in rounds {
        let widths = record.widths(premises, stated_sigma, &known, 0.0);
        known.learn(record, &widths);
        stands &= record.grounds.iter().all(|ground| ground.holds(record, &widths, &known));
        last = Some((record, widths));
    }
    Reviewed { last, stands, known }
}

impl RoundRecord {
    /// R_x at the measured points: how far the mean may be from m(x). 0 for counts, whose widths do not depend on it.
    fn radii(&self, known: &Known) -> Vec<f64> {
        let radius = |(id, centre): (&PointId, &f64)| {
            let Range { low, high } = known.of(About::Point(*id));
            (high - centre).max(centre - low).max(ROUNDING * known.bound)
        };
        self.points.iter().zip(&self.centres).map(radius).collect()
    }

    /// The widths of all statements, model and noise together: how far the *means* may be from the estimates.
    ///
    /// `room`: the least bias that is counted.
    pub(super) fn widths(
        &self,
        premises: &Assumptions,
        stated_sigma: f64,
        known: &Known,
        room: f64,
    ) -> Vec<f64> {
        let sigmas = self.sigmas.iter().map(|&sigma| sigma_under(premises, sigma, stated_sigma));
        let mut moments: Vec<f64> = sigmas.map(|sigma| sigma * sigma).collect();
        if matches!(self.noise, Noise::Drawn { .. }) {
            let radii = self.radii(known);
            moments.iter_mut().zip(radii).for_each(|(moment, radius)| *moment += radius * radius);
        }
        let width = |stated: &Stated| {
            let bias = bias(premises, stated).max(room);
            self.noise_width(&stated.evidence, &moments) + bias
        };
        self.statements.iter().map(width).collect()
    }

    /// Infinite when nothing is proved of the noise at these moments.
    fn noise_width(&self, evidence: &Evidence, moments: &[f64]) -> f64 {
        let moment = crate::numerics::dot(&evidence.shares, moments);
        match self.noise {
            Noise::Counted => (2.0 * self.log_term * moment).sqrt(),
            Noise::Drawn { draws } => {
                let bound = |moment: f64| MomentBound::new(moment).ok();
                let catoni = Catoni::with_log_term(self.log_term).expect("a union bound has L above log 2");
                let (Some(tuned), Some(actual)) = (bound(evidence.moment), bound(moment)) else {
                    return f64::INFINITY;
                };
                catoni.deviation_if(draws, tuned, actual).ok().flatten().unwrap_or(f64::INFINITY)
            }
        }
    }
}
