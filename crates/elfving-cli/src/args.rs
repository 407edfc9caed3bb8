//! What can be asked on the command line.

use std::num::NonZeroUsize;

use clap::{Args, CommandFactory, Parser, Subcommand};

use crate::campaign::{
    AllowArgs, AskArgs, ChangeArgs, CorrectArgs, ExportArgs, ExtendArgs, ForbidArgs, LogArgs, NewArgs,
    ReleaseArgs, ReportArgs, StatusArgs, TellArgs, VerifyArgs, WatchArgs,
};
use crate::certify::CertifyArgs;
use crate::completions::{CompletionsArgs, ManArgs};
use crate::complexity::ComplexityArgs;
use crate::demo::DemoArgs;
use crate::design::DesignArgs;
use crate::diagnose::DiagnoseArgs;
use crate::estimate::EstimateArgs;
use crate::factors::FactorArgs;
use crate::plan::PlanArgs;
use crate::reproduce::ReproduceArgs;
use crate::round::RoundArgs;
use crate::schema::SchemaArgs;
use crate::serve::ServeArgs;
use crate::simulate::SimulateArgs;

/// Which candidates of a table to measure next, how often, and when to stop.
#[derive(Debug, Parser)]
#[command(
    name = "elfving",
    version,
    propagate_version = true,
    after_help = "Results go to stdout, diagnostics to stderr.\n\
        Exit codes: 0 done, 1 internal bug, 2 usage, 3 data refused, 4 campaign damaged, 5 cannot write,\n\
        6 locked, 7 no certificate, 8 a decision is needed, 9 newer format, 10 nothing to hand out,\n\
        11 assumptions refuted (status --check), 130 Ctrl-C, 143 SIGTERM.\n\
        Topics: elfving help campaign, elfving help options, elfving help formula\n\n\
        Start with:  elfving demo\n\
        or:          elfving new screen pool.csv --id id --maximize yield --mode calibrated"
)]
pub(crate) struct Cli {
    #[command(flatten)]
    pub(crate) global: GlobalArgs,
    #[command(subcommand)]
    pub(crate) command: Command,
}

/// The parser. What a shared group of options is for a command is said here: which are required, and which it has no use for.
pub(crate) fn command() -> clap::Command {
    let sigma_required = |command: clap::Command| command.mut_arg("sigma", |sigma| sigma.required(true));
    // The direction names the outcome; `renamed` says so to who writes --outcome.
    let no_outcome = |command: clap::Command| command.mut_arg("outcome", |outcome| outcome.hide(true));
    Cli::command()
        .mut_subcommand("estimate", sigma_required)
        .mut_subcommand("plan", |command| {
            no_outcome(sigma_required(command))
                .mut_arg("bound", |bound| bound.required_unless_present("norm"))
        })
        .mut_subcommand("complexity", |command| {
            let command = no_outcome(command).mut_arg("noise", |noise| noise.hide(true));
            command.mut_arg("bound", |bound| bound.hide(true))
        })
        .mut_subcommand("simulate", |command| {
            let command = no_outcome(command);
            command.mut_arg("truth", |truth| truth.required_unless_present_any(["maximize", "minimize"]))
        })
        .mut_subcommand("new", no_outcome)
}

/// Options of every command.
#[derive(Debug, Args)]
pub(crate) struct GlobalArgs {
    /// Print one JSON object on stdout, and errors as one on stderr; short for --format json
    #[arg(long, global = true, display_order = 900)]
    pub(crate) json: bool,
    /// Threads to use (default: one per core); results do not depend on it
    #[arg(long, global = true, value_name = "N", display_order = 901)]
    pub(crate) threads: Option<NonZeroUsize>,
    /// Print nothing on stderr but errors
    #[arg(long, short, global = true, display_order = 902)]
    pub(crate) quiet: bool,
}

/// The commands.
#[derive(Debug, Subcommand)]
pub(crate) enum Command {
    /// Run a whole campaign on a real table in seconds, with a report
    Demo(DemoArgs),
    /// Create a campaign file
    New(Box<NewArgs>),
    /// Print the next batch: what to measure, and why
    Ask(AskArgs),
    /// Record results
    Tell(TellArgs),
    /// Run a command for every slot and record what it prints
    Watch(WatchArgs),
    /// Give slots back, for others to take
    Release(ReleaseArgs),
    /// Change the budget, the batch, epsilon or the limits of a campaign
    Change(ChangeArgs),
    /// Add candidates from another table
    Extend(ExtendArgs),
    /// Exclude candidates from here on
    Forbid(ForbidArgs),
    /// Let excluded candidates back in
    Allow(AllowArgs),
    /// Show progress, guarantees and eliminations
    Status(StatusArgs),
    /// Write a report: one HTML file with the result, its guarantee, intervals and pictures
    Report(ReportArgs),
    /// Replace a wrong result
    Correct(CorrectArgs),
    /// List the events of a campaign
    Log(LogArgs),
    /// Export a campaign as CSV or JSON
    Export(ExportArgs),
    /// Check that a campaign file is intact
    Verify(VerifyArgs),
    /// Serve the campaigns of a folder over HTTP and in a browser
    Serve(ServeArgs),
    /// Make candidates from factors: levels, ranges, mixtures
    Pool(Box<FactorArgs>),
    /// Compute which candidates to measure, in which proportions, with a certificate
    Design(Box<DesignArgs>),
    /// Turn a design and a budget into whole measurements: a plan or a lab sheet
    Round(Box<RoundArgs>),
    /// Turn the outcomes of a plan into estimates with intervals
    Estimate(Box<EstimateArgs>),
    /// Compare algorithms on a pool with known means
    Simulate(Box<SimulateArgs>),
    /// Reproduce the experiments of the paper, and ours
    Reproduce(ReproduceArgs),
    /// Compute how hard a problem is: effective dimensions, information gain, rho*, T*, with certified bounds
    Complexity(Box<ComplexityArgs>),
    /// Estimate how many measurements a certified answer will take
    Plan(Box<PlanArgs>),
    /// Suggest options for a table: scales, kernel, noise, bounds
    Diagnose(Box<DiagnoseArgs>),
    /// Check a saved design independently of the solver
    Certify(CertifyArgs),
    /// Print the JSON Schema of an answer
    Schema(SchemaArgs),
    /// Print shell completions
    Completions(CompletionsArgs),
    /// Print a manual page
    Man(ManArgs),
}
