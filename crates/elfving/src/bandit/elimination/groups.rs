//! Choices that no measurement can tell apart are one candidate: they stay in or go out together.

use crate::pool::{ChoiceId, Pool};
use std::collections::{BTreeMap, BTreeSet};

/// Choices by their features, each group named after its first member.
#[derive(Debug, Clone)]
pub(super) struct Groups {
    members: BTreeMap<ChoiceId, Vec<ChoiceId>>,
    /// The name of every choice's group.
    names: Vec<ChoiceId>,
}

impl Groups {
    pub(super) fn new(pool: &Pool) -> Self {
        let mut members: BTreeMap<ChoiceId, Vec<ChoiceId>> =
            (0..pool.choice_count()).map(|i| (ChoiceId::new(i), vec![ChoiceId::new(i)])).collect();
        for group in pool.duplicate_choices() {
            group[1..].iter().for_each(|later| {
                members.remove(later);
            });
            members.insert(group[0], group);
        }
        let mut names: Vec<ChoiceId> = (0..pool.choice_count()).map(ChoiceId::new).collect();
        for (&name, group) in &members {
            group.iter().for_each(|member| names[member.index()] = name);
        }
        Self { members, names }
    }

    /// The group of a choice.
    pub(super) fn name_of(&self, choice: ChoiceId) -> ChoiceId {
        self.names[choice.index()]
    }

    /// One choice for each group, in pool order.
    pub(super) fn names(&self) -> Vec<ChoiceId> {
        self.members.keys().copied().collect()
    }

    /// The choices of one group, its name first.
    pub(super) fn members(&self, name: ChoiceId) -> &[ChoiceId] {
        &self.members[&name]
    }

    /// The choices of all these groups, in pool order.
    pub(super) fn expand(&self, names: &[ChoiceId]) -> Vec<ChoiceId> {
        let mut all: Vec<ChoiceId> = names.iter().flat_map(|name| self.members(*name)).copied().collect();
        all.sort_unstable();
        all
    }

    /// The groups that have a member in this list, in pool order.
    pub(super) fn named_in(&self, choices: &[ChoiceId]) -> Vec<ChoiceId> {
        let listed: BTreeSet<ChoiceId> = choices.iter().map(|&choice| self.name_of(choice)).collect();
        listed.into_iter().collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::numerics::Matrix;

    #[test]
    fn equal_features_are_one_candidate_named_after_its_first_member() {
        let pool =
            Pool::from_features(Matrix::from_rows(&[[1.0], [2.0], [1.0], [3.0], [2.0], [1.0]])).unwrap();
        let groups = Groups::new(&pool);
        let ids = |list: &[usize]| list.iter().map(|&i| ChoiceId::new(i)).collect::<Vec<_>>();
        assert_eq!(groups.names(), ids(&[0, 1, 3]));
        assert_eq!(groups.members(ChoiceId::new(0)), ids(&[0, 2, 5]));
        assert_eq!(groups.expand(&ids(&[1, 0])), ids(&[0, 1, 2, 4, 5]));
        assert_eq!(groups.named_in(&ids(&[2, 3])), ids(&[0, 3]));
    }
}
