//! Campaigns over HTTP and in a browser: one folder of campaign files, for a whole lab.
//!
//! The files are those of the command line, and both can work on them at the same time: every change goes through
//! [`elfving_campaign`], which sees what others have appended. Everything that can be asked is one table, `routes`; the guard, the
//! OpenAPI document and the security tests are made of it, so that nothing can be added past them.
//!
//! Without [`Tokens`] the server answers to this computer alone. No request ever leaves it.

mod answers;
mod api;
mod call;
mod guard;
mod house;
mod limit;
mod metrics;
mod name;
mod openapi;
mod random;
mod refusal;
mod routes;
mod screens;
mod server;
mod session;
mod stash;
mod stream;
mod token;

pub use house::Clock;
pub use name::Name;
pub use server::{ServeError, Server, Settings};
pub use token::{NewToken, Scope, TokenError, TokenRecord, Tokens};

/// Everything that can be asked, for tests that go through all of it: method, address, the scope it needs and whether it is a page.
pub fn routes() -> Vec<(&'static str, &'static str, Option<Scope>, bool)> {
    let scope = |route: &routes::Route| match route.access {
        routes::Access::All => None,
        routes::Access::Needs(scope) => Some(scope),
    };
    routes::ROUTES
        .iter()
        .map(|route| (route.method.name(), route.path, scope(route), route.is_page()))
        .collect()
}
