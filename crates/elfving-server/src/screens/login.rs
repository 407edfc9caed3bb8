//! Logging in with a token.

use axum::http::header;
use maud::{Markup, html};

use super::{key, whole};
use crate::call::{Answer, Answered, Call};
use crate::guard::Who;
use crate::refusal::{Refusal, Why};

pub(crate) fn show(call: &mut Call) -> Answered {
    if call.desk.is_open() {
        return Ok(Answer::see("/"));
    }
    Ok(Answer::html(form(call)))
}

fn form(call: &Call) -> Markup {
    whole(
        "Log in",
        None,
        html! {},
        html! {
            form.fields method="post" action="/login" {
                (key(call))
                // Browsers that keep the token ask for a name beside it.
                input type="text" name="name" autocomplete="username" hidden;
                label { "Token" span { "Whoever runs this server makes it with " code { "elfving serve token new" } "." }
                    input type="password" name="token" required autocomplete="current-password";
                }
                button.main type="submit" { "Log in" }
            }
        },
    )
}

pub(crate) fn log_in(call: &mut Call) -> Answered {
    let token = call.field("token").unwrap_or_default().trim().to_owned();
    match call.desk.tokens.holder(&token, call.at) {
        Some(holder) => {
            let cookie = call.desk.sessions.begin(&holder.id, call.at);
            Ok(Answer::see("/").header(header::SET_COOKIE, cookie))
        }
        None => {
            Err(Refusal::new(Why::NotAllowed, "this is no valid token")
                .help("check it, or ask for a new one"))
        }
    }
}

pub(crate) fn log_out(call: &mut Call) -> Answered {
    call.who = Who::Nobody;
    let cookie = call.desk.sessions.end(&call.headers);
    Ok(Answer::see("/login").header(header::SET_COOKIE, cookie))
}
