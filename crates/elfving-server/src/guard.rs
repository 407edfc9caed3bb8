//! Who is let in: no request gets to a handler but through here.

use std::collections::HashMap;
use std::time::Instant;

use axum::http::{HeaderMap, Method, header};
use elfving_campaign::At;

use crate::call::not_a_name;
use crate::name::Name;
use crate::refusal::{Refusal, Why};
use crate::routes::{Access, Route};
use crate::server::Desk;
use crate::token::{Scope, TokenRecord};

/// Who asks.
#[derive(Debug, Clone)]
pub(crate) enum Who {
    /// Anybody on this computer: there are no tokens.
    Anybody,
    /// Whoever has this token.
    Holder(TokenRecord),
    /// A place that is open to all.
    Nobody,
}

impl Who {
    /// What events say who it was.
    pub(crate) fn name(&self) -> Option<&str> {
        match self {
            Self::Holder(token) => Some(&token.name),
            Self::Anybody | Self::Nobody => None,
        }
    }

    pub(crate) fn allows(&self, scope: Scope, campaign: Option<&Name>) -> bool {
        match self {
            Self::Anybody => true,
            Self::Holder(token) => token.allows(scope, campaign),
            Self::Nobody => false,
        }
    }

    /// Whether they may know of it.
    pub(crate) fn sees(&self, campaign: &Name) -> bool {
        self.allows(Scope::Read, Some(campaign))
    }

    /// Tells askers apart.
    pub(crate) fn key(&self) -> &str {
        match self {
            Self::Holder(token) => &token.id,
            Self::Anybody | Self::Nobody => "",
        }
    }
}

/// Lets a request in, or says why not.
pub(crate) fn admit(
    desk: &Desk,
    route: &Route,
    method: &Method,
    headers: &HeaderMap,
    path: &HashMap<String, String>,
    peer: &str,
    at: At,
) -> Result<Who, Refusal> {
    let open = desk.is_open();
    check_host(headers, open, desk.port)?;
    let reads = matches!(*method, Method::GET | Method::HEAD);
    if !reads {
        check_site(headers)?;
    }
    let Access::Needs(scope) = route.access else {
        return limited(desk, &format!("at {peer}"), Who::Nobody);
    };
    let who = match bearer(headers) {
        Some(token) => desk.tokens.holder(token, at).map(Who::Holder),
        // A cookie opens pages; of the API, only what changes nothing.
        None if route.is_page() || reads => {
            let token = desk.sessions.token(headers, at).and_then(|id| desk.tokens.valid(&id, at));
            token.map(Who::Holder).or(open.then_some(Who::Anybody))
        }
        None => open.then_some(Who::Anybody),
    };
    let Some(who) = who else {
        if !desk.failures.take(peer, Instant::now()) {
            return Err(Refusal::new(Why::TooMany, "too many requests without a valid token").retry(10));
        }
        return Err(Refusal::new(Why::NoToken, "this needs a valid token")
            .help("send Authorization: Bearer TOKEN; elfving serve token new makes one"));
    };
    let campaign = match path.get("name") {
        Some(text) => Some(Name::new(text).ok_or_else(|| not_a_name(text))?),
        None => None,
    };
    if !who.allows(scope, campaign.as_ref()) {
        let of = campaign.map_or_else(String::new, |name| format!(" for {name}"));
        return Err(Refusal::new(
            Why::NotAllowed,
            format!("the token does not allow to {}{of}", scope.name()),
        )
        .help("use a token with that scope and campaign"));
    }
    let asker = match &who {
        Who::Holder(token) => token.id.clone(),
        Who::Anybody | Who::Nobody => format!("at {peer}"),
    };
    limited(desk, &asker, who)
}

fn limited(desk: &Desk, asker: &str, who: Who) -> Result<Who, Refusal> {
    match desk.requests.take(asker, Instant::now()) {
        true => Ok(who),
        false => Err(Refusal::new(Why::TooMany, "too many requests in a short time").retry(1)),
    }
}

fn bearer(headers: &HeaderMap) -> Option<&str> {
    let value = headers.get(header::AUTHORIZATION)?.to_str().ok()?;
    let (scheme, token) = value.split_once(' ')?;
    scheme.eq_ignore_ascii_case("bearer").then(|| token.trim())
}

fn host(headers: &HeaderMap) -> Option<&str> {
    headers.get(header::HOST)?.to_str().ok()
}

/// Without tokens the server answers to the names of this computer only: a page of another site cannot reach it under its own name.
fn check_host(headers: &HeaderMap, open: bool, port: u16) -> Result<(), Refusal> {
    let refused = |host: &str| {
        Refusal::new(Why::OtherSite, format!("this server is not called {host:?}"))
            .help("without tokens it answers at 127.0.0.1 and localhost only")
    };
    let Some(host) = host(headers) else { return Err(refused("")) };
    if !open {
        return Ok(());
    }
    let ours = ["127.0.0.1", "localhost", "[::1]"].iter().any(|name| {
        let rest = host.strip_prefix(name);
        rest.is_some_and(|rest| rest == format!(":{port}") || (rest.is_empty() && port == 80))
    });
    if ours { Ok(()) } else { Err(refused(host)) }
}

/// What changes something comes from our own pages, or from no page at all.
fn check_site(headers: &HeaderMap) -> Result<(), Refusal> {
    let refused = || {
        Refusal::new(Why::OtherSite, "another site stands behind this request")
            .help("send it from a page of this server, or from a program")
    };
    let text = |name: &str| headers.get(name).map(|value| value.to_str().unwrap_or_default());
    if let Some(site) = text("sec-fetch-site")
        && !matches!(site, "same-origin" | "none")
    {
        return Err(refused());
    }
    let Some(origin) = text("origin") else { return Ok(()) };
    let of = origin.strip_prefix("http://").or_else(|| origin.strip_prefix("https://"));
    match (of, host(headers)) {
        (Some(origin), Some(host)) if origin.eq_ignore_ascii_case(host) => Ok(()),
        _ => Err(refused()),
    }
}
