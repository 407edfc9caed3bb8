//! What the pages load.

use crate::call::{Answer, Answered, Call};

/// That of the report, and what only these pages have.
const STYLE: &str = concat!(
    include_str!("../../../elfving-campaign/src/report/style.css"),
    include_str!("../assets/style.css")
);
const SCRIPT: &str = include_str!("../assets/live.js");

pub(crate) fn style(_: &mut Call) -> Answered {
    Ok(Answer::bytes("text/css; charset=utf-8", STYLE))
}

pub(crate) fn script(_: &mut Call) -> Answered {
    Ok(Answer::bytes("text/javascript; charset=utf-8", SCRIPT))
}
