//! What an output may replace: a file of its own kind, and never an input or a campaign.

use std::fs::{self, File};
use std::io::{self, Read};
use std::path::{Path, PathBuf};

/// `Elfv`, as SQLite's `application_id`: by it a campaign is known, whatever its name.
pub const CAMPAIGN_APPLICATION_ID: i32 = 0x456c_6676;

/// The extension of campaigns.
pub const CAMPAIGN_EXTENSION: &str = "elfving";

/// What a file holds, as far as its first bytes say.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum OutputKind {
    /// A table as text.
    Csv,
    /// A document for programs.
    Json,
    /// A page.
    Html,
    /// A picture of lines.
    Svg,
    /// A picture of pixels.
    Png,
    /// A NumPy array.
    Npy,
    /// Any other text, such as a licence.
    Text,
}

impl OutputKind {
    /// The kind that a file name asks for; text where it says nothing else.
    pub fn of(path: &Path) -> Self {
        match extension(path).as_str() {
            "csv" | "tsv" => Self::Csv,
            "json" => Self::Json,
            "html" | "htm" => Self::Html,
            "svg" => Self::Svg,
            "png" => Self::Png,
            "npy" => Self::Npy,
            _ => Self::Text,
        }
    }

    fn name(self) -> &'static str {
        match self {
            Self::Csv => "a table",
            Self::Json => "a JSON document",
            Self::Html => "an HTML page",
            Self::Svg => "an SVG picture",
            Self::Png => "a PNG picture",
            Self::Npy => "a NumPy array",
            Self::Text => "text",
        }
    }
}

/// An output that would replace what must stay.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum OutputRefused {
    /// The file is read by the same command.
    #[error("{} is read by this command; it is not replaced", .path.display())]
    Input {
        /// The output as the user named it.
        path: PathBuf,
    },
    /// The file is a campaign, or has the name of one.
    #[error("{} is a campaign; it is not replaced", .path.display())]
    Campaign {
        /// The output as the user named it.
        path: PathBuf,
    },
    /// There is a file of another kind.
    #[error("{} is {found}; it is not replaced by {}", .path.display(), .wanted.name())]
    OtherKind {
        /// The output as the user named it.
        path: PathBuf,
        /// What is there.
        found: &'static str,
        /// What was to be written.
        wanted: OutputKind,
    },
}

impl OutputRefused {
    /// The output as the user named it.
    pub fn path(&self) -> &Path {
        match self {
            Self::Input { path } | Self::Campaign { path } | Self::OtherKind { path, .. } => path,
        }
    }

    /// A name for the output that no file has yet.
    pub fn other_name(&self) -> PathBuf {
        let path = self.path();
        let stem = path.file_stem().unwrap_or_default().to_string_lossy().into_owned();
        let extension = match extension(path).as_str() {
            "" | CAMPAIGN_EXTENSION => "html".to_owned(),
            known => known.to_owned(),
        };
        let name = |k: usize| match k {
            1 => path.with_file_name(format!("{stem}-new.{extension}")),
            k => path.with_file_name(format!("{stem}-new-{k}.{extension}")),
        };
        (1..100).map(name).find(|name| !name.exists()).unwrap_or_else(|| name(1))
    }
}

/// Refuses an output that would replace one of the `inputs`, a campaign, or a file of another kind.
///
/// Files are compared as files: links of both kinds and other spellings of a path are seen through. A file that is not there
/// yet, or is empty, may always be written.
///
/// # Errors
/// [`OutputRefused`] says which of the three it is; [`OutputRefused::other_name`] suggests a free name.
///
/// ```
/// use elfving_table::{OutputKind, OutputRefused, check_output};
/// # let folder = tempfile::tempdir()?;
/// let pool = folder.path().join("pool.csv");
/// std::fs::write(&pool, "id,x\na,1\n")?;
/// assert!(check_output(&pool, OutputKind::Csv, &[]).is_ok());
/// assert_eq!(check_output(&pool, OutputKind::Csv, &[&pool]), Err(OutputRefused::Input { path: pool.clone() }));
/// # Ok::<(), std::io::Error>(())
/// ```
pub fn check_output(path: &Path, kind: OutputKind, inputs: &[&Path]) -> Result<(), OutputRefused> {
    if inputs.iter().any(|input| same_file(path, input)) {
        return Err(OutputRefused::Input { path: path.to_owned() });
    }
    let start = beginning(path).unwrap_or_default();
    if extension(path) == CAMPAIGN_EXTENSION || is_campaign(&start) {
        return Err(OutputRefused::Campaign { path: path.to_owned() });
    }
    match kind_of(&start) {
        Some(found) if !found.may_become(kind) => {
            Err(OutputRefused::OtherKind { path: path.to_owned(), found: found.name(), wanted: kind })
        }
        _ => Ok(()),
    }
}

/// What is there, by its first bytes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Found {
    Known(OutputKind),
    Binary(&'static str),
}

impl Found {
    fn name(self) -> &'static str {
        match self {
            Self::Known(kind) => kind.name(),
            Self::Binary(name) => name,
        }
    }

    fn may_become(self, kind: OutputKind) -> bool {
        match (self, kind) {
            (Self::Known(found), wanted) if found == wanted => true,
            // A table has no mark of its own.
            (Self::Known(OutputKind::Text), OutputKind::Csv) => true,
            _ => false,
        }
    }
}

const BINARY: [(&[u8], &str); 10] = [
    (b"SQLite format 3\0", "an SQLite database"),
    (b"PK\x03\x04", "a zip archive, such as .xlsx or .npz"),
    (b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1", "an Excel file"),
    (b"PAR1", "a Parquet file"),
    (b"%PDF-", "a PDF file"),
    (b"\x1f\x8b", "a gzip file"),
    (b"BZh", "a bzip2 file"),
    (b"\xfd7zXZ\0", "an xz file"),
    (b"\x28\xb5\x2f\xfd", "a zstd file"),
    (b"\xff\xd8\xff", "a JPEG picture"),
];

/// The kind of a file that starts like this; `None` for an empty one.
fn kind_of(start: &[u8]) -> Option<Found> {
    if start.starts_with(b"\x89PNG") {
        return Some(Found::Known(OutputKind::Png));
    }
    if start.starts_with(b"\x93NUMPY") {
        return Some(Found::Known(OutputKind::Npy));
    }
    let utf16 = start.starts_with(b"\xff\xfe") || start.starts_with(b"\xfe\xff");
    // Four letters may well begin a text.
    let text = utf16 || !start.contains(&0);
    if let Some((magic, name)) = BINARY.iter().find(|(magic, _)| start.starts_with(magic)) {
        let letters = magic.iter().all(|byte| byte.is_ascii_alphanumeric());
        if !letters || !text {
            return Some(Found::Binary(name));
        }
    }
    if !text {
        return Some(Found::Binary("a binary file"));
    }
    let start = start.strip_prefix(b"\xef\xbb\xbf").unwrap_or(start).trim_ascii_start();
    let lower = start.to_ascii_lowercase();
    let then = |rest: &[u8], of: &[u8]| rest.trim_ascii_start().first().is_none_or(|byte| of.contains(byte));
    Some(Found::Known(match lower.as_slice() {
        [] => return None,
        text if text.starts_with(b"<!doctype html") || text.starts_with(b"<html") => OutputKind::Html,
        text if text.starts_with(b"<svg") => OutputKind::Svg,
        text if text.starts_with(b"<?xml") => match text.windows(4).any(|word| word == b"<svg") {
            true => OutputKind::Svg,
            false => return Some(Found::Binary("an XML file")),
        },
        [b'{', rest @ ..] if then(rest, b"\"}") => OutputKind::Json,
        [b'[', rest @ ..] if then(rest, b"\"]{[-0123456789tfn") => OutputKind::Json,
        _ => OutputKind::Text,
    }))
}

/// SQLite keeps the id of an application in the bytes 68 to 71 of its header.
fn is_campaign(start: &[u8]) -> bool {
    start.starts_with(b"SQLite format 3\0")
        && start.get(68..72) == Some(&CAMPAIGN_APPLICATION_ID.to_be_bytes()[..])
}

/// The first bytes of a file; nothing where there is none. A pipe is not opened: its reader would wait.
fn beginning(path: &Path) -> io::Result<Vec<u8>> {
    let mut start = Vec::new();
    if fs::metadata(path)?.is_file() {
        File::open(path)?.take(1024).read_to_end(&mut start)?;
    }
    Ok(start)
}

fn extension(path: &Path) -> String {
    path.extension().unwrap_or_default().to_string_lossy().to_ascii_lowercase()
}

/// Whether two paths lead to the same file.
fn same_file(one: &Path, other: &Path) -> bool {
    let canonical = |path: &Path| fs::canonicalize(path).ok();
    let named_alike = canonical(one).is_some_and(|one| Some(one) == canonical(other));
    named_alike || linked(one, other)
}

/// Whether two names are links to one file.
#[cfg(unix)]
fn linked(one: &Path, other: &Path) -> bool {
    use std::os::unix::fs::MetadataExt;
    let place = |path: &Path| fs::metadata(path).ok().map(|about| (about.dev(), about.ino()));
    place(one).is_some_and(|one| Some(one) == place(other))
}

#[cfg(not(unix))]
fn linked(_: &Path, _: &Path) -> bool {
    false
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_file_is_replaced_only_by_one_of_its_own_kind() {
        use OutputKind::{Csv, Html, Json, Npy, Png, Svg, Text};
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("file");
        let rows: [(&[u8], &[OutputKind]); 13] = [
            (b"", &[Csv, Json, Html, Svg, Png, Npy, Text]),
            (b"id,x\na,1\n", &[Csv, Text]),
            (b"\xef\xbb\xbfPAR1;x\na;1\n", &[Csv, Text]),
            (b"PK numbers,x\n", &[Csv, Text]),
            (b"{\n  \"a\": 1}", &[Json]),
            (b"[{\"a\": 1}]", &[Json]),
            (b"[weight],x\n", &[Csv, Text]),
            (b" <!DOCTYPE html><html>", &[Html]),
            (b"<svg xmlns=", &[Svg]),
            (b"<?xml version=\"1.0\"?><svg xmlns=", &[Svg]),
            (b"\x89PNG\r\n\x1a\n\0\0", &[Png]),
            (b"\x93NUMPY\x01\0", &[Npy]),
            (b"PK\x03\x04\x14\0\0\0", &[]),
        ];
        for (content, allowed) in rows {
            std::fs::write(&path, content).unwrap();
            for kind in [Csv, Json, Html, Svg, Png, Npy, Text] {
                let found = check_output(&path, kind, &[]);
                assert_eq!(found.is_ok(), allowed.contains(&kind), "{kind:?} over {content:?}: {found:?}");
            }
        }
    }

    #[test]
    fn an_input_is_known_under_every_name_it_has() {
        let folder = tempfile::tempdir().unwrap();
        let at = |name: &str| folder.path().join(name);
        std::fs::write(at("pool.csv"), "id\na\n").unwrap();
        std::fs::write(at("other.csv"), "id\na\n").unwrap();
        std::fs::create_dir(at("sub")).unwrap();
        let mut names = vec![at("pool.csv"), at("sub/../pool.csv")];
        #[cfg(unix)]
        {
            std::os::unix::fs::symlink(at("pool.csv"), at("soft.csv")).unwrap();
            std::fs::hard_link(at("pool.csv"), at("hard.csv")).unwrap();
            names.extend([at("soft.csv"), at("hard.csv")]);
        }
        for name in names {
            let refused = check_output(&name, OutputKind::Csv, &[&at("pool.csv")]).unwrap_err();
            assert_eq!(refused, OutputRefused::Input { path: name });
        }
        assert_eq!(check_output(&at("other.csv"), OutputKind::Csv, &[&at("pool.csv")]), Ok(()));
        assert_eq!(check_output(&at("absent.csv"), OutputKind::Csv, &[&at("absent.csv")]), Ok(()));
    }

    #[test]
    fn a_campaign_is_known_by_its_bytes_and_by_its_name() {
        let folder = tempfile::tempdir().unwrap();
        let mut header = b"SQLite format 3\0".to_vec();
        header.resize(100, 0);
        header[68..72].copy_from_slice(b"Elfv");
        let path = folder.path().join("copy.html");
        std::fs::write(&path, &header).unwrap();
        let campaign = |path: &Path| Err(OutputRefused::Campaign { path: path.to_owned() });
        assert_eq!(check_output(&path, OutputKind::Html, &[]), campaign(&path));
        let refused = check_output(&path, OutputKind::Html, &[]).unwrap_err();
        assert_eq!(refused.other_name(), folder.path().join("copy-new.html"));
        let named = folder.path().join("not-yet.ELFVING");
        assert_eq!(check_output(&named, OutputKind::Html, &[]), campaign(&named));
    }
}
