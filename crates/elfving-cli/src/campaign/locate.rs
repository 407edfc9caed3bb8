//! Which campaign is meant.

use std::io;
use std::path::{Path, PathBuf};

use clap::Args;
use elfving_campaign::{Campaign, CampaignError};

use super::failure::{CampaignFailure, failed};
use crate::error::CliError;

/// The extension of campaigns.
pub(super) const EXTENSION: &str = elfving_table::CAMPAIGN_EXTENSION;

/// The campaign of a command.
#[derive(Debug, Args)]
pub(crate) struct CampaignFile {
    /// The campaign: its file, or its name without the extension (default: the only one in this folder)
    #[arg(value_name = "CAMPAIGN")]
    pub(crate) campaign: Option<PathBuf>,
}

impl CampaignFile {
    /// Opens the campaign that is meant.
    pub(crate) fn open(&self) -> Result<Campaign, CliError> {
        open(self.campaign.as_deref())
    }
}

/// Opens a campaign by file or name, or the only one there is.
pub(super) fn open(campaign: Option<&Path>) -> Result<Campaign, CliError> {
    Campaign::open(find(campaign)?).map_err(|error| failed(error, None))
}

/// `NAME.elfving`, where the name does not say it: `screen.v2` is the name of `screen.v2.elfving`.
pub(super) fn file_of(name: &Path) -> PathBuf {
    // Without the slash that completion leaves behind the name of a folder.
    let name = name.components().as_path();
    match name.extension().is_some_and(|extension| extension == EXTENSION) {
        true => name.to_owned(),
        false => {
            let mut file = name.as_os_str().to_owned();
            file.push(".");
            file.push(EXTENSION);
            PathBuf::from(file)
        }
    }
}

fn find(campaign: Option<&Path>) -> Result<PathBuf, CliError> {
    if let Some(path) = campaign {
        let named = file_of(path);
        if !path.is_file() && named.exists() {
            return Ok(named);
        }
        if path.is_dir() {
            let source = io::ErrorKind::IsADirectory.into();
            return Err(failed(CampaignError::Missing { path: path.to_owned(), source }, None));
        }
        return Ok(path.to_owned());
    }
    let here = std::fs::read_dir(".")
        .map_err(|source| failed(CampaignError::Missing { path: PathBuf::from("."), source }, None))?;
    let mut found: Vec<PathBuf> = here
        .filter_map(|entry| entry.ok().map(|entry| PathBuf::from(entry.file_name())))
        .filter(|path| path.extension().is_some_and(|extension| extension == EXTENSION))
        .filter(|path| !path.to_string_lossy().starts_with('.'))
        .collect();
    found.sort();
    match found.as_slice() {
        [one] => Ok(one.clone()),
        [] => Err(CliError::usage(
            "E209",
            "there is no campaign in this folder",
            "name its file, or create one: elfving new NAME POOL.csv",
        )),
        several => {
            let names: Vec<String> = several.iter().map(|path| path.display().to_string()).collect();
            let message =
                format!("there are {} campaigns in this folder: {}", several.len(), names.join(", "));
            Err(CliError::usage("E209", message, "name the one you mean"))
        }
    }
}

impl From<CampaignFailure> for CliError {
    fn from(failure: CampaignFailure) -> Self {
        CliError::Campaign(Box::new(failure))
    }
}
