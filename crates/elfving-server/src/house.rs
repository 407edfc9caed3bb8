//! The folder of campaigns: each one open once, used by one request at a time, on the file that the command line opens too.

use std::collections::HashMap;
use std::fs;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use elfving_campaign::{At, Campaign, CampaignError, CampaignStatus, Digest};
use elfving_table::CAMPAIGN_EXTENSION;
use tokio::sync::watch;

use crate::name::Name;
use crate::refusal::{Refusal, Why};

/// Campaigns that are kept open.
const MOST_OPEN: usize = 64;

/// The campaigns of a folder.
#[derive(Debug)]
pub(crate) struct House {
    folder: PathBuf,
    rooms: Mutex<HashMap<Name, Arc<Room>>>,
}

/// One campaign.
#[derive(Debug)]
pub(crate) struct Room {
    open: Mutex<Option<Open>>,
    /// The last event that somebody saw: who listens is woken by a new one.
    pub(crate) news: watch::Sender<u64>,
}

/// A campaign on its file.
#[derive(Debug)]
pub(crate) struct Open {
    pub(crate) campaign: Campaign,
    file: FileId,
    /// Where it stood, at that seal.
    status: Option<(Digest, Arc<CampaignStatus>)>,
}

/// Which file it is: one that took the place of another is another.
type FileId = (u64, u64);

impl Open {
    /// Where the campaign stands; worked out once per event.
    pub(crate) fn status(&mut self) -> Result<Arc<CampaignStatus>, CampaignError> {
        let head = self.campaign.head().hash;
        if let Some((_, status)) = self.status.as_ref().filter(|(at, _)| *at == head) {
            return Ok(Arc::clone(status));
        }
        let status = Arc::new(self.campaign.status()?);
        self.status = Some((self.campaign.head().hash, Arc::clone(&status)));
        Ok(status)
    }
}

impl House {
    pub(crate) fn new(folder: &Path) -> Self {
        Self { folder: folder.to_owned(), rooms: Mutex::default() }
    }

    pub(crate) fn folder(&self) -> &Path {
        &self.folder
    }

    /// The names of the campaigns, and the files whose names cannot be used here.
    pub(crate) fn names(&self) -> Result<(Vec<Name>, Vec<String>), Refusal> {
        let entries = fs::read_dir(&self.folder).map_err(|error| {
            let mut refusal = Refusal::bug();
            refusal.code = "E301".to_owned();
            refusal.detail = format!("the folder of campaigns cannot be read: {error}");
            refusal
        })?;
        let (mut names, mut others) = (Vec::new(), Vec::new());
        for entry in entries.filter_map(Result::ok) {
            let file = entry.file_name().to_string_lossy().into_owned();
            let stem = file.strip_suffix(&format!(".{CAMPAIGN_EXTENSION}"));
            let Some(stem) = stem.filter(|stem| !stem.starts_with('.')) else { continue };
            match Name::new(stem) {
                Some(name) => names.push(name),
                None => others.push(stem.to_owned()),
            }
        }
        names.sort();
        others.sort();
        Ok((names, others))
    }

    pub(crate) fn file(&self, name: &Name) -> PathBuf {
        name.file(&self.folder)
    }

    /// The room of a campaign, whether or not there is one.
    pub(crate) fn room(&self, name: &Name) -> Arc<Room> {
        let mut rooms = self.rooms.lock().unwrap_or_else(PoisonError::into_inner);
        if rooms.len() >= MOST_OPEN && !rooms.contains_key(name) {
            // Those that nobody uses or listens to.
            rooms.retain(|_, room| Arc::strong_count(room) > 1 || room.news.receiver_count() > 0);
        }
        Arc::clone(
            rooms
                .entry(name.clone())
                .or_insert_with(|| Arc::new(Room { open: Mutex::new(None), news: watch::Sender::new(0) })),
        )
    }

    /// The campaigns that somebody listens to.
    pub(crate) fn listened_to(&self) -> Vec<Name> {
        let rooms = self.rooms.lock().unwrap_or_else(PoisonError::into_inner);
        let listened = rooms.iter().filter(|(_, room)| room.news.receiver_count() > 0);
        listened.map(|(name, _)| name.clone()).collect()
    }

    /// How many are open.
    pub(crate) fn open_count(&self) -> usize {
        self.rooms.lock().unwrap_or_else(PoisonError::into_inner).len()
    }

    /// Does something with a campaign, as it stands on its file now.
    pub(crate) fn with<T>(
        &self,
        name: &Name,
        act: impl FnOnce(&mut Open) -> Result<T, CampaignError>,
    ) -> Result<T, Refusal> {
        self.entered(name, |open| act(open).map_err(|error| Refusal::of(&error, &self.folder)))
    }

    /// The same where requests are refused for other reasons, too.
    pub(crate) fn entered<T>(
        &self,
        name: &Name,
        act: impl FnOnce(&mut Open) -> Result<T, Refusal>,
    ) -> Result<T, Refusal> {
        let room = self.room(name);
        let mut guard = room.lock();
        let path = self.file(name);
        let refused = |error: CampaignError| Refusal::of(&error, &self.folder);
        let Some(file) = file_id(&path) else {
            *guard = None;
            return Err(Refusal::new(Why::NotThere, format!("there is no campaign {:?}", name.as_str()))
                .help("list the campaigns; the name may be another"));
        };
        // Taken out: what panics or is damaged is opened anew by the next one.
        let kept = guard.take().filter(|open| open.file == file);
        let mut open = match kept {
            Some(mut open) => {
                open.campaign.refresh().map_err(refused)?;
                open
            }
            None => Open { campaign: Campaign::open(&path).map_err(refused)?, file, status: None },
        };
        let answer = act(&mut open);
        open.campaign.act_as(None);
        open.campaign.expect_head(None);
        room.tell(open.campaign.head().event);
        *guard = Some(open);
        answer
    }
}

impl Room {
    fn lock(&self) -> MutexGuard<'_, Option<Open>> {
        self.open.lock().unwrap_or_else(|poisoned| {
            let mut guard = PoisonError::into_inner(poisoned);
            *guard = None;
            guard
        })
    }

    /// Wakes those who listen, where there is something new.
    fn tell(&self, event: u64) {
        self.news.send_if_modified(|known| std::mem::replace(known, event) != event);
    }
}

#[cfg(unix)]
fn file_id(path: &Path) -> Option<FileId> {
    use std::os::unix::fs::MetadataExt;
    fs::metadata(path).ok().filter(fs::Metadata::is_file).map(|file| (file.dev(), file.ino()))
}

#[cfg(not(unix))]
fn file_id(path: &Path) -> Option<FileId> {
    let file = fs::metadata(path).ok().filter(fs::Metadata::is_file)?;
    let created = file.created().ok()?.duration_since(std::time::UNIX_EPOCH).ok()?;
    Some((created.as_secs(), u64::from(created.subsec_nanos())))
}

/// The clock: the library reads none.
pub type Clock = fn() -> At;
