//! `elfving serve`: a folder of campaigns for a whole lab, over HTTP and in a browser; and who may come in.

use std::net::SocketAddr;
use std::path::PathBuf;

use clap::{Args, Subcommand};
use comfy_table::{Table, presets};
use elfving_campaign::At;
use elfving_server::{NewToken, Scope, ServeError, Server, Settings, TokenError, TokenRecord, Tokens};
use elfving_table::Cell;
use serde::Serialize;

use crate::campaign::now;
use crate::console::Console;
use crate::error::CliError;
use crate::named::named;
use crate::output::{self, OutputArgs};
use crate::words::{counted, trimmed};

/// Arguments of `elfving serve`.
#[derive(Debug, Args)]
#[command(
    args_conflicts_with_subcommands = true,
    after_help = "Examples:
  elfving serve --dir campaigns
      for this computer alone, at http://127.0.0.1:8080; nobody needs a token
  elfving serve token new \"plate robot\" --scope ask,tell --dir campaigns
      a token: from then on nobody comes in without one
  elfving serve --dir campaigns --listen 0.0.0.0:8080
      for other computers, too: only with a token, and behind a proxy with TLS (docs/serve.md)

The files are those of the command line, and both can work on them at the same time. No request leaves the server. Ctrl-C ends it;
what was acknowledged is on the disk."
)]
pub(crate) struct ServeArgs {
    #[command(subcommand)]
    command: Option<ServeCommand>,
    #[command(flatten)]
    folder: FolderArgs,
    /// The address to listen at; one that others can reach needs tokens
    #[arg(long, value_name = "ADDRESS:PORT", default_value = "127.0.0.1:8080")]
    listen: SocketAddr,
}

/// Which campaigns.
#[derive(Debug, Args)]
struct FolderArgs {
    /// The folder of campaigns
    #[arg(long, value_name = "FOLDER", default_value = ".")]
    dir: PathBuf,
}

#[derive(Debug, Subcommand)]
enum ServeCommand {
    /// Say who may come in: make, list and revoke tokens
    #[command(subcommand)]
    Token(TokenCommand),
}

#[derive(Debug, Subcommand)]
enum TokenCommand {
    /// Make a token; it is shown once
    New(NewArgs),
    /// List the tokens, without their secrets
    List(ListArgs),
    /// Make a token worthless from here on
    Revoke(RevokeArgs),
}

/// Arguments of `elfving serve token new`.
#[derive(Debug, Args)]
#[command(after_help = "Examples:
  elfving serve token new robot1 --scope ask,tell --campaign screen --expires 90d
  elfving serve token new \"Ada Lovelace\" --scope admin")]
struct NewArgs {
    /// Whose it is; every event that it records says so
    name: String,
    /// What it allows besides reading; admin allows everything
    #[arg(long, value_name = "SCOPE,..", value_delimiter = ',', required = true, value_parser = named::<Scope>())]
    scope: Vec<Scope>,
    /// A campaign it is for; may be repeated (default: all)
    #[arg(long = "campaign", value_name = "NAME")]
    campaigns: Vec<String>,
    /// How long it is valid, in days or hours: 90d, 12h (default: until it is revoked)
    #[arg(long, value_name = "TIME", value_parser = duration)]
    expires: Option<u64>,
    #[command(flatten)]
    folder: FolderArgs,
    #[command(flatten)]
    output: OutputArgs,
}

#[derive(Debug, Args)]
struct ListArgs {
    #[command(flatten)]
    folder: FolderArgs,
    #[command(flatten)]
    output: OutputArgs,
}

#[derive(Debug, Args)]
struct RevokeArgs {
    /// The id of the token, or the name of all that are revoked
    token: String,
    #[command(flatten)]
    folder: FolderArgs,
    #[command(flatten)]
    output: OutputArgs,
}

/// Milliseconds, from days or hours.
fn duration(text: &str) -> Result<u64, String> {
    const HOUR: u64 = 3_600_000;
    let unit = |letter: char| if letter == 'd' { 24 * HOUR } else { HOUR };
    let letter = text.chars().last().filter(|letter| matches!(letter, 'd' | 'h'));
    let parsed = letter.and_then(|letter| {
        let number =
            text.strip_suffix(letter)?.parse::<u64>().ok().filter(|number| (1..=36_500).contains(number))?;
        Some(number * unit(letter))
    });
    parsed.ok_or_else(|| "give days or hours, such as 90d or 12h".to_owned())
}

#[derive(Serialize)]
struct ServeDocument {
    address: String,
    needs_token: bool,
}

pub(crate) fn serve(args: &ServeArgs, as_json: bool, console: Console) -> Result<(), CliError> {
    match &args.command {
        Some(ServeCommand::Token(TokenCommand::New(new))) => make(new, as_json, console),
        Some(ServeCommand::Token(TokenCommand::List(list))) => show(list, as_json),
        Some(ServeCommand::Token(TokenCommand::Revoke(revoke))) => end(revoke, as_json),
        None => run(args, as_json, console),
    }
}

fn run(args: &ServeArgs, as_json: bool, console: Console) -> Result<(), CliError> {
    let folder = args.folder.dir.clone();
    let server = Server::bind(&Settings { folder, listen: args.listen, clock: now }).map_err(refused)?;
    let failed = |source| refused(ServeError::Address { address: args.listen, source });
    let (address, needs_token) = (server.address().map_err(failed)?, !server.is_open());
    let document = ServeDocument { address: format!("http://{address}"), needs_token };
    if needs_token {
        console.note("a token is needed to come in: elfving serve token new");
    }
    if !address.ip().is_loopback() {
        console.note("tokens travel in the open without TLS: put a proxy in front (docs/serve.md)");
    }
    output::print(match as_json {
        true => output::json_line(&document),
        false => format!("{}\n", document.address),
    })?;
    server.run().map_err(failed)
}

fn refused(error: ServeError) -> CliError {
    let message = error.to_string();
    match error {
        ServeError::NoFolder(_) => CliError::usage("E201", message, "give a folder that exists with --dir"),
        ServeError::NeedsTokens(_) => CliError::usage(
            "E202",
            message,
            "make a token first (elfving serve token new NAME --scope ..), or listen at 127.0.0.1:8080",
        ),
        ServeError::Address { .. } => CliError::usage("E201", message, "give another address with --listen"),
        ServeError::Tokens(error) => of_token(error),
    }
}

fn of_token(error: TokenError) -> CliError {
    let message = error.to_string();
    match error {
        TokenError::Io { path, source } => CliError::write(&path, source),
        TokenError::Damaged { .. } => {
            CliError::data("E352", message, "remove the file; whoever has that token needs another")
        }
        TokenError::Unknown(_) => {
            CliError::usage("E203", message, "elfving serve token list has all of them")
        }
        TokenError::Invalid(_) => CliError::usage("E201", message, "see elfving serve token new --help"),
    }
}

/// What is said of a token.
#[derive(Serialize)]
struct TokenDocument<'a> {
    #[serde(skip_serializing_if = "Option::is_none")]
    token: Option<&'a str>,
    id: &'a str,
    name: &'a str,
    scopes: Vec<&'static str>,
    campaigns: &'a [String],
    created: At,
    expires: Option<At>,
    revoked: Option<At>,
    valid: bool,
}

impl<'a> TokenDocument<'a> {
    fn of(record: &'a TokenRecord, token: Option<&'a str>) -> Self {
        let scopes = record.scopes.iter().map(|scope| scope.name()).collect();
        let TokenRecord { id, name, campaigns, created, expires, revoked, .. } = record;
        let (created, expires, revoked, valid) = (*created, *expires, *revoked, record.is_valid(now()));
        Self { token, id, name, scopes, campaigns, created, expires, revoked, valid }
    }
}

fn make(args: &NewArgs, as_json: bool, console: Console) -> Result<(), CliError> {
    args.output.check(as_json, "a token is")?;
    if !args.folder.dir.is_dir() {
        return Err(refused(ServeError::NoFolder(args.folder.dir.clone())));
    }
    let at = now();
    let new = NewToken {
        name: args.name.clone(),
        scopes: args.scope.clone(),
        campaigns: args.campaigns.clone(),
        expires: args.expires.map(|time| At(at.0.saturating_add(time))),
    };
    let (record, token) = Tokens::of(&args.folder.dir).make(new, at).map_err(of_token)?;
    console.note("this is the only time that the token is shown; its SHA-256 is kept");
    let document = TokenDocument::of(&record, Some(&token));
    let csv = || output::csv_of_fields(&document);
    args.output.deliver(as_json, "a token is", &document, csv, || format!("{token}\n"))
}

#[derive(Serialize)]
struct TokensDocument<'a> {
    tokens: Vec<TokenDocument<'a>>,
}

fn show(args: &ListArgs, as_json: bool) -> Result<(), CliError> {
    args.output.check(as_json, "a list is")?;
    let records = Tokens::of(&args.folder.dir).list().map_err(of_token)?;
    let document =
        TokensDocument { tokens: records.iter().map(|record| TokenDocument::of(record, None)).collect() };
    let header = ["id", "name", "allows", "for", "expires", "state"];
    let row = |token: &TokenDocument<'_>| {
        let campaigns = if token.campaigns.is_empty() { "all".to_owned() } else { token.campaigns.join(",") };
        let expires = token.expires.map_or_else(|| "never".to_owned(), |at| at.to_string());
        let state = match (token.revoked, token.valid) {
            (Some(_), _) => "revoked",
            (None, false) => "expired",
            (None, true) => "valid",
        };
        [
            token.id.to_owned(),
            token.name.to_owned(),
            token.scopes.join(","),
            campaigns,
            expires,
            state.to_owned(),
        ]
    };
    let csv = || {
        let cells = |token| row(token).map(|text| Cell::Text(text.into())).into_iter().collect();
        output::csv(&header, document.tokens.iter().map(cells))
    };
    let text = || {
        if document.tokens.is_empty() {
            return "no tokens: the server is for this computer alone\n".to_owned();
        }
        let mut lines = Table::new();
        lines.load_style(presets::NOTHING);
        lines.set_header(header);
        document.tokens.iter().for_each(|token| {
            lines.add_row(row(token));
        });
        format!("{}\n", trimmed(&lines))
    };
    args.output.deliver(as_json, "a list is", &document, csv, text)
}

#[derive(Serialize)]
struct RevokeDocument {
    revoked: usize,
}

fn end(args: &RevokeArgs, as_json: bool) -> Result<(), CliError> {
    args.output.check(as_json, "an account is")?;
    let revoked = Tokens::of(&args.folder.dir).revoke(&args.token, now()).map_err(of_token)?;
    let document = RevokeDocument { revoked };
    let csv = || output::csv_of_fields(&document);
    let text = || format!("{} revoked\n", counted(revoked, "token"));
    args.output.deliver(as_json, "an account is", &document, csv, text)
}
