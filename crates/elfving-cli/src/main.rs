//! The `elfving` program: parse, call, print.
//!
//! `args` says what can be asked, every command has a file of its own, `error` and `exit` say what a failure is
//! called. Results go to stdout, diagnostics to stderr.

mod app;
mod args;
mod assumption_args;
mod campaign;
mod candidate_sheet;
mod certify;
mod completions;
mod complexity;
mod console;
mod demo;
mod design;
mod diagnose;
mod error;
mod estimate;
mod exit;
mod factors;
mod goal_args;
mod hints;
mod input;
mod kernel_args;
mod limits;
mod named;
mod output;
mod plan;
mod pool_args;
mod pool_source;
mod problem_error;
mod renamed;
mod reproduce;
mod round;
mod saved_design;
mod schema;
mod serve;
mod signals;
mod simulate;
mod targets;
mod topics;
mod truth;
mod words;

fn main() -> std::process::ExitCode {
    app::run(std::env::args_os()).into()
}
