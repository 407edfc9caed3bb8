//! The server itself.

use serde_json::json;

use crate::call::{Answer, Answered, Call};
use crate::openapi;
use crate::server::STREAMS;

pub(crate) fn health(_: &mut Call) -> Answered {
    Ok(Answer::json(&json!({ "status": "ok" })))
}

pub(crate) fn openapi(_: &mut Call) -> Answered {
    Ok(Answer::json(&openapi::document()))
}

pub(crate) fn metrics(call: &mut Call) -> Answered {
    let desk = &call.desk;
    let streams = STREAMS.saturating_sub(desk.streams.available_permits()) as u64;
    let gauges = [
        ("elfving_campaigns_open", "Campaigns that are kept open.", desk.house.open_count() as u64),
        ("elfving_streams_open", "Streams of events.", streams),
    ];
    Ok(Answer::bytes("text/plain; version=0.0.4", desk.metrics.text(&gauges)))
}
