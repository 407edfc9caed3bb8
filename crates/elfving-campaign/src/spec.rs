//! The question of a campaign: everything that was decided before the first measurement.

use elfving::bandit::{Belief, Goal, Limits, TheoremName};
use elfving::named::named_enum;
use elfving_problem::AssumptionSpec;
use elfving_table::Decimal;
use serde::{Deserialize, Serialize};

use crate::layout::Layout;
use crate::recipe::Recipe;

/// What a campaign is about, as its first event keeps it.
///
/// | setter | default | meaning |
/// |---|---|---|
/// | [`new`](Self::new) | required | name, outcome column, aim, pool |
/// | [`goal`](Self::goal) | the best, ε = 0 | what is wanted |
/// | [`mode`](Self::mode) | certified | whether the answer is a theorem or practical |
/// | [`assumed`](Self::assumed) | nothing | what is assumed about noise and model |
/// | [`delta`](Self::delta) | 0.05 | the probability with which a certified verdict may be wrong |
/// | [`gamma`](Self::gamma) | chosen by the algorithm | the ridge |
/// | [`algorithm`](Self::algorithm) | `auto` | resolved when the campaign is created, and recorded with its reason |
/// | [`seed`](Self::seed) | 0 | of every random choice, run orders included |
/// | [`batch`](Self::batch) | 24 | slots handed out at a time, unless the asker says otherwise |
/// | [`budget`](Self::budget) | none | measurements in all, at most |
/// | [`worth`](Self::worth) | none | the gain below which a batch is not worth its cost |
/// | [`forbid`](Self::forbid) | none | candidates that are neither measured nor chosen |
/// | [`force`](Self::force) | none | candidates that are measured first |
/// | [`priors`](Self::priors) | none | predictions of every candidate, made before the first measurement |
/// | [`layout`](Self::layout) | nothing | plates, controls, and columns of which a batch holds few values |
/// | [`results`](Self::results) | plain numbers | how files of results are written |
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Spec {
    /// What the user calls the campaign.
    pub name: String,
    /// The column of the outcome, as it is headed in every batch and expected in every file of results.
    pub outcome: String,
    /// Whether large or small outcomes are good.
    pub aim: Aim,
    /// What is wanted, with large outcomes good.
    pub goal: Goal,
    /// Theorem or practice.
    pub mode: Mode,
    /// What is assumed about noise and model. In a file of format 1 it has the name it was first given.
    #[serde(rename = "vou\u{63}hed", alias = "assumptions")]
    pub assumed: AssumptionSpec,
    /// δ.
    pub delta: f64,
    /// What certified bounds rest on. A file that does not say so was begun with one ridge, and goes on with it.
    #[serde(default = "one_ridge", skip_serializing_if = "is_one_ridge")]
    pub theorem: TheoremName,
    /// The ridge, where the user sets it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub gamma: Option<f64>,
    /// The algorithm by name.
    pub algorithm: String,
    /// Why it was chosen.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub because: String,
    /// Of every random choice.
    pub seed: u64,
    /// Slots handed out at a time.
    pub batch: usize,
    /// Measurements in all, at most.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub budget: Option<u64>,
    /// The gain below which a batch is not worth its cost.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub worth: Option<f64>,
    /// How the attached files become a pool.
    pub recipe: Recipe,
    /// Candidates that are neither measured nor chosen.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub forbidden: Vec<String>,
    /// Candidates that are measured first.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub forced: Vec<String>,
    /// What was predicted of every candidate before the first measurement, in the user's units: it bets.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub priors: Vec<Belief>,
    /// How often one candidate may be measured.
    #[serde(default, skip_serializing_if = "Limits::are_none")]
    pub limits: Limits,
    /// Attempts that may fail before a candidate counts as infeasible.
    #[serde(default = "usual_tries", skip_serializing_if = "is_usual_tries")]
    pub tries: u64,
    /// What every batch looks like.
    #[serde(default, skip_serializing_if = "Layout::is_plain")]
    pub layout: Layout,
    /// How files of results are written.
    pub results: ResultsFormat,
}

fn one_ridge() -> TheoremName {
    TheoremName::OneRidge
}

fn is_one_ridge(theorem: &TheoremName) -> bool {
    *theorem == TheoremName::OneRidge
}

/// Two: one accident is no reason, two are.
fn usual_tries() -> u64 {
    2
}

fn is_usual_tries(tries: &u64) -> bool {
    *tries == usual_tries()
}

/// Which outcomes are good.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Aim {
    /// Large ones.
    Maximise,
    /// Small ones.
    Minimise,
}

named_enum! {
    /// What stands behind an answer.
    pub enum Mode: "mode" {
        /// A theorem under printed assumptions.
        Certified = "certified": "A theorem under the assumptions",
        /// A fitted model: practical, without proof.
        Calibrated = "calibrated": "A fitted model: practical, no proof",
    }
}

/// How files of results are written.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
#[serde(default)]
pub struct ResultsFormat {
    /// The decimal mark.
    pub decimal: Decimal,
    /// What texts such as `n.d.` mean in place of an outcome.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub markers: Vec<OutcomeMarker>,
    /// A column with the standard error of the outcome.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub error_column: Option<String>,
    /// Columns that hold the repeats of a slot, in place of the one outcome column.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub repeats: Vec<String>,
    /// Whether several lines of one slot are its repeats; otherwise they are refused.
    pub repeated_slots: bool,
}

/// A text that stands in place of an outcome, and what it means.
///
/// ```
/// use elfving_campaign::{OutcomeMarker, Meaning};
/// let below: OutcomeMarker = "<1=0.5".parse()?;
/// assert_eq!(below, OutcomeMarker { text: "<1".into(), means: Meaning::Number(0.5) });
/// let lost: OutcomeMarker = "n.d.=failed".parse()?;
/// assert_eq!(lost.means, Meaning::Failed);
/// # Ok::<(), String>(())
/// ```
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct OutcomeMarker {
    /// The text of the cell, without spaces around it.
    pub text: String,
    /// What it means.
    pub means: Meaning,
}

/// What a marker means.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Meaning {
    /// The measurement failed and has to be made again.
    Failed,
    /// This outcome.
    Number(f64),
}

impl std::str::FromStr for OutcomeMarker {
    type Err = String;

    fn from_str(declaration: &str) -> Result<Self, String> {
        let refused = || {
            format!(
                "{declaration:?}: write TEXT=failed or TEXT=NUMBER, for example \"n.d.=failed\" or \"<1=0.5\""
            )
        };
        let (text, meaning) = declaration.rsplit_once('=').ok_or_else(refused)?;
        let means = match meaning.trim() {
            "failed" => Meaning::Failed,
            number => Meaning::Number(
                number.parse::<f64>().ok().filter(|number| number.is_finite()).ok_or_else(refused)?,
            ),
        };
        match text.trim() {
            "" => Err(refused()),
            text => Ok(Self { text: text.to_owned(), means }),
        }
    }
}

impl Aim {
    /// What an outcome is multiplied by so that large is good.
    pub(crate) fn sign(self) -> f64 {
        match self {
            Aim::Maximise => 1.0,
            Aim::Minimise => -1.0,
        }
    }

    /// Worse than the best, in the user's direction.
    pub(crate) fn worse(self) -> &'static str {
        match self {
            Aim::Maximise => "below",
            Aim::Minimise => "above",
        }
    }
}

/// The question as other programs read it: with today's names, whatever the file calls them.
pub fn spec_for_programs(spec: &Spec) -> serde_json::Value {
    let mut value = serde_json::to_value(spec).expect("finite numbers and text have a JSON form");
    if let Some(fields) = value.as_object_mut()
        && let Some(assumed) = fields.remove("vou\u{63}hed")
    {
        fields.insert("assumptions".to_owned(), assumed);
    }
    // Whose predictions bet, not the thousands of numbers.
    if let Some(priors) = value.get_mut("priors") {
        *priors = spec.priors.iter().map(Belief::name).collect();
    }
    value
}

impl Spec {
    /// A certified search for the best candidate of a pool.
    pub fn new(name: impl Into<String>, outcome: impl Into<String>, aim: Aim, recipe: Recipe) -> Self {
        Self {
            name: name.into(),
            outcome: outcome.into(),
            aim,
            goal: Goal::Best { epsilon: 0.0 },
            mode: Mode::Certified,
            assumed: AssumptionSpec::default(),
            delta: 0.05,
            theorem: TheoremName::Witnesses,
            gamma: None,
            algorithm: "auto".to_owned(),
            because: String::new(),
            seed: 0,
            batch: 24,
            budget: None,
            worth: None,
            recipe,
            forbidden: Vec::new(),
            forced: Vec::new(),
            priors: Vec::new(),
            limits: Limits::default(),
            tries: usual_tries(),
            layout: Layout::default(),
            results: ResultsFormat::default(),
        }
    }

    /// Sets what is wanted.
    #[must_use]
    pub fn goal(mut self, goal: Goal) -> Self {
        self.goal = goal;
        self
    }

    /// Sets what stands behind the answer.
    #[must_use]
    pub fn mode(mut self, mode: Mode) -> Self {
        self.mode = mode;
        self
    }

    /// States what is assumed.
    #[must_use]
    pub fn assumed(mut self, assumed: AssumptionSpec) -> Self {
        self.assumed = assumed;
        self
    }

    /// Sets the probability with which a certified verdict may be wrong.
    #[must_use]
    pub fn delta(mut self, delta: f64) -> Self {
        self.delta = delta;
        self
    }

    /// Sets the ridge.
    #[must_use]
    pub fn gamma(mut self, gamma: Option<f64>) -> Self {
        self.gamma = gamma;
        self
    }

    /// Names the algorithm; `auto` chooses by what is assumed.
    #[must_use]
    pub fn algorithm(mut self, name: impl Into<String>) -> Self {
        self.algorithm = name.into();
        self
    }

    /// Sets the seed.
    #[must_use]
    pub fn seed(mut self, seed: u64) -> Self {
        self.seed = seed;
        self
    }

    /// Sets how many slots are handed out at a time.
    #[must_use]
    pub fn batch(mut self, batch: usize) -> Self {
        self.batch = batch;
        self
    }

    /// Limits the measurements.
    #[must_use]
    pub fn budget(mut self, budget: Option<u64>) -> Self {
        self.budget = budget;
        self
    }

    /// Says what a batch must be worth, in the units of the outcome.
    #[must_use]
    pub fn worth(mut self, worth: Option<f64>) -> Self {
        self.worth = worth;
        self
    }

    /// Leaves candidates out, by id.
    #[must_use]
    pub fn forbid(mut self, ids: Vec<String>) -> Self {
        self.forbidden = ids;
        self
    }

    /// Has candidates measured first, by id.
    #[must_use]
    pub fn force(mut self, ids: Vec<String>) -> Self {
        self.forced = ids;
        self
    }

    /// Lets predictions bet that were made before the first measurement; [`Draft::prior`](crate::Draft::prior) makes them of an earlier campaign.
    #[must_use]
    pub fn priors(mut self, priors: Vec<Belief>) -> Self {
        self.priors = priors;
        self
    }

    /// Limits how often one candidate may be measured.
    #[must_use]
    pub fn limits(mut self, limits: Limits) -> Self {
        self.limits = limits;
        self
    }

    /// Sets how often a candidate may fail before it counts as infeasible.
    #[must_use]
    pub fn tries(mut self, tries: u64) -> Self {
        self.tries = tries;
        self
    }

    /// Says what every batch looks like.
    #[must_use]
    pub fn layout(mut self, layout: Layout) -> Self {
        self.layout = layout;
        self
    }

    /// Says how files of results are written.
    #[must_use]
    pub fn results(mut self, results: ResultsFormat) -> Self {
        self.results = results;
        self
    }
}
