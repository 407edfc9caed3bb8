//! Campaigns for the tests: small pools, known truths, folders in memory where the system has them.
//! Not every test file uses all of it.

#![allow(dead_code, unreachable_pub)]

use std::path::{Path, PathBuf};

use elfving::bandit::{Goal, Outcome};
use elfving::estimate::Tails;
use elfving_campaign::{
    Aim, AssumptionSpec, At, Attachment, Batch, Campaign, CampaignError, Recipe, ResultsFile, Spec,
    TellOptions, Told,
};
use elfving_table::{PoolOptions, ReadOptions};

/// A folder with one campaign.
pub struct Lab {
    folder: tempfile::TempDir,
}

impl Lab {
    /// On the disk.
    pub fn new() -> Self {
        Self { folder: tempfile::tempdir().unwrap() }
    }

    /// In memory, where nothing waits for a disk.
    pub fn quick() -> Self {
        let memory = Path::new("/dev/shm");
        let folder = if memory.is_dir() { tempfile::tempdir_in(memory) } else { tempfile::tempdir() };
        Self { folder: folder.unwrap() }
    }

    /// The file of the campaign.
    pub fn path(&self) -> PathBuf {
        self.folder.path().join("lab.elfving")
    }

    /// Another file.
    pub fn file(&self, name: &str) -> PathBuf {
        self.folder.path().join(name)
    }

    /// Every file of the folder.
    pub fn files(&self) -> Vec<String> {
        let mut names: Vec<String> = std::fs::read_dir(self.folder.path())
            .unwrap()
            .map(|entry| entry.unwrap().file_name().into_string().unwrap())
            .collect();
        names.sort();
        names
    }

    /// Starts a campaign with this spec on the usual pool.
    pub fn create(&self, spec: Spec) -> Campaign {
        Campaign::create(self.path(), spec, &[pool()], At(1_000)).unwrap()
    }

    /// Opens it again.
    pub fn open(&self) -> Campaign {
        Campaign::open(self.path()).unwrap()
    }
}

/// Six doses of two ligands.
pub fn pool() -> Attachment {
    let csv = "id,ligand,dose (mg)\na1,XPhos,1\na2,XPhos,2\na3,XPhos,3\nb1,PPh3,1\nb2,PPh3,2\nb3,PPh3,3\n";
    Attachment::new("pool.csv", csv)
}

pub fn recipe() -> Recipe {
    let columns = PoolOptions::default().id("id").one_hot(elfving_table::OneHot::AllText);
    Recipe::new(&pool(), ReadOptions::default(), columns)
}

/// The best of the pool, certified by the ellipsoid.
pub fn certified() -> Spec {
    let assumed = AssumptionSpec {
        sigma: Some(0.1),
        tails: Tails::SubGaussian,
        norm: Some(2.0),
        ..AssumptionSpec::default()
    };
    Spec::new("lab", "yield", Aim::Maximise, recipe())
        .goal(Goal::Best { epsilon: 0.2 })
        .assumed(assumed)
        .batch(4)
}

/// Uniform draws: quick, and never finished.
pub fn random() -> Spec {
    certified().algorithm("random")
}

/// What is true of each candidate.
pub fn truth(id: &str) -> f64 {
    let dose: f64 = id[1..].parse().unwrap();
    0.2 * dose + if id.starts_with('a') { 0.5 } else { 0.0 }
}

/// A file of results for a batch, filled in by `outcome`.
pub fn filled_in(batch: &Batch, outcome: impl Fn(&str) -> String) -> String {
    let lines: String =
        batch.rows.iter().map(|row| format!("{},{},{}\n", row.slot, row.id, outcome(&row.id))).collect();
    format!("slot,id,yield\n{lines}")
}

/// Tells a file by its text.
pub fn tell(campaign: &mut Campaign, csv: &str, at: u64) -> Result<Told, CampaignError> {
    tell_with(campaign, csv, &TellOptions::default(), at)
}

pub fn tell_with(
    campaign: &mut Campaign,
    csv: &str,
    options: &TellOptions,
    at: u64,
) -> Result<Told, CampaignError> {
    let results = ResultsFile::from_bytes("results.csv", csv.as_bytes(), &campaign.spec().results)?;
    campaign.tell(&results, options, At(at))
}

/// Asks and tells the truth until the campaign stops or `rounds` batches were made.
pub fn run(campaign: &mut Campaign, batches: usize) {
    for k in 0..batches {
        let batch = campaign.ask(None, At(2_000 + k as u64)).unwrap();
        if batch.rows.is_empty() {
            return;
        }
        let outcomes: Vec<(&str, Outcome)> =
            batch.rows.iter().map(|row| (row.slot.as_str(), Outcome::from(truth(&row.id)))).collect();
        campaign.tell_outcomes(&outcomes, &TellOptions::default(), At(3_000 + k as u64)).unwrap();
    }
}
