//! Cells and readings as people read them.

use elfving::bandit::Reading;
use elfving_campaign::{Span, number};
use serde_json::{Map, Value};

/// A cell of the user's table.
pub(super) fn cell(value: &Value) -> String {
    match value {
        Value::Null => String::new(),
        Value::String(text) => text.clone(),
        // As Rust prints it: 120, not 120.0.
        Value::Number(number) => number.as_f64().map_or_else(|| number.to_string(), |x| x.to_string()),
        other => other.to_string(),
    }
}

/// A row of the user's table in one line.
pub(super) fn recipe(columns: &Map<String, Value>) -> String {
    let cells = columns.iter().filter(|(_, value)| !value.is_null());
    cells.map(|(name, value)| format!("{name} {}", cell(value))).collect::<Vec<_>>().join(" · ")
}

pub(super) fn interval(span: Span) -> String {
    format!("{}, between {} and {}", number(span.estimate), number(span.lower), number(span.upper))
}

/// A reading with the digits that people read; the export has all of them.
pub(super) fn reading(reading: &Reading) -> String {
    match reading {
        Reading::Value(value) => number(*value),
        Reading::Repeats(values) => values.iter().map(|value| number(*value)).collect::<Vec<_>>().join("; "),
        Reading::WithError { value, standard_error } => {
            format!("{} ± {}", number(*value), number(*standard_error))
        }
        Reading::Summary { count, mean, .. } => format!("{} (mean of {count})", number(*mean)),
    }
}

/// What a field of a document says, in words: new fields appear without anybody's work.
pub(super) fn value(field: &Value) -> String {
    match field {
        Value::Null => "–".to_owned(),
        Value::Bool(true) => "yes".to_owned(),
        Value::Bool(false) => "no".to_owned(),
        Value::Number(given) => match given.as_f64() {
            Some(x) if !given.is_u64() && !given.is_i64() => number(x),
            _ => given.to_string(),
        },
        Value::String(text) => text.clone(),
        Value::Array(items) => items.iter().map(value).collect::<Vec<_>>().join("; "),
        Value::Object(fields) => {
            let said = fields.iter().filter(|(_, field)| !field.is_null());
            said.map(|(name, field)| format!("{}: {}", name.replace('_', " "), value(field)))
                .collect::<Vec<_>>()
                .join("; ")
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn a_field_that_nobody_knows_yet_has_words() {
        let field = json!({ "size": 12, "expected_gain": 0.123_456, "advice": "continue", "rival": null });
        assert_eq!(value(&field), "advice: continue; expected gain: 0.1235; size: 12");
    }
}
