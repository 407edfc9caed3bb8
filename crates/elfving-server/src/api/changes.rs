//! Changing one's mind, with the reason on record.

use elfving_campaign::{Attachment, CampaignError, ChangeRequest};
use elfving_table::{Condition, TableError};
use serde::Deserialize;

use super::results::{check_reason, file_name};
use crate::call::{Answered, Call};
use crate::house::Open;

pub(crate) fn change(call: &mut Call) -> Answered {
    let request: ChangeRequest = call.json()?;
    check_reason(&request.reason)?;
    call.changed(|open, at| open.campaign.change_as_requested(&request, at))
}

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct WhichRequest {
    #[serde(default)]
    ids: Vec<String>,
    #[serde(default, rename = "where")]
    condition: Option<String>,
    #[serde(default)]
    infeasible: bool,
    reason: String,
}

/// Candidates by id, and those that meet a condition.
fn which(open: &Open, request: &WhichRequest) -> Result<Vec<String>, CampaignError> {
    let mut ids = request.ids.clone();
    if let Some(condition) = &request.condition {
        let condition: Condition = condition.parse().map_err(TableError::from)?;
        ids.extend(open.campaign.candidates()?.ids_where(&condition)?);
    }
    Ok(ids)
}

pub(crate) fn forbid(call: &mut Call) -> Answered {
    let request: WhichRequest = call.json()?;
    check_reason(&request.reason)?;
    call.changed(|open, at| {
        let (ids, rule) = (which(open, &request)?, request.condition.as_deref());
        open.campaign.forbid(&ids, request.infeasible, rule, &request.reason, at)
    })
}

pub(crate) fn allow(call: &mut Call) -> Answered {
    let request: WhichRequest = call.json()?;
    check_reason(&request.reason)?;
    call.changed(|open, at| {
        let ids = which(open, &request)?;
        open.campaign.allow(&ids, &request.reason, at)
    })
}

pub(crate) fn extend(call: &mut Call) -> Answered {
    let reason = call.option("reason").unwrap_or_default().to_owned();
    check_reason(&reason)?;
    let table = Attachment::new(file_name(call)?, std::mem::take(&mut call.body));
    call.changed(|open, at| open.campaign.extend(table, &reason, at))
}
