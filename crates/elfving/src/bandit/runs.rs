//! Lists of choices as they are written: a long run of neighbours is a pair, its first and its last.
//!
//! Every decision lists who is still in. Written one by one, a hundred decisions about 100,000 candidates would be 60 MB, and be read
//! whenever somebody asks.

use crate::pool::ChoiceId;
use serde::{Deserialize, Deserializer, Serialize, Serializer};

/// Shorter runs are written one by one: small records look as they always did, and are as easy to read.
const SHORTEST: usize = 16;

#[derive(Serialize, Deserialize)]
#[serde(untagged)]
enum Part {
    One(ChoiceId),
    Run(ChoiceId, ChoiceId),
}

pub(super) fn serialize<S: Serializer>(choices: &[ChoiceId], out: S) -> Result<S::Ok, S::Error> {
    let runs = choices.chunk_by(|one, next| one.index() + 1 == next.index());
    let parts = runs.flat_map(|run| match run {
        [first, .., last] if run.len() >= SHORTEST => vec![Part::Run(*first, *last)],
        _ => run.iter().copied().map(Part::One).collect(),
    });
    out.collect_seq(parts)
}

pub(super) fn deserialize<'d, D: Deserializer<'d>>(from: D) -> Result<Vec<ChoiceId>, D::Error> {
    let parts: Vec<Part> = Vec::deserialize(from)?;
    let mut choices = Vec::new();
    for part in parts {
        match part {
            Part::One(choice) => choices.push(choice),
            Part::Run(first, last) => choices.extend((first.index()..=last.index()).map(ChoiceId::new)),
        }
    }
    Ok(choices)
}

#[cfg(test)]
mod tests {
    use crate::bandit::Decision;
    use crate::pool::ChoiceId;

    fn written(choices: impl Iterator<Item = usize>) -> String {
        let decision = Decision::keep(3, choices.map(ChoiceId::new).collect());
        let text = serde_json::to_string(&decision).unwrap();
        assert_eq!(serde_json::from_str::<Decision>(&text).unwrap(), decision);
        text
    }

    #[test]
    fn neighbours_are_written_as_a_pair_and_read_back_one_by_one() {
        let some = (5..20).chain([22]).chain(30..100_000);
        assert_eq!(
            written(some),
            r#"{"round":3,"survivors":[5,6,7,8,9,10,11,12,13,14,15,16,17,18,19,22,[30,99999]],"eliminated":[]}"#
        );
        assert_eq!(written(0..16), r#"{"round":3,"survivors":[[0,15]],"eliminated":[]}"#);
        assert_eq!(written(0..0), r#"{"round":3,"survivors":[],"eliminated":[]}"#);
    }

    #[test]
    fn records_that_list_every_choice_are_read_as_before() {
        let all: Vec<String> = (0..40).map(|k| k.to_string()).collect();
        let text = format!(r#"{{"round":1,"survivors":[{}],"eliminated":[]}}"#, all.join(","));
        let read: Decision = serde_json::from_str(&text).unwrap();
        assert_eq!(read.survivors, (0..40).map(ChoiceId::new).collect::<Vec<_>>());
    }
}
