//! Results: told, failed, corrected, brought in.

use elfving::bandit::{Outcome, Reading};
use elfving_campaign::{CorrectDocument, ResultsFile, TellDocument, TellOptions, outcome_from_text};
use elfving_table::Decimal;
use serde::Deserialize;
use serde_json::{Map, Value, json};

use crate::call::{Answer, Answered, Call, JSON};
use crate::refusal::Refusal;
use crate::server::bare;

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct TellRequest {
    results: Vec<Map<String, Value>>,
}

/// Outcomes as JSON, or a file of results as the command line takes it.
pub(crate) fn tell(call: &mut Call) -> Answered {
    let dry_run = call.flag("dry_run")?;
    let options = TellOptions {
        correct: call.option("reason").map(str::to_owned),
        dry_run,
        all_new: call.flag("all_new")?,
        by: call.who.name().map(str::to_owned),
    };
    let decimal = match call.option("decimal") {
        None => None,
        Some(",") => Some(Decimal::Comma),
        Some(".") => Some(Decimal::Point),
        Some(other) => return Err(Refusal::malformed(format!("decimal is . or , and not {other:?}"))),
    };
    let request: Option<TellRequest> = if call.kind() == JSON { Some(call.json()?) } else { None };
    let file = file_name(call)?;
    let body = std::mem::take(&mut call.body);
    call.change(|open, at| {
        let outcome = open.campaign.spec().outcome.clone();
        let told = match &request {
            Some(request) => match outcomes(&request.results, &outcome) {
                Ok(outcomes) => {
                    let outcomes: Vec<(&str, Outcome)> =
                        outcomes.iter().map(|(slot, outcome)| (slot.as_str(), outcome.clone())).collect();
                    open.campaign.tell_outcomes(&outcomes, &options, at)?
                }
                Err(refusal) => return Ok(Err(refusal)),
            },
            None => {
                let mut format = open.campaign.spec().results.clone();
                format.decimal = decimal.unwrap_or(format.decimal);
                let results = ResultsFile::from_bytes(&file, &body, &format)?;
                open.campaign.tell(&results, &options, at)?
            }
        };
        let document = TellDocument::of(&told, &mut open.campaign, dry_run);
        Ok(Ok(Answer::json(&document).about(&open.campaign)))
    })?
}

/// What a file in the body is called: its extension says how it is read.
pub(super) fn file_name(call: &Call) -> Result<String, Refusal> {
    let given = call.option("file").map(bare);
    match (call.kind(), given) {
        (_, Some(name)) => Ok(name),
        ("text/csv" | JSON, None) => Ok("results.csv".to_owned()),
        ("application/vnd.openxmlformats-officedocument.spreadsheetml.sheet", None) => {
            Ok("results.xlsx".to_owned())
        }
        (kind, None) => Err(Refusal::malformed(format!("the body is {kind:?}, not a table"))
            .help("send Content-Type: text/csv, or name the file with ?file=results.xlsx")),
    }
}

/// `{"slot": .., OUTCOME: 93.1}`, with a number, a list of repeats, or `{"value": .., "standard_error": ..}`; or a `status`.
fn outcomes(results: &[Map<String, Value>], name: &str) -> Result<Vec<(String, Outcome)>, Refusal> {
    let outcome = |(k, line): (usize, &Map<String, Value>)| {
        let wrong = |what: &str| Refusal::malformed(format!("result {}: {what}", k + 1));
        let slot = line.get("slot").and_then(Value::as_str).ok_or_else(|| wrong("it has no \"slot\""))?;
        if let Some(field) = line.keys().find(|field| !["slot", "status", name].contains(&field.as_str())) {
            return Err(wrong(&format!("there is no field {field:?}"))
                .help(format!("the outcome is called {name:?}")));
        }
        let outcome = match (line.get("status").and_then(Value::as_str), line.get(name)) {
            (Some("failed"), None | Some(Value::Null)) => Outcome::Failed,
            (Some("infeasible"), None | Some(Value::Null)) => Outcome::Infeasible,
            (Some(status), None) => {
                return Err(wrong(&format!("status is failed or infeasible, not {status:?}")));
            }
            (Some(_), Some(_)) => return Err(wrong("it has an outcome and a status")),
            (None, Some(value)) => {
                Outcome::Measured(reading(value).ok_or_else(|| wrong(&format!("{value} is no outcome")))?)
            }
            (None, None) => {
                return Err(wrong(&format!("it has neither {name:?} nor a status"))
                    .help("leave out what was not measured yet"));
            }
        };
        Ok((slot.to_owned(), outcome))
    };
    results.iter().enumerate().map(outcome).collect()
}

/// A reading as events have it.
fn reading(value: &Value) -> Option<Reading> {
    match value {
        Value::Null => None,
        value => serde_json::from_value(value.clone()).ok(),
    }
}

#[derive(Debug, Default, Deserialize)]
#[serde(default, deny_unknown_fields)]
struct FailRequest {
    infeasible: bool,
}

pub(crate) fn fail(call: &mut Call) -> Answered {
    let request: FailRequest = call.json()?;
    let outcome = if request.infeasible { Outcome::Infeasible } else { Outcome::Failed };
    let (slot, by) = (call.named("slot").to_owned(), call.who.name().map(str::to_owned));
    let options = TellOptions { by, ..TellOptions::default() };
    call.change(|open, at| {
        let told = open.campaign.tell_outcomes(&[(&slot, outcome)], &options, at)?;
        let document = TellDocument::of(&told, &mut open.campaign, false);
        Ok(Answer::json(&document).about(&open.campaign))
    })
}

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct CorrectRequest {
    /// A reading as events have it, or `"failed"`.
    value: Value,
    reason: String,
}

pub(crate) fn correct(call: &mut Call) -> Answered {
    let request: CorrectRequest = call.json()?;
    check_reason(&request.reason)?;
    let outcome = match &request.value {
        Value::String(text) => outcome_from_text(text, None).ok(),
        value => reading(value).map(Outcome::Measured),
    };
    let outcome = outcome.ok_or_else(|| {
        Refusal::malformed(format!("{} is no outcome", request.value))
            .help("give a number, a list of repeats, or \"failed\"")
    })?;
    let (slot, full) = (call.named("slot").to_owned(), call.flag("full")?);
    call.change(|open, at| {
        let told = open.campaign.correct(&slot, outcome, &request.reason, at)?;
        if full {
            let document = TellDocument::of(&told, &mut open.campaign, false);
            return Ok(Answer::json(&document).about(&open.campaign));
        }
        let guarantee = open.status()?.guarantee;
        let document =
            CorrectDocument { slot: &slot, corrected: told.corrected > 0, event: told.event, guarantee };
        Ok(Answer::json(&document).about(&open.campaign))
    })
}

/// A reason says something.
pub(crate) fn check_reason(reason: &str) -> Result<(), Refusal> {
    match reason.trim() {
        "" => Err(Refusal::malformed("the reason is empty").help("say why in a few words; the log keeps it")),
        _ => Ok(()),
    }
}

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct EarlierRequest {
    /// Candidate and reading.
    measurements: Vec<(String, Reading)>,
}

pub(crate) fn earlier(call: &mut Call) -> Answered {
    let request: EarlierRequest = call.json()?;
    call.changed(|open, at| {
        let brought = open.campaign.bring_in(&request.measurements, None, at)?;
        let event = open.campaign.head().event;
        Ok(json!({ "measurements": brought.measurements, "used": brought.used, "event": event }))
    })
}

#[derive(Debug, Default, Deserialize)]
#[serde(default, deny_unknown_fields)]
struct CloseRequest {
    no_guarantee: bool,
}

pub(crate) fn close(call: &mut Call) -> Answered {
    let request: CloseRequest = call.json()?;
    call.changed(|open, at| {
        let closed = match request.no_guarantee {
            true => Some(open.campaign.close_without_guarantee(at)?),
            false => {
                open.campaign.close(at)?;
                None
            }
        };
        Ok(json!({ "closed_without_guarantee": closed, "event": open.campaign.head().event }))
    })
}
