//! What every one of the four policies has in common: settings, and the conversation.

/// The settings and the [`Policy`](crate::bandit::Policy) of a box around [`Phases`](super::phases::Phases).
macro_rules! elimination_policy {
    ($policy:ident, $goals:pat, $wanted:literal) => {
        // The saboteurs of the tests need no settings.
        #[cfg_attr(test, allow(dead_code, unreachable_pub))]
        impl $policy {
            /// Answers the question.
            ///
            /// # Errors
            /// [`BanditError::OtherGoal`], [`BanditError::NeedsAssumption`], and
            /// [`BanditError::ChoicesNotMeasurable`] for regret on two tables.
            pub fn new(question: crate::bandit::Question) -> Result<Self, BanditError> {
                if !matches!(question.goal, $goals) {
                    let (policy, goal) = (<Self as RoundRule>::NAME, question.goal.to_string());
                    return Err(BanditError::OtherGoal { policy, goal, wanted: $wanted });
                }
                Ok(Self(Phases::new::<Self>(question)?))
            }

            /// Certified constants (the default), or those printed in the paper.
            #[must_use]
            pub fn constants(mut self, constants: Constants) -> Self {
                self.0.set_constants(constants);
                self
            }

            /// What a difference must exceed besides its noise. [`Thresholds::Assumed`] is the default where S is given or no ridge needs
            /// it; elsewhere it is always [`Thresholds::Room`].
            ///
            /// [`Thresholds::Assumed`]: crate::bandit::elimination::Thresholds::Assumed
            /// [`Thresholds::Room`]: crate::bandit::elimination::Thresholds::Room
            #[must_use]
            pub fn thresholds(mut self, thresholds: crate::bandit::elimination::Thresholds) -> Self {
                self.0.set_thresholds(thresholds);
                self
            }

            /// Whether every elimination so far, and the answer if there is one, would follow from these assumptions too. The
            /// margins of the report are where this turns, one assumption at a time.
            pub fn would_stand(&self, assumptions: &crate::estimate::Assumptions) -> bool {
                self.0.stands(assumptions)
            }
        }

        impl crate::bandit::Policy for $policy {
            fn name(&self) -> &'static str {
                <Self as RoundRule>::NAME
            }

            fn plan(&mut self, wanted: &crate::bandit::Wanted) -> Result<crate::bandit::Next, BanditError> {
                self.0.plan::<Self>(wanted.batch, wanted.left)
            }

            fn learn(
                &mut self,
                plan: &Plan,
                readings: &[crate::bandit::Reading],
            ) -> Result<crate::bandit::Decision, BanditError> {
                self.0.learn::<Self>(plan, &crate::bandit::averages(readings))
            }

            fn apply(&mut self, decision: &crate::bandit::Decision) {
                self.0.apply(decision);
            }

            fn report(&self) -> crate::bandit::Report {
                self.0.report()
            }

            fn status(&self) -> crate::bandit::Status {
                self.0.status()
            }
        }
    };
}

pub(super) use elimination_policy;
