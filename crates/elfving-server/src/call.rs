//! One request as the handlers see it, and what they answer.

use std::collections::HashMap;
use std::sync::Arc;

use axum::http::{HeaderMap, StatusCode, header};
use elfving_campaign::{At, Attachment, Campaign, CampaignError, Digest};
use serde::Serialize;
use serde::de::DeserializeOwned;

use crate::guard::Who;
use crate::house::Open;
use crate::name::Name;
use crate::refusal::{Refusal, Why};
use crate::server::Desk;

/// A request that was let in.
#[derive(Debug)]
pub(crate) struct Call {
    pub(crate) desk: Arc<Desk>,
    pub(crate) who: Who,
    pub(crate) at: At,
    /// What the path names: `name`, `slot`, `id`.
    pub(crate) path: HashMap<String, String>,
    pub(crate) query: Vec<(String, String)>,
    pub(crate) headers: HeaderMap,
    pub(crate) body: Vec<u8>,
    /// The fields of a form, and its files.
    pub(crate) fields: Vec<(String, String)>,
    pub(crate) files: Vec<(String, Attachment)>,
}

/// What a handler answers.
#[derive(Debug)]
pub(crate) enum Answer {
    /// A whole document.
    Whole {
        status: StatusCode,
        kind: &'static str,
        body: Vec<u8>,
        headers: Vec<(header::HeaderName, String)>,
    },
    /// Events as they happen, from after this one on.
    Stream { name: Name, after: u64 },
}

pub(crate) type Answered = Result<Answer, Refusal>;

pub(crate) const JSON: &str = "application/json";
pub(crate) const CSV: &str = "text/csv; charset=utf-8";
pub(crate) const HTML: &str = "text/html; charset=utf-8";
pub(crate) const PROBLEM: &str = "application/problem+json";

impl Answer {
    pub(crate) fn bytes(kind: &'static str, body: impl Into<Vec<u8>>) -> Self {
        Self::Whole { status: StatusCode::OK, kind, body: body.into(), headers: Vec::new() }
    }

    pub(crate) fn json(document: &impl Serialize) -> Self {
        Self::bytes(JSON, serde_json::to_vec(document).expect("finite numbers and text have a JSON form"))
    }

    pub(crate) fn html(page: maud::Markup) -> Self {
        Self::bytes(HTML, page.into_string())
    }

    /// Go there next, by GET.
    pub(crate) fn see(place: &str) -> Self {
        let headers = vec![(header::LOCATION, place.to_owned())];
        Self::Whole { status: StatusCode::SEE_OTHER, kind: HTML, body: Vec::new(), headers }
    }

    #[must_use]
    pub(crate) fn status(mut self, code: StatusCode) -> Self {
        if let Self::Whole { status, .. } = &mut self {
            *status = code;
        }
        self
    }

    #[must_use]
    pub(crate) fn header(mut self, name: header::HeaderName, value: impl Into<String>) -> Self {
        if let Self::Whole { headers, .. } = &mut self {
            headers.push((name, value.into()));
        }
        self
    }

    /// The answer is about the campaign with that seal.
    #[must_use]
    pub(crate) fn about(self, campaign: &Campaign) -> Self {
        self.header(header::ETAG, etag(&campaign.head().hash))
    }
}

pub(crate) fn etag(hash: &Digest) -> String {
    format!("\"{hash}\"")
}

impl Call {
    /// The campaign of the path; the guard has read it as a name already.
    pub(crate) fn name(&self) -> Result<Name, Refusal> {
        let text = self.path.get("name").map_or("", String::as_str);
        Name::new(text).ok_or_else(|| not_a_name(text))
    }

    pub(crate) fn named(&self, what: &str) -> &str {
        self.path.get(what).map_or("", String::as_str)
    }

    /// What the query says of an option; empty is not said.
    pub(crate) fn option(&self, name: &str) -> Option<&str> {
        said(&self.query, name)
    }

    /// The same of a form.
    pub(crate) fn field(&self, name: &str) -> Option<&str> {
        said(&self.fields, name)
    }

    /// Whether an option is on: `true` or `1`.
    pub(crate) fn flag(&self, name: &str) -> Result<bool, Refusal> {
        match self.option(name) {
            None | Some("false" | "0") => Ok(false),
            Some("true" | "1") => Ok(true),
            Some(other) => Err(Refusal::malformed(format!("{name} is true or false, not {other:?}"))),
        }
    }

    /// A number of the query.
    pub(crate) fn number<T: std::str::FromStr>(&self, name: &str) -> Result<Option<T>, Refusal> {
        let wrong = |text: &str| Refusal::malformed(format!("{name} is a whole number, not {text:?}"));
        self.option(name).map(|text| text.parse().map_err(|_| wrong(text))).transpose()
    }

    pub(crate) fn file(&mut self, name: &str) -> Option<Attachment> {
        let at = self.files.iter().position(|(field, file)| field == name && !file.bytes.is_empty())?;
        Some(self.files.swap_remove(at).1)
    }

    /// The type of the body, without its parameters.
    pub(crate) fn kind(&self) -> &str {
        let kind = self.headers.get(header::CONTENT_TYPE).and_then(|kind| kind.to_str().ok());
        kind.map_or("", |kind| kind.split(';').next().unwrap_or_default().trim())
    }

    /// The body as a JSON document; an empty body is an empty one.
    pub(crate) fn json<T: DeserializeOwned>(&self) -> Result<T, Refusal> {
        if !self.body.is_empty() && self.kind() != JSON {
            return Err(Refusal::malformed(format!("the body is {:?}, not {JSON}", self.kind()))
                .help("send Content-Type: application/json"));
        }
        let body = if self.body.is_empty() { b"{}".as_slice() } else { &self.body };
        serde_json::from_slice(body).map_err(|error| Refusal::malformed(format!("the JSON body: {error}")))
    }

    /// Whether the one who asks has this very state already.
    pub(crate) fn knows(&self, hash: &Digest) -> bool {
        let known = self.headers.get(header::IF_NONE_MATCH).and_then(|value| value.to_str().ok());
        known.is_some_and(|known| {
            known.split(',').any(|one| one.trim().trim_start_matches("W/") == etag(hash))
        })
    }

    /// The state that a change is meant for.
    fn expected(&self) -> Result<Option<Digest>, Refusal> {
        let Some(value) = self.headers.get(header::IF_MATCH) else { return Ok(None) };
        let text = value.to_str().unwrap_or_default().trim();
        if text == "*" {
            return Ok(None);
        }
        let digest = text.strip_prefix('"').and_then(|text| text.strip_suffix('"'));
        match digest.and_then(|digest| digest.parse().ok()) {
            Some(digest) => Ok(Some(digest)),
            // A tag that was never given out is that of no state.
            None => Err(Refusal::new(Why::Precondition, "If-Match is not the ETag of this campaign")
                .help("send the ETag of the last answer")),
        }
    }

    /// Looks at the campaign.
    pub(crate) fn look<T>(
        &self,
        act: impl FnOnce(&mut Open) -> Result<T, CampaignError>,
    ) -> Result<T, Refusal> {
        self.desk.house.with(&self.name()?, act)
    }

    /// Looks at the campaign unless the one who asks knows this state already.
    pub(crate) fn look_if_new(
        &self,
        act: impl FnOnce(&mut Open) -> Result<Answer, CampaignError>,
    ) -> Answered {
        self.look(|open| {
            if self.knows(&open.campaign.head().hash) {
                return Ok(Answer::bytes(JSON, []).status(StatusCode::NOT_MODIFIED).about(&open.campaign));
            }
            Ok(act(open)?.about(&open.campaign))
        })
    }

    /// Changes the campaign: in the name of who asks, and behind the state that was expected.
    pub(crate) fn change<T>(
        &self,
        act: impl FnOnce(&mut Open, At) -> Result<T, CampaignError>,
    ) -> Result<T, Refusal> {
        let expected = self.expected()?;
        self.look(|open| {
            open.campaign.act_as(self.who.name().map(str::to_owned));
            open.campaign.expect_head(expected);
            act(open, self.at)
        })
    }

    /// The same, answered with a document and the new seal.
    pub(crate) fn changed<T: Serialize>(
        &self,
        act: impl FnOnce(&mut Open, At) -> Result<T, CampaignError>,
    ) -> Answered {
        self.change(|open, at| {
            let document = act(open, at)?;
            Ok(Answer::json(&document).about(&open.campaign))
        })
    }
}

pub(crate) fn not_a_name(text: &str) -> Refusal {
    Refusal::new(Why::NotThere, format!("{text:?} names no campaign")).help(crate::name::RULE)
}

fn said<'a>(pairs: &'a [(String, String)], name: &str) -> Option<&'a str> {
    pairs.iter().find(|(known, value)| known == name && !value.is_empty()).map(|(_, value)| value.as_str())
}
