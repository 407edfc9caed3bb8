//! What is too large, too deep, too slow or too much is refused, and the server goes on.

use std::io::{Read, Write};
use std::net::TcpStream;
use std::time::Duration;

use elfving_server::routes;

use crate::support::{Lab, parse};

#[test]
fn a_body_that_is_too_large_is_refused_before_it_is_read() {
    let lab = Lab::new();
    for (method, path, ..) in routes() {
        let path = path.replace("{name}", "screen").replace("{slot}", "S0001A").replace("{id}", "a");
        let head = format!(
            "{method} {path} HTTP/1.1\r\nHost: {}\r\nConnection: close\r\nContent-Length: 104857600\r\n\r\n",
            lab.address
        );
        let reply = parse(&lab.raw(head.as_bytes()));
        assert_eq!(reply.status, 413, "{method} {path}: {reply:?}");
    }
    // The same without saying so first.
    let mut body =
        b"POST /api/v1/campaigns/screen/ask HTTP/1.1\r\nConnection: close\r\nTransfer-Encoding: chunked\r\n"
            .to_vec();
    body.extend(format!("Host: {}\r\nContent-Type: application/json\r\n\r\n", lab.address).bytes());
    let chunk = vec![b' '; 1 << 16];
    for _ in 0..40 {
        body.extend(
            format!("{:x}\r\n", chunk.len()).bytes().chain(chunk.iter().copied()).chain("\r\n".bytes()),
        );
    }
    let answer = lab.raw(&body);
    assert!(answer.is_empty() || parse(&answer).status == 413);
    lab.get("/healthz").ok();
}

#[test]
fn json_that_is_deep_or_none_is_refused() {
    let lab = Lab::new();
    for body in [
        "[".repeat(10_000),
        "{\"a\":".repeat(10_000),
        "{".to_owned(),
        "null".to_owned(),
        "{\"batch\":1e999}".to_owned(),
        "{\"what\":1}".to_owned(),
    ] {
        let reply = lab.post("/api/v1/campaigns/screen/ask", &body);
        assert_eq!(
            (reply.status, reply.header("content-type")),
            (400, Some("application/problem+json")),
            "{reply:?}"
        );
        assert_eq!(reply.json()["code"], "E220");
    }
    let batch = lab.post("/api/v1/campaigns/screen/ask", "{\"batch\":0}");
    assert!((400..500).contains(&batch.status));
}

#[test]
fn a_slow_head_does_not_hold_a_connection() {
    let lab = Lab::new();
    let mut socket = TcpStream::connect(lab.address).unwrap();
    socket.write_all(b"GET /healthz HTTP/1.1\r\nHost: x\r\n").unwrap();
    socket.set_read_timeout(Some(Duration::from_secs(30))).unwrap();
    let mut rest = Vec::new();
    // It ends from the other side, long before we lose patience.
    assert!(socket.read_to_end(&mut rest).is_ok(), "the connection was closed");
    assert!(!String::from_utf8_lossy(&rest).starts_with("HTTP/1.1 200"));
}

#[test]
fn who_asks_too_much_waits_and_streams_are_counted() {
    let lab = Lab::new();
    let mut open = Vec::new();
    let mut busy = 0;
    for _ in 0..300 {
        let mut socket = TcpStream::connect(lab.address).unwrap();
        socket.set_read_timeout(Some(Duration::from_secs(30))).unwrap();
        socket
            .write_all(
                format!("GET /api/v1/campaigns/screen/stream HTTP/1.1\r\nHost: {}\r\n\r\n", lab.address)
                    .as_bytes(),
            )
            .unwrap();
        let mut first = [0; 12];
        socket.read_exact(&mut first).unwrap();
        match &first[9..12] {
            b"200" => open.push(socket),
            b"503" => busy += 1,
            other => panic!("{other:?}"),
        }
    }
    assert_eq!((open.len(), busy), (256, 44));
    // The others are served as before.
    lab.get("/api/v1/campaigns/screen").ok();
}
