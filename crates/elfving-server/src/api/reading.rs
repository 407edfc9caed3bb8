//! Looking: candidates, the report, the export, the events, the check.

use axum::http::header;
use elfving_campaign::{ExportedEvent, Listing, LogDocument};
use elfving_table::{Condition, TableError};

use crate::call::{Answer, Answered, CSV, Call, HTML};
use crate::random::base64;
use crate::refusal::Refusal;

/// Candidates of a page unless somebody says otherwise.
const PAGE: usize = 100;
/// Events at a time unless somebody says otherwise, and at most.
const EVENTS: usize = 1000;
const MOST_EVENTS: usize = 10_000;

/// The page of candidates that a request means.
pub(crate) fn listing(call: &Call) -> Result<Listing, Refusal> {
    let refused = |error: TableError| Refusal::of(&error.into(), call.desk.house.folder());
    let condition = call.option("where").map(|text| text.parse::<Condition>().map_err(TableError::from));
    Ok(Listing {
        condition: condition.transpose().map_err(refused)?,
        state: call.option("state").map(str::to_owned),
        sort: call.option("sort").map(str::to_owned),
        descending: call.flag("descending")?,
        offset: call.number("offset")?.unwrap_or(0),
        limit: call.number("limit")?.unwrap_or(PAGE),
    })
}

pub(crate) fn candidates(call: &mut Call) -> Answered {
    let listing = listing(call)?;
    call.look_if_new(|open| {
        let status = open.status()?;
        Ok(Answer::json(&open.campaign.list(&listing, &status)?))
    })
}

pub(crate) fn candidate(call: &mut Call) -> Answered {
    let id = call.named("id").to_owned();
    call.look_if_new(|open| Ok(Answer::json(&open.campaign.candidate(&id)?))).map_err(not_there)
}

/// A candidate that the address names and that is not there.
pub(crate) fn not_there(mut refusal: Refusal) -> Refusal {
    if refusal.code == "E203" {
        refusal.status = axum::http::StatusCode::NOT_FOUND;
    }
    refusal
}

pub(crate) fn report(call: &mut Call) -> Answered {
    let at = call.at;
    call.look(|open| {
        let page = open.campaign.html(at)?;
        // The page brings its style along; nothing else is let in.
        let style = page.split_once("<style>").and_then(|(_, rest)| rest.split_once("</style>"));
        let hash = style.map_or_else(String::new, |(style, _)| base64_sha256(style));
        let policy =
            format!("default-src 'none'; style-src 'sha256-{hash}'; img-src data:; frame-ancestors 'none'; base-uri 'none'");
        let answer = Answer::bytes(HTML, page).header(header::CONTENT_SECURITY_POLICY, policy);
        Ok(answer.about(&open.campaign))
    })
}

fn base64_sha256(text: &str) -> String {
    use sha2::{Digest, Sha256};
    base64(&Sha256::digest(text.as_bytes()))
}

pub(crate) fn export(call: &mut Call) -> Answered {
    let csv = match call.option("format") {
        None | Some("json") => false,
        Some("csv") => true,
        Some(other) => return Err(Refusal::malformed(format!("format is csv or json, not {other:?}"))),
    };
    call.look_if_new(|open| match csv {
        true => Ok(Answer::bytes(CSV, open.campaign.export_csv()?)),
        false => Ok(Answer::json(&open.campaign.export()?)),
    })
}

pub(crate) fn events(call: &mut Call) -> Answered {
    let after = call.number("after")?.unwrap_or(0);
    let limit = call.number("limit")?.unwrap_or(EVENTS).min(MOST_EVENTS);
    call.look_if_new(|open| {
        let events = open.campaign.events_after(after)?.into_iter().take(limit);
        Ok(Answer::json(&LogDocument { events: events.map(ExportedEvent::from).collect() }))
    })
}

pub(crate) fn stream(call: &mut Call) -> Answered {
    let last = call.headers.get("last-event-id");
    let wrong = || Refusal::malformed("Last-Event-ID is the number of an event");
    let last =
        last.map(|last| last.to_str().ok().and_then(|last| last.trim().parse().ok()).ok_or_else(wrong));
    let given = last.transpose()?.or(call.number("after")?);
    let name = call.name()?;
    let head = call.look(|open| Ok(open.campaign.head().event))?;
    Ok(Answer::Stream { name, after: given.unwrap_or(head).min(head) })
}

pub(crate) fn verify(call: &mut Call) -> Answered {
    call.look(|open| Ok(Answer::json(&open.campaign.verify()?).about(&open.campaign)))
}
