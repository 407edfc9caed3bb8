//! What can be asked on the command line.

use std::num::NonZeroUsize;

use clap::{Args, CommandFactory, Parser, Subcommand};

use crate::campaign::{
    AskArgs, CorrectArgs, ExportArgs, LogArgs, NewArgs, ReportArgs, StatusArgs, TellArgs, VerifyArgs,
};
use crate::certify::CertifyArgs;
use crate::completions::{CompletionsArgs, ManArgs};
use crate::complexity::ComplexityArgs;
use crate::demo::DemoArgs;
use crate::design::DesignArgs;
use crate::diagnose::DiagnoseArgs;
use crate::estimate::EstimateArgs;
use crate::plan::PlanArgs;
use crate::reproduce::ReproduceArgs;
use crate::round::RoundArgs;
use crate::simulate::SimulateArgs;

/// Which candidates of a table to measure next, how often, and when to stop.
#[derive(Debug, Parser)]
#[command(
    name = "elfving",
    version,
    propagate_version = true,
    after_help = "Data goes to stdout, everything else to stderr.\n\
        Exit codes: 0 done, 1 internal bug, 2 usage, 3 data refused, 4 campaign damaged, 5 cannot write,\n\
        6 locked, 7 no certificate, 8 a decision is needed, 9 newer format, 130 Ctrl-C.\n\n\
        Start with:  elfving new screen --pool pool.csv --id id --maximize yield"
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
    /// Print one JSON object on stdout
    #[arg(long, global = true, display_order = 900)]
    pub(crate) json: bool,
    /// Threads to use (default: one for each core); results do not depend on it
    #[arg(long, global = true, value_name = "N", display_order = 901)]
    pub(crate) threads: Option<NonZeroUsize>,
    /// Say nothing on stderr but errors
    #[arg(long, short, global = true, display_order = 902)]
    pub(crate) quiet: bool,
}

/// The commands.
#[derive(Debug, Subcommand)]
pub(crate) enum Command {
    /// Run a whole campaign on a real table, in seconds, and write its report
    Demo(DemoArgs),
    /// Start a campaign: a durable file that is asked what to measure and told what came out
    New(Box<NewArgs>),
    /// Ask a campaign what to measure next
    Ask(AskArgs),
    /// Tell a campaign what came out
    Tell(TellArgs),
    /// Say where a campaign stands, what is guaranteed, and why a candidate is out
    Status(StatusArgs),
    /// Write a campaign's report: one HTML file with the answer, the statement, intervals and pictures
    Report(ReportArgs),
    /// Replace an outcome that was wrong
    Correct(CorrectArgs),
    /// List what happened in a campaign, event by event
    Log(LogArgs),
    /// Write a campaign for other programs, as CSV or JSON
    Export(ExportArgs),
    /// Check that a campaign is as it was written
    Verify(VerifyArgs),
    /// Compute which candidates to measure, in which proportions, with a proof of how good the answer is
    Design(Box<DesignArgs>),
    /// Turn a design and a budget into whole measurements, as a plan or a lab sheet
    Round(Box<RoundArgs>),
    /// Turn the outcomes of a plan into estimates with intervals, each a theorem under stated assumptions
    Estimate(Box<EstimateArgs>),
    /// Compare algorithms on a pool whose truth is known
    Simulate(Box<SimulateArgs>),
    /// Run the experiments of the paper, and ours: numbers, figures, and what holds
    Reproduce(ReproduceArgs),
    /// Compute what a problem costs: effective dimensions, information gain, rho*, T*, with certified bounds
    Complexity(Box<ComplexityArgs>),
    /// Say how many measurements a certified answer will take, before the first one
    Plan(Box<PlanArgs>),
    /// Look at a table and say which options to use: scales, kernel, noise, bounds
    Diagnose(Box<DiagnoseArgs>),
    /// Check a saved design again, without the solver that found it
    Certify(CertifyArgs),
    /// Write the completions of a shell to stdout
    Completions(CompletionsArgs),
    /// Write the manual page to stdout
    Man(ManArgs),
}
