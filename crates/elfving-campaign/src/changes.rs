//! Changing one's mind: the budget, what is allowed, what is asked. Every change is an event with its reason.

use std::collections::HashSet;

use elfving::bandit::{Extension, Goal, Reading};
use elfving::pool::PointId;
use elfving_problem::Source;
use serde::Serialize;

use crate::at::At;
use crate::campaign::{Campaign, check, check_limits, setting};
use crate::engine;
use crate::error::CampaignError;
use crate::event::{Allowing, Barring, Changing, Event, Extending};
use crate::spec::{Mode, Spec};
use crate::state;
use crate::store::Attachment;

/// What a change did.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Changed {
    /// Candidates that it is about; none where the question itself changed.
    pub candidates: usize,
    /// Open slots that were dropped.
    pub dropped: usize,
    /// What it does to the guarantee, in a sentence.
    pub guarantee: String,
    /// The last event of the campaign now.
    pub event: u64,
}

impl Campaign {
    /// Changes what is asked from here on.
    ///
    /// # Errors
    /// [`CampaignError::Setting`] for what makes no sense, [`CampaignError::WholeRounds`] for what the algorithm's proof does not allow,
    /// and what appending finds.
    pub fn change_question(&mut self, changing: &Changing, at: At) -> Result<Changed, CampaignError> {
        self.change_question_by(|_| changing.clone(), at)
    }

    /// The same for a change that is made of the question as it stands: what another process changed just before is in it.
    ///
    /// # Errors
    /// Those of [`change_question`](Self::change_question).
    pub fn change_question_by(
        &mut self,
        changing: impl Fn(&Spec) -> Changing,
        at: At,
    ) -> Result<Changed, CampaignError> {
        let moves_epsilon = self.change(at, |campaign| {
            let changing = changing(&campaign.state.spec);
            campaign.check_change(&changing)?;
            let moves_epsilon = changing.epsilon.is_some();
            Ok((vec![Event::Changed(changing)], moves_epsilon))
        })?;
        let guarantee = match self.state.spec.mode {
            Mode::Certified if moves_epsilon => {
                "The guarantee holds: its bounds hold at all times at once, whenever one stops."
            }
            Mode::Certified => "The guarantee holds as before.",
            Mode::Calibrated => "Nothing was proved before, and nothing is now.",
        };
        Ok(Changed { candidates: 0, dropped: 0, guarantee: guarantee.to_owned(), event: self.head().event })
    }

    /// Refuses a change that makes no sense for the question as it stands.
    fn check_change(&self, changing: &Changing) -> Result<(), CampaignError> {
        check_reason(&changing.reason)?;
        let nothing =
            Changing { reason: changing.reason.clone(), by: changing.by.clone(), ..Changing::default() };
        if *changing == nothing {
            return Err(setting("say what changes: --budget, --batch, --epsilon, --worth, --max-repeats, --max-measurements, --tries, --plate, --control, --same or --at-most".to_owned()));
        }
        let mut spec = self.state.spec.clone();
        state::change(&mut spec, changing);
        check(&spec)?;
        if changing.epsilon.is_some() {
            self.check_epsilon()?;
        }
        let planned = self.state.planned();
        if let Some(Some(budget)) = changing.budget.filter(|budget| budget.is_some_and(|most| most < planned))
        {
            return Err(setting(format!(
                "{planned} measurements are asked for already; the budget cannot be {budget}"
            )));
        }
        spec.layout.check(self.candidates()?, spec.batch)?;
        let engine = engine::start(&spec, self.candidates()?)?;
        check_limits(&spec, &engine)
    }

    /// A goal may move where the bounds hold at all times and nobody is out because of it.
    fn check_epsilon(&self) -> Result<(), CampaignError> {
        match self.state.spec.goal {
            Goal::Regret { .. } => Err(setting("the goal has no epsilon".to_owned())),
            _ if !self.state.is_anytime() => Err(self.whole_rounds("epsilon cannot change")),
            Goal::AllGood { .. } if self.state.spec.mode == Mode::Certified => {
                Err(setting("epsilon cannot change: candidates are out because they are not that good; start a new campaign with --measured and this one's export".to_owned()))
            }
            _ => Ok(()),
        }
    }

    /// Candidates are neither measured nor chosen from here on: nobody wants them, or (`infeasible`) they cannot be measured. Their open
    /// slots are dropped; outcomes that still come are taken.
    ///
    /// # Errors
    /// [`CampaignError::UnknownCandidate`], [`CampaignError::WholeRounds`], and what appending finds.
    pub fn forbid(
        &mut self,
        ids: &[String],
        infeasible: bool,
        rule: Option<&str>,
        reason: &str,
        at: At,
    ) -> Result<Changed, CampaignError> {
        check_reason(reason)?;
        if !infeasible && !self.state.is_anytime() {
            return Err(self.whole_rounds("candidates cannot be forbidden later"));
        }
        let open = self.state.open().count();
        let count = self.change(at, |campaign| {
            let barred = |id: &&String| -> Result<bool, CampaignError> {
                let point = PointId::new(campaign.candidates()?.find(id)?);
                Ok(campaign.state.barred().get(&point).is_some_and(|bar| bar.infeasible == infeasible))
            };
            let (mut candidates, mut seen) = (Vec::new(), HashSet::new());
            for id in ids {
                if !barred(&id)? && seen.insert(id) {
                    candidates.push(id.clone());
                }
            }
            let count = candidates.len();
            let (reason, rule) = (reason.to_owned(), rule.map(str::to_owned));
            let event = Event::Barred(Barring { candidates, infeasible, reason, rule, by: None });
            Ok((if count == 0 { Vec::new() } else { vec![event] }, count))
        })?;
        let dropped = open.saturating_sub(self.state.open().count());
        self.settle(at)?;
        let guarantee = match self.state.spec.mode {
            Mode::Certified if self.state.waived().is_none() => {
                "The guarantee now speaks of the candidates that are left."
            }
            Mode::Certified => "Nothing is guaranteed any more.",
            Mode::Calibrated => "The pick is now among the candidates that are left.",
        };
        Ok(Changed { candidates: count, dropped, guarantee: guarantee.to_owned(), event: self.head().event })
    }

    /// Candidates may be measured and chosen again.
    ///
    /// # Errors
    /// [`CampaignError::UnknownCandidate`], [`CampaignError::Setting`] for one that was left out when the campaign began, and what
    /// appending finds.
    pub fn allow(&mut self, ids: &[String], reason: &str, at: At) -> Result<Changed, CampaignError> {
        check_reason(reason)?;
        if let Some(id) = ids.iter().find(|id| self.state.spec.forbidden.contains(id)) {
            return Err(setting(format!(
                "{id:?} was left out when the campaign began and is not in it; start a new campaign with --measured and this one's export"
            )));
        }
        let count = self.change(at, |campaign| {
            let (mut candidates, mut seen) = (Vec::new(), HashSet::new());
            for id in ids {
                let point = PointId::new(campaign.candidates()?.find(id)?);
                if campaign.state.barred().contains_key(&point) && seen.insert(id) {
                    candidates.push(id.clone());
                }
            }
            let count = candidates.len();
            let event = Event::Allowed(Allowing { candidates, reason: reason.to_owned(), by: None });
            Ok((if count == 0 { Vec::new() } else { vec![event] }, count))
        })?;
        self.settle(at)?;
        let guarantee = "They may be measured and chosen again; what was measured of them counts.".to_owned();
        Ok(Changed { candidates: count, dropped: 0, guarantee, event: self.head().event })
    }

    /// Adds the candidates of a table with the same columns. The confidence ellipsoid covers them: its bounds hold for every function of the
    /// model. The calibrated mode predicts them on the scale there was. Algorithms by whole rounds refuse.
    ///
    /// # Errors
    /// [`CampaignError::WholeRounds`], what is wrong with the table, and what appending finds.
    pub fn extend(&mut self, more: Attachment, reason: &str, at: At) -> Result<Changed, CampaignError> {
        check_reason(reason)?;
        if !self.state.is_anytime() {
            return Err(self.whole_rounds("candidates cannot be added later"));
        }
        let (table, file) = (more.digest(), more.name.clone());
        let source = Source::Bytes { name: more.name.clone(), bytes: more.bytes.clone() };
        let added = self.change_with(&[more], at, |campaign| {
            let spec = campaign.state.spec.clone();
            if spec.recipe.more.contains(&table) || spec.recipe.pool == table {
                return Err(setting(format!("the candidates of {file} are in the campaign already")));
            }
            let recipe = &spec.recipe;
            let before = campaign.read_again()?;
            let (from, chosen_among) = (before.names().len(), recipe.targets.is_none());
            let features = before.feature_names().map_or(0, |names| names.len());
            let has_kernel = recipe.model.kernel().is_some();
            let rows = before.spec().read(&source)?;
            let candidates = before.extended(&rows)?;
            engine::start(&spec, &candidates)?;
            let new_features = candidates.feature_names().map_or(0, |names| names.len()) > features;
            let extension = Extension { from, to: candidates.names().len(), chosen_among };
            let (file, reason, by) = (file.clone(), reason.to_owned(), None);
            let event = Event::Extended(Extending { table, file, extension, reason, by });
            Ok((vec![event], (extension.to - extension.from, new_features && !has_kernel)))
        })?;
        let (added, new_coefficients) = added;
        self.settle(at)?;
        let guarantee = match self.state.spec.mode {
            Mode::Certified if self.state.waived().is_none() && new_coefficients => {
                "The guarantee covers them if the assumed norm does: the new category levels have coefficients of their own, which count in it."
            }
            Mode::Certified if self.state.waived().is_none() => {
                "The guarantee covers them: its bounds hold for every function of the model, wherever it is evaluated."
            }
            Mode::Certified => "Nothing is guaranteed any more.",
            Mode::Calibrated => "They may be measured and chosen like the others.",
        };
        let (guarantee, event) = (guarantee.to_owned(), self.head().event);
        Ok(Changed { candidates: added, dropped: 0, guarantee, event })
    }

    /// Every measurement there is, by candidate: what the campaign asked for and what nobody did.
    ///
    /// # Errors
    /// [`CampaignError::Damaged`] when the attached files are not as they were.
    pub fn measurements(&self) -> Result<Vec<(String, Reading)>, CampaignError> {
        let names = self.candidates()?.names();
        let name = |point: PointId| names.name(point.index()).into_owned();
        let told = self.state.slots().filter_map(|(_, point, slot)| match &slot.state {
            elfving::bandit::SlotState::Told(reading) => Some((name(point), reading.clone())),
            _ => None,
        });
        let brought = self.state.brought().iter().map(|(point, reading)| (name(*point), reading.clone()));
        Ok(told.chain(brought).collect())
    }
}

fn check_reason(reason: &str) -> Result<(), CampaignError> {
    if reason.trim().is_empty() {
        return Err(setting("a change needs its reason: it stays on record".to_owned()));
    }
    Ok(())
}
