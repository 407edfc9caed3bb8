//! The pages: made on the server, working without script, in the style of the report.

pub(crate) mod assets;
pub(crate) mod batch;
pub(crate) mod campaign;
pub(crate) mod candidate;
pub(crate) mod candidates;
pub(crate) mod list;
pub(crate) mod log;
pub(crate) mod login;
pub(crate) mod new;
pub(crate) mod tell;
mod words;

use axum::http::HeaderMap;
use maud::{DOCTYPE, Markup, html};

use crate::call::Call;
use crate::guard::Who;
use crate::refusal::Refusal;
use crate::server::Desk;
use crate::token::Scope;

/// What a page is about.
struct Page<'a> {
    title: &'a str,
    /// The campaign, and the last event that the page knows of.
    campaign: Option<(&'a str, u64)>,
    /// The place in the campaign's menu.
    place: &'a str,
}

/// The places of a campaign: address, words, and who may go there.
const PLACES: [(&str, &str, Scope); 6] = [
    ("", "Overview", Scope::Read),
    ("/batch", "Batch", Scope::Read),
    ("/tell", "Record results", Scope::Tell),
    ("/candidates", "Candidates", Scope::Read),
    ("/log", "Log", Scope::Read),
    ("report", "Report", Scope::Read),
];

fn page(call: &Call, about: &Page<'_>, content: Markup) -> Markup {
    let name = crate::name::Name::new(about.campaign.map_or("", |(name, _)| name));
    let allowed = |scope: Scope| call.who.allows(scope, name.as_ref());
    let menu = html! {
        @if let Some((name, _)) = about.campaign {
            nav aria-label="Campaign" {
                ul.menu {
                    @for (place, words, scope) in PLACES {
                        @if allowed(scope) {
                            @let address = match place {
                                "report" => format!("/api/v1/campaigns/{name}/report"),
                                place => format!("/c/{name}{place}"),
                            };
                            li { a href=(address) aria-current=[(place == about.place).then_some("page")] { (words) } }
                        }
                    }
                }
            }
        }
    };
    let who = html! {
        @if let Who::Holder(token) = &call.who {
            form.who method="post" action="/logout" {
                (key(call))
                span { (token.name) } " "
                button type="submit" { "Log out" }
            }
        }
    };
    let live = about.campaign.map(|(name, event)| format!("/api/v1/campaigns/{name}/stream?after={event}"));
    whole(about.title, live.as_deref(), html! { (who) (menu) }, content)
}

fn whole(title: &str, live: Option<&str>, top: Markup, content: Markup) -> Markup {
    html! {
        (DOCTYPE)
        html lang="en" {
            head {
                meta charset="utf-8";
                meta name="viewport" content="width=device-width, initial-scale=1";
                link rel="icon" href="data:,";
                link rel="stylesheet" href="/style.css";
                script src="/live.js" defer {}
                title { (title) " · Elfving" }
            }
            body data-live=[live] {
                a.skip href="#main" { "Skip to the content" }
                header {
                    p.home { a href="/" { "Elfving" } }
                    (top)
                    h1 { (title) }
                }
                p.news #news role="status" hidden { "Something was recorded since. " a href="" { "Load the page again" } }
                main #main { (content) }
            }
        }
    }
}

/// What every form carries.
fn key(call: &Call) -> Markup {
    html! { input type="hidden" name="form_key" value=(call.desk.sessions.form_key(&call.headers)); }
}

/// Wide tables scroll by themselves, with the keyboard too.
fn scrolling(label: &str, table: Markup) -> Markup {
    html! { div.scroll tabindex="0" role="region" aria-label=(label) { (table) } }
}

/// A page that says why not.
pub(crate) fn refused(_: &Desk, _: &HeaderMap, refusal: &Refusal) -> Markup {
    let problems: Vec<String> = refusal
        .more
        .get("problems")
        .and_then(serde_json::Value::as_array)
        .map_or_else(Vec::new, |problems| problems.iter().map(problem_in_words).collect());
    whole(
        "That did not work",
        None,
        html! {},
        html! {
            div.statement.none role="alert" {
                p { b { (sentence(&refusal.detail)) } }
                @if problems.len() > 1 { ul { @for problem in &problems { li { (problem) } } } }
                @if let Some(help) = &refusal.help { p { (sentence(help)) } }
                p.quiet { "Code " (refusal.code) ". Nothing was changed by this." }
            }
            p { "Go back with your browser, or to the " a href="/" { "list of campaigns" } "." }
        },
    )
}

fn problem_in_words(problem: &serde_json::Value) -> String {
    let text = |field: &str| problem[field].as_str().unwrap_or_default();
    let line = problem["line"].as_u64().map_or_else(String::new, |line| format!("line {line}: "));
    let column = match text("column") {
        "" => String::new(),
        column => format!("column {column:?}: "),
    };
    format!("{line}{column}{}", text("message"))
}

/// With a capital and a full stop.
fn sentence(words: &str) -> String {
    let words = words.trim().trim_end_matches('.');
    let mut letters = words.chars();
    let first = letters.next().map_or_else(String::new, |letter| letter.to_uppercase().to_string());
    format!("{first}{}.", letters.as_str())
}

/// A part of an address.
fn part(text: &str) -> String {
    form_urlencoded::byte_serialize(text.as_bytes()).collect::<String>().replace('+', "%20")
}
