//! `elfving demo`: a whole campaign on a real table, in seconds.

mod table;

use std::path::{Path, PathBuf};

use clap::Args;
use elfving::bandit::{Goal, Outcome};
use elfving::units::grouped;
use elfving_campaign::{
    Aim, Attachment, Campaign, CampaignStatus, Mode, Recipe, Spec, TellOptions, shell_word,
};
use elfving_table::{PoolOptions, ReadOptions};
use serde::Serialize;

use crate::campaign::{failed, now};
use crate::console::Console;
use crate::error::CliError;
use crate::output::{self, Format, FormatArgs};
use table::World;

/// Measurements of the campaign at most, and of one batch.
const BUDGET: u64 = 120;
const BATCH: usize = 15;
/// The gain below which a batch is not worth its cost: the spread of repeated films.
const WORTH: f64 = 0.01;

/// The name of the campaign, by which an earlier one is known.
const NAME: &str = "Blends that last: photo_pce10";

/// Arguments of `elfving demo`.
#[derive(Debug, Args)]
#[command(
    after_help = "The demo looks for the organic solar cell, among 1,040 blends, that degrades least, on measured data
(Langner et al., Advanced Materials 2020, from the Olympus benchmark; see the licence in the
folder). A simulated measurement is the value of the table plus noise of standard deviation 0.01,
the spread of repeated films. It stops when another batch is not worth it: when, in nine cases of
ten, it gains less than 0.01.

Examples:
  elfving demo
  elfving demo --out elsewhere --seed 2"
)]
pub(crate) struct DemoArgs {
    /// The folder to write to: the table, the campaign and its report
    #[arg(long, value_name = "DIR", default_value = "elfving-demo")]
    out: PathBuf,
    /// The seed of the noise and of the campaign
    #[arg(long, value_name = "S", default_value_t = 1)]
    seed: u64,
    #[command(flatten)]
    printed: FormatArgs,
}

/// What came out.
#[derive(Serialize)]
struct Document {
    campaign: String,
    report: String,
    measurements: usize,
    pick: String,
    /// The mean of the pick, of the best candidate, and of the median one.
    value: f64,
    best: String,
    best_value: f64,
    median_value: f64,
    /// How many candidates are better than the pick, plus one.
    rank: usize,
    candidates: usize,
    /// Whether the advice ended it, before the budget did.
    stopped_by_advice: bool,
    statement: Vec<String>,
}

pub(crate) fn run(args: &DemoArgs, as_json: bool, console: Console) -> Result<(), CliError> {
    args.printed.format_or(Format::Table, as_json)?;
    let world = World::new(args.seed);
    let (table, file, page) =
        (args.out.join("photo_pce10.csv"), args.out.join("demo.elfving"), args.out.join("report.html"));
    begin(&args.out, &table, &file)?;
    let mut campaign = create(&file, args.seed)?;
    let bar = console.bar("measuring", BUDGET as usize);
    let mut stopped_by_advice = false;
    while !stopped_by_advice {
        let batch = campaign.ask(None, now()).map_err(refused)?;
        if batch.rows.is_empty() {
            break;
        }
        let outcomes: Vec<(&str, Outcome)> = batch
            .rows
            .iter()
            .map(|row| (row.slot.as_str(), world.measure(&row.slot, &row.id).into()))
            .collect();
        campaign.tell_outcomes(&outcomes, &TellOptions::default(), now()).map_err(refused)?;
        outcomes.iter().for_each(|_| bar.step());
        stopped_by_advice = campaign.is_advised_to_stop().map_err(refused)?;
    }
    drop(bar);
    let status = campaign.status().map_err(refused)?;
    output::write_file(&page, campaign.html(now()).map_err(refused)?.as_bytes())?;
    let found = Document { stopped_by_advice, ..document(&world, &status, &file, &page) };
    args.printed.print(as_json, &found, || output::csv_of_fields(&found), || words(&found))
}

/// Makes the folder; a campaign of an earlier demonstration gives way, and no other.
fn begin(folder: &Path, table: &Path, campaign: &Path) -> Result<(), CliError> {
    std::fs::create_dir_all(folder).map_err(|source| CliError::write(folder, source))?;
    let of_demo = Campaign::open(campaign).is_ok_and(|campaign| campaign.spec().name == NAME);
    if campaign.symlink_metadata().is_ok() && !of_demo {
        let message = format!("{} is not from an earlier demo; it is not replaced", campaign.display());
        return Err(CliError::usage("E210", message, "choose another folder with --out"));
    }
    match std::fs::remove_file(campaign) {
        Err(source) if source.kind() != std::io::ErrorKind::NotFound => {
            return Err(CliError::write(campaign, source));
        }
        _ => {}
    }
    output::write_file(table, table::CSV.as_bytes())?;
    output::write_file(&folder.join("photo_pce10.LICENSE"), table::LICENCE.as_bytes())
}

fn create(file: &Path, seed: u64) -> Result<Campaign, CliError> {
    let pool = Attachment::new("photo_pce10.csv", table::CSV);
    let recipe = Recipe::new(&pool, ReadOptions::default(), PoolOptions::default().id("blend"));
    let spec = Spec::new(NAME, table::OUTCOME, Aim::Minimise, recipe)
        .goal(Goal::Best { epsilon: 0.0 })
        .mode(Mode::Calibrated)
        .batch(BATCH)
        .budget(Some(BUDGET))
        .worth(Some(WORTH))
        .seed(seed);
    Campaign::create(file, spec, &[pool], now()).map_err(refused)
}

fn document(world: &World, status: &CampaignStatus, file: &Path, page: &Path) -> Document {
    let pick = status.picks[0].clone();
    let value = world.mean(&pick);
    let (best, best_value) = world.best();
    Document {
        campaign: file.display().to_string(),
        report: page.display().to_string(),
        measurements: status.told,
        rank: world.better_than(value) + 1,
        value,
        best: best.to_owned(),
        best_value,
        median_value: world.median(),
        candidates: world.candidates(),
        statement: status.statement.clone(),
        stopped_by_advice: false,
        pick,
    }
}

fn words(found: &Document) -> String {
    let Document { pick, value, best, best_value, median_value, rank, candidates, measurements, .. } = found;
    let statement = found.statement.join("\n");
    let end = match found.stopped_by_advice {
        true => format!("It stopped by itself, before the {BUDGET} measurements that were allowed"),
        false => "The budget ended it".to_owned(),
    };
    format!(
        "Which of {total} blends for organic solar cells degrades least? {measurements} measurements in batches of {BATCH}.\n\
         {end}: a batch was to gain {WORTH} or more.\n\
         \n\
         pick    {pick}: degradation {value:.4}, number {rank} of {total}\n\
         best    {best}: degradation {best_value:.4}\n\
         median  degradation {median_value:.4}\n\
         \n\
         {statement}\n\
         \n\
         report: {report}\n\
         \n\
         Next: look at this campaign, or start one on your own table:\n\
         \x20 elfving status {campaign}\n\
         \x20 elfving new mine your-table.csv --id NAME --maximize YIELD --mode calibrated\n",
        total = grouped(*candidates as u64),
        report = found.report,
        campaign = shell_word(&found.campaign),
    )
}

fn refused(error: elfving_campaign::CampaignError) -> CliError {
    failed(error, None)
}
