//! Slots: handed out, listed, given back.

use axum::http::header::HeaderName;
use elfving_campaign::{Batch, CampaignError, MOST_MEASUREMENTS, ReleaseDocument};
use serde::Deserialize;

use crate::answers::LONGEST;
use crate::call::{Answer, Answered, CSV, Call, JSON, etag};
use crate::house::Open;
use crate::refusal::Refusal;

#[derive(Debug, Default, Deserialize)]
#[serde(default, deny_unknown_fields)]
struct AskRequest {
    batch: Option<usize>,
    worker: Option<String>,
}

const KEY: HeaderName = HeaderName::from_static("idempotency-key");

/// Slots for a worker: the one who is named, or the one whose token it is.
pub(crate) fn ask(call: &mut Call) -> Answered {
    let request: AskRequest = call.json()?;
    if request.batch.is_some_and(|batch| batch as u64 > MOST_MEASUREMENTS) {
        return Err(Refusal::malformed(format!("a batch has at most {MOST_MEASUREMENTS} measurements")));
    }
    let worker = request.worker.as_deref().or(call.who.name()).map(str::to_owned);
    let full = call.flag("full")?;
    let key = call.headers.get(&KEY).map(|key| key.to_str().unwrap_or_default().to_owned());
    if key.as_ref().is_some_and(|key| key.is_empty() || key.len() > LONGEST) {
        return Err(Refusal::malformed(format!("an Idempotency-Key has 1 to {LONGEST} plain characters")));
    }
    let key = key.map(|key| format!("{} {} {full} {key}", call.who.key(), call.named("name")));
    let answers = &call.desk.answers;
    // Whoever sends it twice at the same time waits for the first: the campaign is with one request at a time.
    let answered = call.change(|open, at| {
        if let Some(key) = &key {
            match answers.find(key, &call.body, at) {
                Ok(None) => {}
                Ok(Some(body)) => return Ok(Ok((body, etag(&open.campaign.head().hash)))),
                Err(refusal) => return Ok(Err(refusal)),
            }
        }
        let batch = open.campaign.ask_for(worker.as_deref(), request.batch, at)?;
        let answer = if full {
            serde_json::to_vec(&batch.in_full(&open.campaign)?)
        } else {
            serde_json::to_vec(&batch)
        };
        let body = answer.expect("finite numbers and text have a JSON form");
        if let Some(key) = key.clone() {
            answers.keep(key, &call.body, &body, at);
        }
        Ok(Ok((body, etag(&open.campaign.head().hash))))
    })?;
    let (body, tag) = answered?;
    Ok(Answer::bytes(JSON, body).header(axum::http::header::ETAG, tag))
}

pub(crate) fn open(call: &mut Call) -> Answered {
    let (all, full, format) = (call.flag("all")?, call.flag("full")?, call.option("format"));
    if let Some(other) = format.filter(|format| !matches!(*format, "csv" | "plate" | "json")) {
        return Err(Refusal::malformed(format!("format is csv, plate or json, not {other:?}")));
    }
    call.look_if_new(|open| {
        if all {
            return Ok(Answer::json(&open.campaign.slots()?));
        }
        let batch = open.campaign.open_slots()?;
        match format {
            Some("csv") => sheet(open, &batch),
            Some("plate") => plates(open, &batch),
            _ if full => Ok(Answer::json(&batch.in_full(&open.campaign)?)),
            _ => Ok(Answer::json(&batch)),
        }
    })
}

fn sheet(open: &Open, batch: &Batch) -> Result<Answer, CampaignError> {
    let bytes = batch.to_csv(open.campaign.spec(), open.campaign.candidates()?)?;
    Ok(named(Answer::bytes(CSV, bytes), &format!("{}.csv", open.campaign.spec().name)))
}

fn plates(open: &Open, batch: &Batch) -> Result<Answer, CampaignError> {
    let map = batch.plate_map(open.campaign.spec(), open.campaign.candidates()?)?;
    let bytes = map.unwrap_or_default();
    Ok(named(Answer::bytes(CSV, bytes), &format!("{}-plate.csv", open.campaign.spec().name)))
}

/// A file to keep. A name with other letters than these is not said.
fn named(answer: Answer, file: &str) -> Answer {
    let plain = |c: char| c.is_ascii_alphanumeric() || matches!(c, '.' | '-' | '_');
    let file = if file.chars().all(plain) { file } else { "batch.csv" };
    answer.header(axum::http::header::CONTENT_DISPOSITION, format!("attachment; filename=\"{file}\""))
}

#[derive(Debug, Default, Deserialize)]
#[serde(default, deny_unknown_fields)]
struct ReleaseRequest {
    slots: Vec<String>,
    worker: Option<String>,
    for_good: bool,
}

pub(crate) fn release(call: &mut Call) -> Answered {
    let request: ReleaseRequest = call.json()?;
    if request.slots.is_empty() && request.worker.is_none() {
        return Err(Refusal::malformed("say which slots, or whose")
            .help("send {\"slots\": [\"S0012H\"]} or {\"worker\": \"robot1\"}"));
    }
    call.changed(|open, at| {
        let slots: Vec<&str> = request.slots.iter().map(String::as_str).collect();
        let released = open.campaign.release(&slots, request.worker.as_deref(), request.for_good, at)?;
        Ok(ReleaseDocument { released, event: open.campaign.head().event })
    })
}
