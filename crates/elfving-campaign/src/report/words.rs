//! Numbers and recipes as people read them.

use serde_json::{Map, Value};

/// Columns that a recipe in one line may have, and letters that a cell of it is cut to.
const MOST_COLUMNS: usize = 8;
const MOST_LETTERS: usize = 24;

/// A candidate by what it is made of, in one line, by the names of its columns: `105 · KOAc · XPhos`. None where a line does not hold it.
pub(super) fn recipe(columns: &Map<String, Value>) -> Option<String> {
    let cell = |value: &Value| match value {
        Value::Null => "–".to_owned(),
        Value::String(text) if text.chars().count() > MOST_LETTERS => {
            format!("{}…", text.chars().take(MOST_LETTERS - 1).collect::<String>())
        }
        Value::String(text) => text.clone(),
        Value::Number(x) => x.as_f64().map_or_else(|| x.to_string(), number),
        other => other.to_string(),
    };
    let cells: Vec<String> = columns.values().map(cell).collect();
    (1..=MOST_COLUMNS).contains(&cells.len()).then(|| cells.join(" · "))
}

/// About four digits, without a tail of zeros.
pub fn number(x: f64) -> String {
    if x == 0.0 {
        return "0".to_owned();
    }
    let exponent = x.abs().log10().floor();
    if !(-4.0..7.0).contains(&exponent) {
        return format!("{x:.3e}");
    }
    let decimals = (3.0 - exponent).clamp(0.0, 8.0) as usize;
    let text = format!("{x:.decimals$}");
    if text.contains('.') { text.trim_end_matches('0').trim_end_matches('.').to_owned() } else { text }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_recipe_is_one_line_or_none() {
        let columns = |json: &str| serde_json::from_str::<Map<String, Value>>(json).unwrap();
        let reaction = columns(
            r#"{"base":"KOAc","ligand":"a name that is longer than the line","c":0.0570001,"T":105,"note":null}"#,
        );
        assert_eq!(recipe(&reaction).unwrap(), "105 · KOAc · 0.057 · a name that is longer t… · –");
        let many: Map<String, Value> = (0..9).map(|k| (k.to_string(), Value::from(k))).collect();
        assert_eq!((recipe(&many), recipe(&Map::new())), (None, None));
    }

    #[test]
    fn numbers_have_four_digits_and_no_tail() {
        for (x, text) in [
            (0.0, "0"),
            (0.5, "0.5"),
            (61.25, "61.25"),
            (1234.56, "1235"),
            (-0.012_345, "-0.01235"),
            (1e-9, "1.000e-9"),
            (2.5e12, "2.500e12"),
        ] {
            assert_eq!(number(x), text);
        }
    }
}
