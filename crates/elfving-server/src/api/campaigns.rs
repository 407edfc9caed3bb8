//! Campaigns: the list, a new one, its status, its question.

use axum::http::{StatusCode, header};
use elfving_campaign::{NewDocument, Opening, spec_for_programs};
use serde_json::{Value, json};

use crate::call::{Answer, Answered, Call};
use crate::name::Name;
use crate::refusal::Refusal;

/// One line per campaign: where it stands, or why it cannot be read.
pub(crate) fn list(call: &mut Call) -> Answered {
    let (names, others) = call.desk.house.names()?;
    let seen = names.iter().filter(|name| call.who.sees(name));
    let campaigns: Vec<Value> = seen.map(|name| line(call, name)).collect();
    let all = names.iter().all(|name| call.who.sees(name));
    let left_out = if all { others } else { Vec::new() };
    Ok(Answer::json(&json!({ "campaigns": campaigns, "left_out": left_out })))
}

/// What the list says of a campaign.
fn line(call: &Call, name: &Name) -> Value {
    let found = call.desk.house.with(name, |open| {
        let status = open.status()?;
        Ok(json!({
            "name": name.as_str(),
            "outcome": status.outcome,
            "mode": status.mode,
            "event": status.event,
            "head": status.head,
            "goal_reached": status.goal_reached,
            "guarantee": status.guarantee,
            "stopped": status.stopped,
            "candidates": status.candidates,
            "told": status.told,
            "open": status.open,
            "budget": status.budget,
            "picks": status.picks,
        }))
    });
    found.unwrap_or_else(|refusal| json!({ "name": name.as_str(), "problem": refusal.document() }))
}

pub(crate) fn create(call: &mut Call) -> Answered {
    let name = call.name()?;
    let Some(options) = call.field("options") else {
        return Err(Refusal::malformed("the form has no field \"options\"")
            .help("send what is asked as JSON in the field options, such as {\"outcome\": \"yield\", \"aim\": \"maximise\"}"));
    };
    let opening: Opening =
        serde_json::from_str(options).map_err(|error| Refusal::malformed(format!("the options: {error}")))?;
    let Some(pool) = call.file("pool") else {
        return Err(Refusal::malformed("the form has no file \"pool\"")
            .help("send the table of candidates as the file pool"));
    };
    let (targets, measured) = (call.file("targets"), call.file("measured"));
    let house = &call.desk.house;
    let path = house.file(&name);
    let refused = |error| Refusal::of(&error, house.folder());
    let draft = opening.draft(pool, targets).map_err(refused)?;
    let columns = draft.dataset().columns_seen();
    let by = call.who.name().map(str::to_owned);
    let begun = opening.begin(draft, &path, measured, by, call.at);
    drop(begun.map_err(refused)?);
    call.look(|open| {
        let status = open.status()?;
        let document = NewDocument::of(format!("{name}.elfving"), open.campaign.spec(), &status, columns);
        let place = format!("/api/v1/campaigns/{name}");
        let answer = Answer::json(&document).status(StatusCode::CREATED).header(header::LOCATION, place);
        Ok(answer.about(&open.campaign))
    })
}

pub(crate) fn status(call: &mut Call) -> Answered {
    call.look_if_new(|open| Ok(Answer::json(&*open.status()?)))
}

pub(crate) fn spec(call: &mut Call) -> Answered {
    call.look_if_new(|open| {
        let candidates = open.campaign.candidates()?;
        let seen = candidates.columns_seen();
        let columns: Vec<Value> = seen.iter().map(|seen| json!([seen, seen.to_string()])).collect();
        Ok(Answer::json(&json!({
            "spec": spec_for_programs(open.campaign.spec()),
            "columns": columns,
            "id_column": candidates.id_column(),
            "model": open.campaign.model_in_words()?,
        })))
    })
}
