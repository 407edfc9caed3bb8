//! A real server on a folder of its own, and a client that sends exactly what it is told.

use std::io::{Read, Write};
use std::net::{SocketAddr, TcpStream};
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Duration;

use elfving_campaign::{At, Campaign};
use elfving_server::{NewToken, Scope, Server, Settings, Tokens};
use serde_json::Value;

pub const POOL: &str = "id,dose,base\na,1,KOAc\nb,2,CsOAc\nc,3,KOAc\nd,4,CsOAc\ne,5,KOAc\nf,6,CsOAc\n";

/// The options of the usual campaign.
pub const OPTIONS: &str =
    r#"{"outcome":"yield","aim":"maximise","mode":"calibrated","batch":3,"columns":{"id":"id"}}"#;

/// The time of the tests, in milliseconds: it stands still unless a test moves it.
static TIME: AtomicU64 = AtomicU64::new(1_000_000);

pub fn clock() -> At {
    At(TIME.load(Ordering::Relaxed))
}

pub struct Lab {
    folder: tempfile::TempDir,
    pub address: SocketAddr,
}

/// Whose token, what it allows, for which campaigns, until when.
type NewOne<'a> = (&'a str, &'a [Scope], &'a [&'a str], Option<At>);

#[derive(Debug, Clone)]
pub struct Reply {
    pub status: u16,
    pub headers: Vec<(String, String)>,
    pub body: Vec<u8>,
}

impl Reply {
    pub fn header(&self, name: &str) -> Option<&str> {
        self.headers
            .iter()
            .find(|(known, _)| known.eq_ignore_ascii_case(name))
            .map(|(_, value)| value.as_str())
    }

    pub fn text(&self) -> &str {
        std::str::from_utf8(&self.body).unwrap()
    }

    pub fn json(&self) -> Value {
        serde_json::from_slice(&self.body).unwrap_or_else(|error| panic!("{error}: {self:?}"))
    }

    /// The answer, which must be one.
    pub fn ok(self) -> Self {
        assert!(
            (200..400).contains(&self.status),
            "{}: {}",
            self.status,
            String::from_utf8_lossy(&self.body)
        );
        self
    }
}

impl Lab {
    /// A server for this computer alone, with one campaign called `screen`.
    pub fn new() -> Self {
        let lab = Self::empty();
        lab.create("screen", POOL, OPTIONS).ok();
        lab
    }

    pub fn empty() -> Self {
        Self::in_folder(tempfile::tempdir().unwrap())
    }

    pub fn in_folder(folder: tempfile::TempDir) -> Self {
        let listen = SocketAddr::from(([127, 0, 0, 1], 0));
        let settings = Settings { folder: folder.path().to_owned(), listen, clock };
        let server = Server::bind(&settings).unwrap();
        let address = server.address().unwrap();
        std::thread::spawn(move || server.run().unwrap());
        Self { folder, address }
    }

    /// A server with a campaign and tokens, made in that order.
    pub fn with_tokens(tokens: &[NewOne<'_>]) -> (Self, Vec<String>) {
        let lab = Self::new();
        let made = tokens
            .iter()
            .map(|(name, scopes, campaigns, expires)| lab.token(name, scopes, campaigns, *expires));
        let made = made.collect();
        (lab, made)
    }

    pub fn token(&self, name: &str, scopes: &[Scope], campaigns: &[&str], expires: Option<At>) -> String {
        let campaigns = campaigns.iter().map(|name| (*name).to_owned()).collect();
        let new = NewToken { name: name.to_owned(), scopes: scopes.to_vec(), campaigns, expires };
        // Those that have expired were made before.
        let made_at = expires.map_or_else(clock, |at| At(at.0.min(clock().0).saturating_sub(1)));
        Tokens::of(self.path()).make(new, made_at).unwrap().1
    }

    pub fn path(&self) -> &Path {
        self.folder.path()
    }

    pub fn file(&self, name: &str) -> PathBuf {
        self.path().join(format!("{name}.elfving"))
    }

    /// The campaign, as the command line opens it.
    pub fn open(&self, name: &str) -> Campaign {
        Campaign::open(self.file(name)).unwrap()
    }

    /// Sends bytes as they are and reads to the end.
    pub fn raw(&self, bytes: &[u8]) -> Vec<u8> {
        let mut socket = TcpStream::connect(self.address).unwrap();
        socket.set_read_timeout(Some(Duration::from_secs(60))).unwrap();
        // A server that refuses early may have closed already.
        let _ = socket.write_all(bytes);
        let mut answer = Vec::new();
        let _ = socket.read_to_end(&mut answer);
        answer
    }

    pub fn send(&self, method: &str, path: &str, headers: &[(&str, &str)], body: &[u8]) -> Reply {
        let mut head = format!("{method} {path} HTTP/1.1\r\nConnection: close\r\n");
        if !headers.iter().any(|(name, _)| name.eq_ignore_ascii_case("host")) {
            head.push_str(&format!("Host: {}\r\n", self.address));
        }
        for (name, value) in headers {
            head.push_str(&format!("{name}: {value}\r\n"));
        }
        if !body.is_empty() || method != "GET" {
            head.push_str(&format!("Content-Length: {}\r\n", body.len()));
        }
        head.push_str("\r\n");
        parse(&self.raw(&[head.as_bytes(), body].concat()))
    }

    pub fn get(&self, path: &str) -> Reply {
        self.send("GET", path, &[], b"")
    }

    pub fn post(&self, path: &str, body: &str) -> Reply {
        self.send("POST", path, &[("Content-Type", "application/json")], body.as_bytes())
    }

    pub fn create(&self, name: &str, pool: &str, options: &str) -> Reply {
        let (kind, body) = form(&[("options", options)], &[("pool", "pool.csv", pool.as_bytes())]);
        self.send("PUT", &format!("/api/v1/campaigns/{name}"), &[("Content-Type", &kind)], &body)
    }

    /// The slots that were handed out.
    pub fn ask(&self, body: &str) -> Vec<String> {
        slots(&self.post("/api/v1/campaigns/screen/ask", body).ok())
    }
}

pub fn slots(reply: &Reply) -> Vec<String> {
    let rows = reply.json()["rows"].as_array().unwrap().clone();
    rows.iter().map(|row| row["slot"].as_str().unwrap().to_owned()).collect()
}

/// A form with files: its type and its body.
pub fn form(fields: &[(&str, &str)], files: &[(&str, &str, &[u8])]) -> (String, Vec<u8>) {
    const BORDER: &str = "border-of-a-test";
    let mut body = Vec::new();
    for (name, value) in fields {
        body.extend(
            format!("--{BORDER}\r\nContent-Disposition: form-data; name=\"{name}\"\r\n\r\n{value}\r\n")
                .bytes(),
        );
    }
    for (name, file, bytes) in files {
        let head = format!(
            "--{BORDER}\r\nContent-Disposition: form-data; name=\"{name}\"; filename=\"{file}\"\r\n\r\n"
        );
        body.extend(head.bytes().chain(bytes.iter().copied()).chain("\r\n".bytes()));
    }
    body.extend(format!("--{BORDER}--\r\n").bytes());
    (format!("multipart/form-data; boundary={BORDER}"), body)
}

pub fn parse(bytes: &[u8]) -> Reply {
    let end = bytes
        .windows(4)
        .position(|window| window == b"\r\n\r\n")
        .unwrap_or_else(|| panic!("no answer: {bytes:?}"));
    let head = std::str::from_utf8(&bytes[..end]).unwrap();
    let mut lines = head.split("\r\n");
    let status = lines.next().unwrap().split(' ').nth(1).unwrap().parse().unwrap();
    let pair = |line: &str| {
        line.split_once(':').map(|(name, value)| (name.to_owned(), value.trim().to_owned())).unwrap()
    };
    Reply { status, headers: lines.map(pair).collect(), body: bytes[end + 4..].to_vec() }
}
