//! Sessions of browsers: a cookie in place of a token, for as long as the token is valid and the server runs.

use std::collections::HashMap;
use std::sync::{Mutex, PoisonError};

use axum::http::{HeaderMap, header};
use elfving_campaign::At;

use crate::random::{hex, random};
use crate::token::{digest, equal};

/// How long a session lasts, in milliseconds.
const LASTS: u64 = 12 * 3600 * 1000;
/// Sessions at a time; when there are more, the oldest end.
const MOST: usize = 1000;
/// The prefix makes browsers refuse it without `Secure`, with another path, or for a domain.
const COOKIE: &str = "__Host-elfving";

/// The sessions of a server.
#[derive(Debug)]
pub(crate) struct Sessions {
    /// By the digest of the cookie.
    open: Mutex<HashMap<String, Session>>,
    /// Makes what forms carry where there are no tokens.
    secret: String,
}

#[derive(Debug, Clone)]
struct Session {
    token: String,
    began: At,
}

impl Sessions {
    pub(crate) fn new() -> Self {
        Self { open: Mutex::default(), secret: hex(&random::<32>()) }
    }

    /// Begins one for the token of that id: the value of `Set-Cookie`.
    pub(crate) fn begin(&self, token: &str, at: At) -> String {
        let cookie = hex(&random::<32>());
        let mut open = self.open.lock().unwrap_or_else(PoisonError::into_inner);
        open.retain(|_, session| at.0 < session.began.0 + LASTS);
        if open.len() >= MOST
            && let Some(oldest) =
                open.iter().min_by_key(|(_, session)| session.began.0).map(|(key, _)| key.clone())
        {
            open.remove(&oldest);
        }
        open.insert(digest(&cookie), Session { token: token.to_owned(), began: at });
        let seconds = LASTS / 1000;
        format!("{COOKIE}={cookie}; Path=/; Max-Age={seconds}; Secure; HttpOnly; SameSite=Strict")
    }

    /// Ends the session of a request: the value of `Set-Cookie`.
    pub(crate) fn end(&self, headers: &HeaderMap) -> String {
        if let Some(cookie) = cookie(headers) {
            let mut open = self.open.lock().unwrap_or_else(PoisonError::into_inner);
            open.remove(&digest(cookie));
        }
        format!("{COOKIE}=; Path=/; Max-Age=0; Secure; HttpOnly; SameSite=Strict")
    }

    /// The id of the token behind a request's cookie.
    pub(crate) fn token(&self, headers: &HeaderMap, at: At) -> Option<String> {
        let key = digest(cookie(headers)?);
        let open = self.open.lock().unwrap_or_else(PoisonError::into_inner);
        let session = open.get(&key).filter(|session| at.0 < session.began.0 + LASTS)?;
        Some(session.token.clone())
    }

    /// What the forms of a request's pages carry, so that no other site can fill one in.
    pub(crate) fn form_key(&self, headers: &HeaderMap) -> String {
        digest(&format!("form {} {}", self.secret, cookie(headers).unwrap_or_default()))
    }

    /// Whether a form carries it.
    pub(crate) fn is_ours(&self, headers: &HeaderMap, key: &str) -> bool {
        equal(self.form_key(headers).as_bytes(), key.as_bytes())
    }
}

fn cookie(headers: &HeaderMap) -> Option<&str> {
    let cookies = headers.get_all(header::COOKIE).iter().filter_map(|value| value.to_str().ok());
    let mut pairs =
        cookies.flat_map(|cookies| cookies.split(';')).filter_map(|pair| pair.trim().split_once('='));
    pairs.find(|(name, _)| *name == COOKIE).map(|(_, value)| value)
}
