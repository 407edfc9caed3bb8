//! Which category of which term needs a feature per level, and which one less.
//!
//! A category with all its levels spans the constant as well; written out, `a:b` is `1 + a⁻ + b⁻ + a⁻:b⁻` with `x⁻` one level less. A
//! term takes from that sum what no earlier term with the same numbers has, and writes it in as few products as possible: `1 + a⁻` is
//! `a` with all its levels. So the features are never collinear by construction, whatever is left out of the formula (the rule of R and
//! of patsy).

use std::collections::{BTreeMap, BTreeSet};

use super::Term;

/// More categories in one term than this are taken for a mistake.
pub(super) const MOST_CATEGORIES: usize = 12;

/// A product: its factors, and whether each has all its levels. Numbers always have.
pub(super) type Product = Vec<(usize, bool)>;

/// The products of every term, in order.
pub(super) fn products(terms: &[Term], is_category: &dyn Fn(usize) -> bool) -> Vec<Vec<Product>> {
    let mut spanned: BTreeMap<Vec<usize>, BTreeSet<Vec<usize>>> = BTreeMap::new();
    terms.iter().map(|term| of_term(term, is_category, &mut spanned)).collect()
}

fn of_term(
    term: &Term,
    is_category: &dyn Fn(usize) -> bool,
    spanned: &mut BTreeMap<Vec<usize>, BTreeSet<Vec<usize>>>,
) -> Vec<Product> {
    let (categories, numbers): (Vec<usize>, Vec<usize>) =
        term.iter().partition(|factor| is_category(**factor));
    let spanned = spanned.entry(numbers).or_default();
    let mut parts: Vec<BTreeMap<usize, bool>> = subsets(&categories)
        .into_iter()
        .filter(|subset| spanned.insert(subset.clone()))
        .map(|subset| subset.into_iter().map(|factor| (factor, false)).collect())
        .collect();
    while let Some((short, long, factor)) = joinable(&parts) {
        let mut joined = parts[short].clone();
        joined.insert(factor, true);
        parts[long] = joined;
        parts.remove(short);
    }
    let full = |part: &BTreeMap<usize, bool>| -> Product {
        term.iter()
            .filter(|factor| !is_category(**factor) || part.contains_key(factor))
            .map(|factor| (*factor, part.get(factor).copied().unwrap_or(true)))
            .collect()
    };
    parts.iter().map(full).collect()
}

/// All subsets, small ones first.
fn subsets(of: &[usize]) -> Vec<Vec<usize>> {
    let mut all: Vec<Vec<usize>> = (0..1usize << of.len())
        .map(|mask| (0..of.len()).filter(|k| mask >> k & 1 == 1).map(|k| of[k]).collect())
        .collect();
    all.sort_by(|a, b| a.len().cmp(&b.len()).then_with(|| a.cmp(b)));
    all
}

/// Two parts of which the second is the first times one category less a level: together that category has all its levels.
fn joinable(parts: &[BTreeMap<usize, bool>]) -> Option<(usize, usize, usize)> {
    for (short, few) in parts.iter().enumerate() {
        for (long, many) in parts.iter().enumerate().skip(short + 1) {
            if many.len() == few.len() + 1 && few.iter().all(|(factor, full)| many.get(factor) == Some(full))
            {
                let extra = many.keys().find(|factor| !few.contains_key(factor)).expect("one more factor");
                return Some((short, long, *extra));
            }
        }
    }
    None
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_category_has_all_levels_where_nothing_before_spans_the_constant() {
        let all = |_| true;
        assert_eq!(products(&[vec![], vec![0]], &all), [vec![vec![]], vec![vec![(0, false)]]]);
        assert_eq!(products(&[vec![0]], &all), [vec![vec![(0, true)]]]);
        // 0 + a + b: the second one less.
        assert_eq!(products(&[vec![0], vec![1]], &all), [vec![vec![(0, true)]], vec![vec![(1, false)]]]);
    }

    #[test]
    fn an_interaction_takes_what_its_main_effects_left() {
        let all = |_| true;
        // 1 + a + a:b, which is a/b: b one less, within all levels of a.
        let nested = products(&[vec![], vec![0], vec![0, 1]], &all);
        assert_eq!(nested[2], [vec![(0, true), (1, false)]]);
        // 1 + a:b: b one less by itself, then a one less with all of b.
        let alone = products(&[vec![], vec![0, 1]], &all);
        assert_eq!(alone[1].len(), 2);
        // Numbers have columns of their own: x:a beside 1 + a, without x, needs all levels.
        let slopes = products(&[vec![], vec![0], vec![0, 1]], &|factor| factor == 0);
        assert_eq!(slopes[2], [vec![(0, true), (1, true)]]);
    }
}
