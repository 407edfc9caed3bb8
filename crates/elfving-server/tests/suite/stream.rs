//! Events as they happen.

use std::io::{BufRead, BufReader, Write};
use std::net::TcpStream;
use std::time::{Duration, Instant};

use elfving_campaign::At;

use crate::support::Lab;

struct Listener(BufReader<TcpStream>);

impl Listener {
    fn new(lab: &Lab, query: &str, last: Option<u64>) -> Self {
        let mut socket = TcpStream::connect(lab.address).unwrap();
        socket.set_read_timeout(Some(Duration::from_secs(20))).unwrap();
        let last = last.map_or_else(String::new, |last| format!("Last-Event-ID: {last}\r\n"));
        let head = format!(
            "GET /api/v1/campaigns/screen/stream{query} HTTP/1.1\r\nHost: {}\r\n{last}\r\n",
            lab.address
        );
        socket.write_all(head.as_bytes()).unwrap();
        let mut listener = Self(BufReader::new(socket));
        // From its first words on it listens.
        listener.line_with(": the events");
        listener
    }

    fn line_with(&mut self, start: &str) -> String {
        loop {
            let mut line = String::new();
            assert!(self.0.read_line(&mut line).unwrap() > 0, "the stream ended");
            if let Some(rest) = line.trim_end().strip_prefix(start) {
                return rest.to_owned();
            }
        }
    }

    fn next(&mut self) -> (u64, String) {
        (self.line_with("id: ").parse().unwrap(), self.line_with("event: "))
    }
}

#[test]
fn a_stream_says_what_happens_and_goes_on_where_it_ended() {
    let lab = Lab::new();
    let mut new = Listener::new(&lab, "", None);
    let slots = lab.ask("{}");
    assert_eq!(new.next(), (2, "asked".to_owned()));
    // The command line writes to the same file, past the server.
    let began = Instant::now();
    let mut campaign = lab.open("screen");
    campaign
        .tell_outcomes(
            &[(&slots[0], elfving::bandit::Outcome::Measured(0.5.into()))],
            &Default::default(),
            At(5),
        )
        .unwrap();
    assert_eq!(new.next(), (3, "told".to_owned()));
    assert!(began.elapsed() < Duration::from_secs(5), "{:?}", began.elapsed());
    let mut all = Listener::new(&lab, "?after=0", None);
    assert_eq!((all.next().0, all.next().0), (1, 2));
    let mut again = Listener::new(&lab, "", Some(2));
    assert_eq!(again.next(), (3, "told".to_owned()));
}
