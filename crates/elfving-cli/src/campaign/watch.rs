//! `elfving watch`: a command measures each slot, and what it prints is told.

use std::collections::VecDeque;
use std::ffi::OsString;
use std::io::{Read, Write};
use std::process::{Child, Command, ExitStatus, Stdio};
use std::sync::{Arc, Mutex, PoisonError};
use std::thread;
use std::time::{Duration, Instant};

use clap::Args;
use elfving::bandit::{Outcome, Reading};
use elfving_campaign::{Advice, BatchRow, Campaign, CampaignError, Stop, TellOptions, Told, shell_word};
use serde::Serialize;
use serde_json::Value;

use super::failure::failed;
use super::{CampaignFile, now};
use crate::console::Console;
use crate::error::CliError;
use crate::limits;
use crate::output::{self, OutputArgs};
use crate::signals;
use crate::words::counted;

/// How often running commands are looked at.
const LOOK: Duration = Duration::from_millis(20);
/// How long the output of a command that has ended is waited for: a process that it left behind may hold it open.
const LAST_WORDS: Duration = Duration::from_secs(1);
/// Failures before the first outcome that are put down to the command, not to the candidates.
const BROKEN: usize = 10;
/// Attempts to reach a campaign that others hold, of five seconds each.
const ATTEMPTS: usize = 12;
/// Bytes of output that are kept: the outcome is at the end.
const MOST_OUTPUT: usize = 1 << 20;

/// Arguments of `elfving watch`.
#[derive(Debug, Args)]
#[command(after_help = "Examples:
  elfving watch screen -- sh measure.sh
      runs the script for one slot after the other until the campaign stops
  elfving watch screen --jobs 2 --timeout 60 -- sh measure.sh
      two at a time; a run of more than a minute counts as failed
  elfving watch screen --worker night --once --batch 4 -- sh measure.sh
      four slots under a name of its own, then it ends

The command gets the row as one line of JSON on stdin, as `elfving ask --json` has it ({\"slot\":..,\"id\":..,\"columns\":{..},..}), and
ELFVING_SLOT and ELFVING_ID in its environment. The last line that it prints is the outcome: a number, or a JSON object with the
outcome by its name ({\"yield\": 0.5}, or a list of repeats) or a status ({\"status\": \"failed\"} or \"infeasible\"). An exit code
other than 0, no outcome, or too long a time count as failed: the slot is tried again, and after --tries failures the candidate is
infeasible. Each result is on record before the next slot is planned. What a killed `watch` leaves open is measured by the next one of
the same --worker; two at the same time need two names. Ctrl-C ends the commands and gives their slots back.
Where --worth or --epsilon of `elfving new` says when another batch is not worth it, watch ends when that is the advice.
Exit code 0: the campaign has stopped, or --once is done; 10: others have to report first.")]
pub(crate) struct WatchArgs {
    #[command(flatten)]
    file: CampaignFile,
    /// The name under which slots are taken
    #[arg(long, value_name = "NAME", default_value = "watch")]
    worker: String,
    /// Slots to take at a time (default: as many as --jobs; with --once the batch of the campaign)
    #[arg(long, short = 'n', value_name = "N")]
    batch: Option<usize>,
    /// Commands that run at the same time
    #[arg(long, value_name = "N", default_value_t = 1)]
    jobs: usize,
    /// Measure one batch, then end
    #[arg(long)]
    once: bool,
    /// Seconds after which a command is ended and counts as failed
    #[arg(long, value_name = "SECONDS")]
    timeout: Option<f64>,
    #[command(flatten)]
    output: OutputArgs,
    /// The command and its arguments
    #[arg(last = true, required = true, value_name = "COMMAND")]
    command: Vec<OsString>,
}

/// What `--json` prints.
#[derive(Debug, Default, Serialize)]
struct WatchDocument {
    /// Outcomes that were told.
    told: usize,
    /// Commands that failed.
    failed: usize,
    /// Candidates that turned out to be infeasible.
    infeasible: usize,
    /// Why nothing more is measured.
    stopped: Option<Stop>,
    /// The last event of the campaign.
    event: u64,
}

pub(crate) fn watch(args: &WatchArgs, as_json: bool, console: Console) -> Result<(), CliError> {
    args.output.check(as_json, "an account is")?;
    limits::check("--jobs", args.jobs as u64, limits::MOST_THREADS)?;
    limits::check("--batch", args.batch.unwrap_or(1) as u64, limits::MOST_MEASUREMENTS)?;
    let timeout = args.timeout.map(seconds).transpose()?;
    let campaign = args.file.open()?;
    // From here on Ctrl-C is a request: slots are given back first.
    signals::defer();
    let mut watch = Watch {
        args,
        timeout,
        console,
        outcome: campaign.spec().outcome.clone(),
        campaign,
        running: Vec::new(),
        waiting: VecDeque::new(),
        since_advice: 0,
        advised_to_stop: false,
        done: WatchDocument::default(),
    };
    let ended = watch.run();
    if ended.is_err() {
        watch.leave();
    }
    ended?;
    let Watch { campaign, mut done, .. } = watch;
    done.event = campaign.head().event;
    let text = || summary(&done, &campaign.path().display().to_string());
    args.output.deliver(as_json, "an account is", &done, || output::csv_of_fields(&done), text)?;
    if matches!(done.stopped, Some(Stop::Waiting { .. })) { Err(CliError::NothingToDo) } else { Ok(()) }
}

fn seconds(given: f64) -> Result<Duration, CliError> {
    let duration = Duration::try_from_secs_f64(given).ok().filter(|duration| !duration.is_zero());
    duration.ok_or_else(|| {
        CliError::usage("E201", format!("--timeout {given} is no time to wait"), "give seconds, such as 60")
    })
}

fn summary(done: &WatchDocument, file: &str) -> String {
    let WatchDocument { told, failed, infeasible, stopped, .. } = done;
    let why = stopped.as_ref().map_or_else(|| "one batch is done".to_owned(), ToString::to_string);
    let infeasible = match infeasible {
        0 => String::new(),
        count => format!(", {} infeasible", counted(*count, "candidate")),
    };
    format!(
        "{} told, {failed} failed{infeasible}: {why}\nNext: elfving status {}\n",
        counted(*told, "outcome"),
        shell_word(file)
    )
}

/// A campaign and the commands that measure for it.
struct Watch<'a> {
    args: &'a WatchArgs,
    timeout: Option<Duration>,
    console: Console,
    outcome: String,
    campaign: Campaign,
    running: Vec<Job>,
    /// Slots that are taken and have no command yet.
    waiting: VecDeque<BatchRow>,
    /// Outcomes that were told since the advice was looked at.
    since_advice: usize,
    /// Whether that was to stop.
    advised_to_stop: bool,
    done: WatchDocument,
}

/// A command at work.
struct Job {
    row: BatchRow,
    child: Child,
    output: Arc<Mutex<Output>>,
    deadline: Option<Instant>,
    timed_out: bool,
}

/// What a command has printed so far.
#[derive(Default)]
struct Output {
    bytes: Vec<u8>,
    ended: bool,
}

impl Watch<'_> {
    fn run(&mut self) -> Result<(), CliError> {
        // Whether asking may give something: at the start, and after every result.
        let (mut asked, mut news) = (false, true);
        loop {
            if let Some(signal) = signals::received() {
                return Err(CliError::Interrupted { signal });
            }
            // Who has work left plans no more: the next plan should know its results.
            let idle = self.waiting.is_empty() && self.running.len() < self.args.jobs;
            if idle && news && !(asked && self.args.once) {
                let stopped = self.take()?;
                (asked, news) = (true, stopped.is_none());
                // Results of our own may change that.
                if stopped.is_some() && self.running.is_empty() {
                    self.done.stopped = stopped;
                    return Ok(());
                }
            }
            while self.running.len() < self.args.jobs {
                let Some(row) = self.waiting.pop_front() else { break };
                self.start(row)?;
            }
            if self.running.is_empty() && self.args.once {
                return Ok(());
            }
            thread::sleep(LOOK);
            news |= self.collect()?;
        }
    }

    /// Takes slots: those that a watch before this one left open, then new ones.
    fn take(&mut self) -> Result<Option<Stop>, CliError> {
        let size = match (self.args.batch, self.args.once) {
            (Some(batch), _) => batch.max(self.running.len() + 1),
            (None, false) => self.args.jobs,
            (None, true) => self.campaign.spec().batch,
        };
        if self.is_advised_to_stop()? {
            return Ok(Some(Stop::Advice(Advice::Stop)));
        }
        let worker = self.args.worker.as_str();
        let batch = patiently(|| self.campaign.ask_for(Some(worker), Some(size), now()))?;
        let running = |row: &BatchRow| self.running.iter().any(|job| job.row.slot == row.slot);
        self.waiting = batch.rows.into_iter().filter(|row| !running(row)).collect();
        // Everything handed out is running already: nothing more is to be had until one of them is done.
        let full = self.waiting.is_empty() && batch.stopped.is_none();
        Ok(batch.stopped.or(full.then_some(Stop::Waiting { open: self.running.len() })))
    }

    /// Whether the user said when to stop, and this is it. It is looked at after every batch's worth of outcomes; what runs then is still
    /// told.
    fn is_advised_to_stop(&mut self) -> Result<bool, CliError> {
        if !self.advised_to_stop && self.since_advice >= self.campaign.spec().batch {
            self.since_advice = 0;
            self.advised_to_stop = patiently(|| self.campaign.is_advised_to_stop())?;
        }
        Ok(self.advised_to_stop)
    }

    fn start(&mut self, row: BatchRow) -> Result<(), CliError> {
        let line = output::json_line(&row);
        let mut command = Command::new(&self.args.command[0]);
        command.args(&self.args.command[1..]).env("ELFVING_SLOT", &row.slot).env("ELFVING_ID", &row.id);
        command.stdin(Stdio::piped()).stdout(Stdio::piped());
        in_a_group(&mut command);
        let mut child = command.spawn().map_err(|error| {
            let program = self.args.command[0].to_string_lossy().into_owned();
            let message = format!("{program:?} cannot be run: {error}");
            CliError::usage("E212", message, "check the command behind --; its slots are given back")
        })?;
        if let Some(mut stdin) = child.stdin.take() {
            // A command that does not read its row is none the worse; a full pipe must not stop the others.
            thread::spawn(move || {
                let _ = stdin.write_all(line.as_bytes());
            });
        }
        let output = Arc::new(Mutex::new(Output::default()));
        if let Some(stdout) = child.stdout.take() {
            let output = Arc::clone(&output);
            thread::spawn(move || listen(stdout, &output));
        }
        let deadline = self.timeout.and_then(|timeout| Instant::now().checked_add(timeout));
        self.running.push(Job { row, child, output, deadline, timed_out: false });
        Ok(())
    }

    /// Ends what takes too long, and tells what has ended; whether something has.
    fn collect(&mut self) -> Result<bool, CliError> {
        let (mut k, before) = (0, self.running.len());
        while k < self.running.len() {
            let job = &mut self.running[k];
            if !job.timed_out && job.deadline.is_some_and(|deadline| Instant::now() >= deadline) {
                job.timed_out = true;
                end(&mut job.child);
            }
            let ended = job.child.try_wait().unwrap_or_else(|_| Some(ExitStatus::default()));
            match ended {
                None => k += 1,
                Some(status) => {
                    let job = self.running.remove(k);
                    self.tell(&job, status)?;
                }
            }
        }
        Ok(self.running.len() < before)
    }

    fn tell(&mut self, job: &Job, status: ExitStatus) -> Result<(), CliError> {
        let (outcome, words) = match job.timed_out {
            true => {
                let limit = self.timeout.unwrap_or_default().as_secs_f64();
                (Outcome::Failed, format!("failed (longer than {limit} s)"))
            }
            false => understood(&job.printed(), status, &self.outcome),
        };
        let BatchRow { slot, id, .. } = &job.row;
        let told = [(slot.as_str(), outcome)];
        let options = TellOptions { by: Some(self.args.worker.clone()), ..TellOptions::default() };
        let answer = patiently(|| self.campaign.tell_outcomes(&told, &options, now()));
        let answer = match answer {
            // Somebody else has spoken about this slot; the others go on.
            Err(CliError::Campaign(failure))
                if matches!(
                    failure.error,
                    CampaignError::Conflict { .. }
                        | CampaignError::TooLate { .. }
                        | CampaignError::NotOpen { .. }
                ) =>
            {
                self.console.line(format!("{slot} {id}: {words}; not recorded: {}", failure.error));
                return Ok(());
            }
            answer => answer?,
        };
        self.account(&answer);
        let aside = match answer.set_aside.as_slice() {
            [] => "",
            _ => "; infeasible now, not asked again",
        };
        self.console.line(format!("{slot} {id}: {words}{aside}"));
        if self.done.told == 0 && self.done.failed >= BROKEN {
            let message = format!("the command failed {BROKEN} times and never gave an outcome");
            let help = "run it by hand with a row of `elfving ask --json` on stdin; `elfving allow` lets back in what counts as infeasible";
            return Err(CliError::decision("E804", message, help));
        }
        Ok(())
    }

    fn account(&mut self, told: &Told) {
        self.done.told += told.recorded;
        self.since_advice += told.recorded;
        self.done.failed += told.failed;
        self.done.infeasible += told.set_aside.len();
        // Slots of a candidate that is out are not open any more.
        self.waiting.retain(|row| !told.set_aside.contains(&row.id));
    }

    /// Ends the commands and gives their slots back. What is not given back is measured by the next watch of that name.
    fn leave(&mut self) {
        for job in &mut self.running {
            end(&mut job.child);
            let _ = job.child.wait();
        }
        let worker = self.args.worker.as_str();
        if let Ok(released) = self.campaign.release(&[], Some(worker), false, now()) {
            self.console.line(format!("{} given back", counted(released, "slot")));
        }
    }
}

impl Job {
    /// What the command has printed, once it is done with it.
    fn printed(&self) -> String {
        let patience = Instant::now() + LAST_WORDS;
        loop {
            let output = self.output.lock().unwrap_or_else(PoisonError::into_inner);
            if output.ended || Instant::now() >= patience {
                return String::from_utf8_lossy(&output.bytes).into_owned();
            }
            drop(output);
            thread::sleep(Duration::from_millis(1));
        }
    }
}

/// Reads to the end, and keeps the last of it.
fn listen(mut from: impl Read, output: &Mutex<Output>) {
    let mut buffer = [0; 8192];
    loop {
        let read = from.read(&mut buffer).unwrap_or(0);
        let mut output = output.lock().unwrap_or_else(PoisonError::into_inner);
        if read == 0 {
            output.ended = true;
            return;
        }
        output.bytes.extend_from_slice(&buffer[..read]);
        if output.bytes.len() > 2 * MOST_OUTPUT {
            let surplus = output.bytes.len() - MOST_OUTPUT;
            output.bytes.drain(..surplus);
        }
    }
}

/// The outcome that a command has printed, and what is said of it.
fn understood(printed: &str, status: ExitStatus, name: &str) -> (Outcome, String) {
    let last = printed.lines().rev().map(str::trim).find(|line| !line.is_empty()).unwrap_or_default();
    let object = serde_json::from_str::<Value>(last).ok().filter(Value::is_object);
    if object.as_ref().is_some_and(|object| object["status"] == "infeasible") {
        return (Outcome::Infeasible, "infeasible".to_owned());
    }
    let failed = |why: String| (Outcome::Failed, format!("failed ({why})"));
    if !status.success() {
        return failed(match status.code() {
            Some(code) => format!("exit code {code}"),
            None => "ended by a signal".to_owned(),
        });
    }
    let number = |value: &Value| value.as_f64().filter(|number| number.is_finite());
    let reading = match &object {
        None => last.parse().ok().filter(|number: &f64| number.is_finite()).map(Reading::Value),
        Some(object) if object["status"] == "failed" => return failed("it says so".to_owned()),
        Some(object) => match &object[name] {
            Value::Array(repeats) if !repeats.is_empty() => {
                repeats.iter().map(number).collect::<Option<Vec<f64>>>().map(Reading::Repeats)
            }
            value => number(value).map(Reading::Value),
        },
    };
    match reading {
        Some(reading) => {
            let words = format!("{name} {reading}");
            (Outcome::Measured(reading), words)
        }
        None if last.is_empty() => failed("it printed nothing".to_owned()),
        None => failed(format!("no outcome in {:?}", short(last))),
    }
}

/// The beginning of a line.
fn short(line: &str) -> String {
    const SHOWN: usize = 60;
    match line.char_indices().nth(SHOWN) {
        Some((at, _)) => format!("{}...", &line[..at]),
        None => line.to_owned(),
    }
}

/// Tries again while another process holds the campaign: an outcome that was measured is not thrown away.
fn patiently<T>(mut act: impl FnMut() -> Result<T, CampaignError>) -> Result<T, CliError> {
    let mut left = ATTEMPTS;
    loop {
        left -= 1;
        match act() {
            Err(CampaignError::Locked { .. }) if left > 0 => {}
            answer => return answer.map_err(|error| failed(error, None)),
        }
    }
}

/// A group of its own, so that what the command starts ends with it, and Ctrl-C comes to us alone.
#[cfg(unix)]
fn in_a_group(command: &mut Command) {
    use std::os::unix::process::CommandExt;
    command.process_group(0);
}

#[cfg(not(unix))]
fn in_a_group(_: &mut Command) {}

/// Ends a command and what it has started.
#[cfg(unix)]
fn end(child: &mut Child) {
    use rustix::process::{Pid, Signal, kill_process_group};
    let group = i32::try_from(child.id()).ok().and_then(Pid::from_raw);
    if group.is_none_or(|group| kill_process_group(group, Signal::KILL).is_err()) {
        let _ = child.kill();
    }
}

#[cfg(not(unix))]
fn end(child: &mut Child) {
    let _ = child.kill();
}

#[cfg(all(test, unix))]
mod tests {
    use super::*;
    use std::os::unix::process::ExitStatusExt;

    fn outcome(printed: &str, code: i32) -> Outcome {
        understood(printed, ExitStatus::from_raw(code << 8), "yield").0
    }

    #[test]
    fn the_last_line_is_the_outcome() {
        assert_eq!(outcome("warming up\n 0.5 \n\n", 0), Outcome::Measured(Reading::Value(0.5)));
        assert_eq!(outcome("{\"yield\": 2, \"ms\": 3}", 0), Outcome::Measured(Reading::Value(2.0)));
        let repeats = Reading::Repeats(vec![1.0, 2.0]);
        assert_eq!(outcome("{\"yield\": [1, 2]}", 0), Outcome::Measured(repeats));
    }

    #[test]
    fn what_is_no_outcome_is_a_failure() {
        for (printed, code) in
            [("0.5", 1), ("", 0), ("nan", 0), ("done", 0), ("{\"status\":\"failed\"}", 0), ("{\"ms\":1}", 0)]
        {
            assert_eq!(outcome(printed, code), Outcome::Failed, "{printed}");
        }
        assert_eq!(outcome("{\"status\":\"infeasible\"}", 1), Outcome::Infeasible);
        let words = understood("done", ExitStatus::from_raw(0), "yield").1;
        assert_eq!(words, "failed (no outcome in \"done\")");
    }
}
