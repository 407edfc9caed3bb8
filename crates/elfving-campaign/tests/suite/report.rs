//! The report: it says what the campaign says, loads nothing, and holds up against anybody's table.

use crate::support;

use elfving::bandit::{Goal, Outcome};
use elfving::estimate::Tails;
use elfving::pool::KernelSpec;
use elfving_campaign::{Aim, AssumptionSpec, At, Attachment, Campaign, Recipe, Spec, TellOptions};
use elfving_problem::Model;
use elfving_table::{PoolOptions, ReadOptions};
use support::Lab;

/// A smooth response over two settings, to be made small.
fn response(i: usize, j: usize) -> f64 {
    let (x, y) = (i as f64 / 11.0, j as f64 / 11.0);
    0.6 - 0.5 * (-((x - 0.7).powi(2) + (y - 0.3).powi(2)) / 0.08).exp()
}

fn pool() -> Attachment {
    let mut csv = "run,temperature (K),time (min)\n".to_owned();
    for i in 0..12 {
        for j in 0..12 {
            csv += &format!("R{i}-{j},{},{}\n", 300 + 5 * i, 10 + 2 * j);
        }
    }
    Attachment::new("pool.csv", csv)
}

fn spec() -> Spec {
    let columns = PoolOptions { standardize: true, ..PoolOptions::default().id("run") };
    let kernel: KernelSpec = serde_json::from_str(r#"{"kernel":"rbf","lengthscale":1.0}"#).unwrap();
    let recipe = Recipe::new(&pool(), ReadOptions::default(), columns)
        .model(Model::Kernel { of: kernel, residual: Some(1e-10) });
    let assumed = AssumptionSpec {
        sigma: Some(0.05),
        tails: Tails::SubGaussian,
        norm: Some(1.5),
        ..AssumptionSpec::default()
    };
    Spec::new("Degradation of films", "loss (%)", Aim::Minimise, recipe)
        .goal(Goal::Best { epsilon: 0.12 })
        .assumed(assumed)
        .batch(24)
        .seed(3)
}

/// Outcomes that depend on the slot alone.
fn outcome(slot: &str, id: &str) -> f64 {
    let (i, j) = id[1..].split_once('-').unwrap();
    let seed = slot.bytes().fold(7u64, |hash, byte| hash.wrapping_mul(31).wrapping_add(u64::from(byte)));
    let noise = (seed as f64 * 12.9898).sin() * 43_758.547;
    response(i.parse().unwrap(), j.parse().unwrap()) + 0.1 * (noise - noise.floor() - 0.5)
}

/// Runs until it stops, or for some batches.
fn run(campaign: &mut Campaign, batches: usize) {
    for k in 0..batches as u64 {
        let batch = campaign.ask(None, At(1_795_000_000_000 + 86_400_000 * k)).unwrap();
        let told: Vec<(&str, Outcome)> = batch
            .rows
            .iter()
            .map(|row| (row.slot.as_str(), Outcome::from(outcome(&row.slot, &row.id))))
            .collect();
        if told.is_empty() {
            return;
        }
        campaign
            .tell_outcomes(&told, &TellOptions::default(), At(1_795_000_100_000 + 86_400_000 * k))
            .unwrap();
    }
}

fn finished() -> (Lab, Campaign) {
    let lab = Lab::quick();
    let mut campaign = Campaign::create(lab.path(), spec(), &[pool()], At(1_794_990_000_000)).unwrap();
    run(&mut campaign, 60);
    (lab, campaign)
}

const MADE: At = At(1_796_000_000_000);

#[test]
fn a_finished_campaign_reads_as_an_answer() {
    let (_lab, mut campaign) = finished();
    let status = campaign.status().unwrap();
    assert!(status.stopped.is_some() && !status.eliminated.is_empty(), "{status:?}");
    let html = campaign.html(MADE).unwrap();
    keep("report-finished.html", &html);
    assert!(html.contains("Result") && html.contains("nothing more to measure: the goal is reached"));
    assert!(html.contains(&status.picks[0]));
    // The statement, word for word, and every assumption.
    for line in &status.statement {
        assert!(html.contains(&escaped(line.trim_start_matches("- "))), "{line}");
    }
    assert!(html.contains("With probability 95 %, under these assumptions, the pick is at most"));
    let sections =
        ["Remaining candidates", "Pictures", "Eliminated candidates", "Rounds", "Slots and results", "Log"];
    sections.iter().for_each(|title| assert!(html.contains(&format!(">{title}</h2>")), "{title}"));
    assert_eq!(html.matches("<svg").count(), html.matches("role=\"img\"").count());
    assert!(html.contains(&status.head.to_string()));
}

#[test]
fn an_open_batch_says_what_to_do_next_and_an_empty_campaign_says_that_too() {
    let lab = Lab::quick();
    let mut campaign = Campaign::create(lab.path(), spec(), &[pool()], At(0)).unwrap();
    let html = campaign.html(MADE).unwrap();
    assert!(html.contains("Nothing has been measured yet.") && html.contains("elfving ask lab.elfving"));
    campaign.ask(None, At(1)).unwrap();
    let html = campaign.html(MADE).unwrap();
    keep("report-open.html", &html);
    assert!(html.contains("24 open slots") && html.contains("elfving tell lab.elfving RESULTS.csv"));
    run(&mut campaign, 2);
    assert!(campaign.html(MADE).unwrap().contains("ask for the next batch"));
}

#[test]
fn the_report_loads_nothing_and_runs_nothing() {
    let (_lab, mut campaign) = finished();
    let html = campaign.html(MADE).unwrap();
    for word in ["<script", "src=", "@import", "<iframe", "<object", "onclick", "javascript:"] {
        assert!(!html.contains(word), "{word}");
    }
    assert_eq!(html.matches("url(").count(), html.matches("url(#clip-").count());
    let addresses = html.matches("http").count() - html.matches("http-equiv").count();
    assert_eq!(addresses, html.matches("http://www.w3.org/").count(), "only names of namespaces");
    assert!(html.contains("default-src 'none'"));
}

#[test]
fn what_is_in_the_table_cannot_get_out_of_its_cell() {
    let evil = "<script>alert(1)</script>";
    let csv = format!("id,x\n\"{evil}\",1\n\"b & c\",2\n");
    let attachment = Attachment::new("pool.csv", csv);
    let recipe = Recipe::new(&attachment, ReadOptions::default(), PoolOptions::default().id("id"));
    let assumed = AssumptionSpec {
        sigma: Some(0.1),
        tails: Tails::SubGaussian,
        norm: Some(1.0),
        ..AssumptionSpec::default()
    };
    let spec = Spec::new("</title><b>bold", "y<i>", Aim::Maximise, recipe)
        .goal(Goal::Best { epsilon: 0.5 })
        .assumed(assumed)
        .batch(2);
    let lab = Lab::quick();
    let mut campaign = Campaign::create(lab.path(), spec, &[attachment], At(0)).unwrap();
    for k in 0..3 {
        let batch = campaign.ask(None, At(k)).unwrap();
        let told: Vec<(&str, Outcome)> =
            batch.rows.iter().map(|row| (row.slot.as_str(), Outcome::from(0.2))).collect();
        campaign.tell_outcomes(&told, &TellOptions::default(), At(k)).unwrap();
    }
    let html = campaign.html(MADE).unwrap();
    for word in ["<script", "<b>bold", "y<i>", "</title><b>"] {
        assert!(!html.contains(word), "{word}");
    }
    assert!(html.contains("&lt;script&gt;") && html.contains("b &amp; c"));
}

#[test]
fn the_same_campaign_gives_the_same_report() {
    let (_lab, mut campaign) = finished();
    let first = campaign.html(MADE).unwrap();
    assert_eq!(first, campaign.html(MADE).unwrap());
    assert_eq!(first, Campaign::open(campaign.path()).unwrap().html(MADE).unwrap());
}

fn escaped(text: &str) -> String {
    text.replace('&', "&amp;").replace('<', "&lt;").replace('>', "&gt;").replace('"', "&quot;")
}

/// Kept where the browser tests look for it.
fn keep(name: &str, html: &str) {
    let folder = std::path::Path::new(env!("CARGO_TARGET_TMPDIR"));
    std::fs::write(folder.join(name), html).unwrap();
}
