//! Everything that can be asked, in one table: the router, the guard, the OpenAPI document and the security tests are made of it.

use crate::api::{campaigns, changes, meta, reading, results, slots};
use crate::call::{Answered, Call};
use crate::screens;
use crate::token::Scope;

/// One thing that can be asked.
pub(crate) struct Route {
    pub(crate) method: Verb,
    pub(crate) path: &'static str,
    /// Its name, in metrics and documents.
    pub(crate) id: &'static str,
    pub(crate) access: Access,
    pub(crate) takes: Takes,
    pub(crate) serve: fn(&mut Call) -> Answered,
    pub(crate) kind: Kind,
}

/// How it is asked.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Verb {
    Get,
    Post,
    Put,
}

/// Who may ask.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Access {
    /// Everybody: it says nothing of any campaign.
    All,
    /// Whoever's token allows it.
    Needs(Scope),
}

/// What comes with it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Takes {
    /// Nothing.
    Nothing,
    /// A JSON document of this schema.
    Json(&'static str),
    /// A JSON document of this schema, or a file of results.
    Results(&'static str),
    /// A table.
    Table,
    /// A form with files, the first of them a pool.
    Upload,
    /// The fields of one of our own forms, perhaps with files.
    Form,
}

/// Whom it is for.
pub(crate) enum Kind {
    /// Programs: it is in the OpenAPI document.
    Api {
        /// What it does, in a line.
        summary: &'static str,
        /// Options in the query, each with what it means.
        query: &'static [(&'static str, &'static str)],
        /// The schema of the answer, or its media type.
        answers: &'static str,
    },
    /// People.
    Page,
}

impl Route {
    pub(crate) fn is_page(&self) -> bool {
        matches!(self.kind, Kind::Page)
    }

    /// The most bytes of a body.
    pub(crate) fn most(&self) -> usize {
        match self.takes {
            Takes::Nothing => 0,
            Takes::Json(_) => 1 << 20,
            Takes::Results(_) | Takes::Table | Takes::Upload | Takes::Form => 32 << 20,
        }
    }
}

impl Verb {
    pub(crate) fn name(self) -> &'static str {
        match self {
            Self::Get => "GET",
            Self::Post => "POST",
            Self::Put => "PUT",
        }
    }
}

const READ: Access = Access::Needs(Scope::Read);
const ASK: Access = Access::Needs(Scope::Ask);
const TELL: Access = Access::Needs(Scope::Tell);
const ADMIN: Access = Access::Needs(Scope::Admin);

const fn api(
    method: Verb,
    path: &'static str,
    id: &'static str,
    access: Access,
    takes: Takes,
    serve: fn(&mut Call) -> Answered,
    kind: Kind,
) -> Route {
    Route { method, path, id, access, takes, serve, kind }
}

const fn page(
    method: Verb,
    path: &'static str,
    id: &'static str,
    access: Access,
    serve: fn(&mut Call) -> Answered,
) -> Route {
    let takes = match method {
        Verb::Get => Takes::Nothing,
        Verb::Post | Verb::Put => Takes::Form,
    };
    Route { method, path, id, access, takes, serve, kind: Kind::Page }
}

const fn says(summary: &'static str, answers: &'static str) -> Kind {
    Kind::Api { summary, query: &[], answers }
}

const fn with(
    summary: &'static str,
    query: &'static [(&'static str, &'static str)],
    answers: &'static str,
) -> Kind {
    Kind::Api { summary, query, answers }
}

/// What a program needs that has no file.
const FULL: (&str, &str) =
    ("full", "true: the batch with all columns, its sheet and its map, as {batch, sheet, plate_map}");

use Takes::{Json, Nothing, Results, Table, Upload};
use Verb::{Get, Post, Put};

/// The table.
pub(crate) static ROUTES: &[Route] = &[
    api(
        Get,
        "/healthz",
        "healthz",
        Access::All,
        Nothing,
        meta::health,
        says("Whether the server answers", "health"),
    ),
    api(
        Get,
        "/metrics",
        "metrics",
        READ,
        Nothing,
        meta::metrics,
        says("Counts for Prometheus", "text/plain"),
    ),
    api(
        Get,
        "/openapi.json",
        "openapi",
        Access::All,
        Nothing,
        meta::openapi,
        says("This document", "openapi"),
    ),
    api(
        Get,
        "/api/v1/campaigns",
        "list",
        READ,
        Nothing,
        campaigns::list,
        says("The campaigns of the folder", "campaigns"),
    ),
    api(
        Put,
        "/api/v1/campaigns/{name}",
        "new",
        ADMIN,
        Upload,
        campaigns::create,
        says("Creates a campaign from an uploaded table", "new"),
    ),
    api(
        Get,
        "/api/v1/campaigns/{name}",
        "status",
        READ,
        Nothing,
        campaigns::status,
        says("Where a campaign stands", "status"),
    ),
    api(
        Get,
        "/api/v1/campaigns/{name}/spec",
        "spec",
        READ,
        Nothing,
        campaigns::spec,
        says("The question of a campaign", "spec"),
    ),
    api(
        Post,
        "/api/v1/campaigns/{name}/ask",
        "ask",
        ASK,
        Json("ask"),
        slots::ask,
        with("Hands out slots: what to measure next, and why", &[FULL], "ask"),
    ),
    api(
        Get,
        "/api/v1/campaigns/{name}/slots",
        "slots",
        READ,
        Nothing,
        slots::open,
        with(
            "The open slots, whoever has them",
            &[
                ("all", "true: every slot with its state and outcome, instead"),
                ("format", "csv: a sheet to fill in; plate: a map of the plates"),
                FULL,
            ],
            "ask",
        ),
    ),
    api(
        Post,
        "/api/v1/campaigns/{name}/release",
        "release",
        ASK,
        Json("release"),
        slots::release,
        says("Gives slots back, for others to take", "release"),
    ),
    api(
        Post,
        "/api/v1/campaigns/{name}/tell",
        "tell",
        TELL,
        Results("tell"),
        results::tell,
        with(
            "Records results, all of them or none",
            &[
                ("dry_run", "true: everything is checked and nothing is written"),
                ("reason", "replace outcomes that differ, for this reason"),
                ("all_new", "true: lines without a slot are new even where the same value is on record"),
                ("file", "the name of a file in the body; its extension says what it is"),
                ("decimal", "the decimal mark of the file: . or ,"),
            ],
            "tell",
        ),
    ),
    api(
        Post,
        "/api/v1/campaigns/{name}/slots/{slot}/fail",
        "fail",
        TELL,
        Json("fail"),
        results::fail,
        says("Says that a measurement failed, or can never succeed", "tell"),
    ),
    api(
        Post,
        "/api/v1/campaigns/{name}/slots/{slot}/correct",
        "correct",
        TELL,
        Json("correct"),
        results::correct,
        with("Replaces a wrong result", &[("full", "true: the account of tell, instead")], "correct"),
    ),
    api(
        Post,
        "/api/v1/campaigns/{name}/earlier",
        "earlier",
        TELL,
        Json("earlier"),
        results::earlier,
        says("Brings in measurements made elsewhere, by candidate", "earlier"),
    ),
    api(
        Post,
        "/api/v1/campaigns/{name}/close",
        "close",
        ADMIN,
        Json("close"),
        results::close,
        says("Closes the round under way", "close"),
    ),
    api(
        Post,
        "/api/v1/campaigns/{name}/change",
        "change",
        ADMIN,
        Json("change"),
        changes::change,
        says("Changes the budget, the batch, epsilon, the limits or the layout", "change"),
    ),
    api(
        Post,
        "/api/v1/campaigns/{name}/forbid",
        "forbid",
        ADMIN,
        Json("forbid"),
        changes::forbid,
        says("Excludes candidates from here on", "change"),
    ),
    api(
        Post,
        "/api/v1/campaigns/{name}/allow",
        "allow",
        ADMIN,
        Json("allow"),
        changes::allow,
        says("Lets excluded candidates back in", "change"),
    ),
    api(
        Post,
        "/api/v1/campaigns/{name}/extend",
        "extend",
        ADMIN,
        Table,
        changes::extend,
        with(
            "Adds the candidates of a table",
            &[("reason", "why; required"), ("file", "the name of the table; its extension says what it is")],
            "change",
        ),
    ),
    api(
        Get,
        "/api/v1/campaigns/{name}/candidates",
        "candidates",
        READ,
        Nothing,
        reading::candidates,
        with(
            "The candidates, a page at a time",
            &[
                ("where", "a condition on the columns, such as dose <= 3"),
                ("state", "remaining, eliminated or excluded"),
                ("sort", "id, measured, estimate, or a column"),
                ("descending", "true: the largest first"),
                ("offset", "how many to leave out in front"),
                ("limit", "how many to list: 100 unless said, at most 1,000"),
            ],
            "candidates",
        ),
    ),
    api(
        Get,
        "/api/v1/campaigns/{name}/candidates/{id}",
        "candidate",
        READ,
        Nothing,
        reading::candidate,
        says("All about one candidate", "candidate"),
    ),
    api(
        Get,
        "/api/v1/campaigns/{name}/report",
        "report",
        READ,
        Nothing,
        reading::report,
        says("The report as one page", "text/html"),
    ),
    api(
        Get,
        "/api/v1/campaigns/{name}/export",
        "export",
        READ,
        Nothing,
        reading::export,
        with("Everything about a campaign", &[("format", "csv: one line per slot")], "export"),
    ),
    api(
        Get,
        "/api/v1/campaigns/{name}/events",
        "events",
        READ,
        Nothing,
        reading::events,
        with(
            "The events, in order",
            &[
                ("after", "only those after this number"),
                ("limit", "how many: 1,000 unless said, at most 10,000"),
            ],
            "log",
        ),
    ),
    api(
        Get,
        "/api/v1/campaigns/{name}/stream",
        "stream",
        READ,
        Nothing,
        reading::stream,
        with(
            "The events as they happen, as server-sent events; Last-Event-ID goes on where a stream ended",
            &[("after", "begin after this number; without it, with what comes next")],
            "text/event-stream",
        ),
    ),
    api(
        Get,
        "/api/v1/campaigns/{name}/verify",
        "verify",
        READ,
        Nothing,
        reading::verify,
        says("Checks the file, every seal and every decision", "verify"),
    ),
    page(Get, "/", "page-list", READ, screens::list::show),
    page(Get, "/login", "page-login", Access::All, screens::login::show),
    page(Post, "/login", "page-log-in", Access::All, screens::login::log_in),
    page(Post, "/logout", "page-log-out", Access::All, screens::login::log_out),
    page(Get, "/style.css", "page-style", Access::All, screens::assets::style),
    page(Get, "/live.js", "page-script", Access::All, screens::assets::script),
    page(Get, "/new", "page-new", ADMIN, screens::new::show),
    page(Post, "/new", "page-new-look", ADMIN, screens::new::look),
    page(Post, "/new/create", "page-new-create", ADMIN, screens::new::create),
    page(Get, "/c/{name}", "page-campaign", READ, screens::campaign::show),
    page(Get, "/c/{name}/batch", "page-batch", READ, screens::batch::show),
    page(Post, "/c/{name}/ask", "page-ask", ASK, screens::batch::ask),
    page(Get, "/c/{name}/tell", "page-tell", TELL, screens::tell::show),
    page(Post, "/c/{name}/tell", "page-tell-look", TELL, screens::tell::look),
    page(Post, "/c/{name}/tell/record", "page-tell-record", TELL, screens::tell::record),
    page(Post, "/c/{name}/correct", "page-correct", TELL, screens::candidate::correct),
    page(Get, "/c/{name}/candidates", "page-candidates", READ, screens::candidates::show),
    page(Get, "/c/{name}/candidates/{id}", "page-candidate", READ, screens::candidate::show),
    page(Get, "/c/{name}/log", "page-log", READ, screens::log::show),
];
