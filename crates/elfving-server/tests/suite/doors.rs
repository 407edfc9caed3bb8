//! Who is let in. The tests go through the table of routes, so that no route can be added without them.

use elfving_campaign::At;
use elfving_server::{Scope, routes};

use crate::support::{Lab, Reply, clock};

const ALL: [Scope; 4] = [Scope::Read, Scope::Ask, Scope::Tell, Scope::Admin];

fn address(path: &str) -> String {
    path.replace("{name}", "screen").replace("{slot}", "S0001A").replace("{id}", "a")
}

/// A request to every route, with a token or without.
fn knock(lab: &Lab, method: &str, path: &str, token: Option<&str>) -> Reply {
    let bearer = token.map(|token| format!("Bearer {token}"));
    let headers: Vec<(&str, &str)> = bearer.iter().map(|bearer| ("Authorization", bearer.as_str())).collect();
    // A stream that begins is let in; nobody waits for its end.
    match path.ends_with("/stream") {
        true => lab.send(method, &format!("{}?after=x", address(path)), &headers, b""),
        false => lab.send(method, &address(path), &headers, b""),
    }
}

fn is_refused(reply: &Reply, page: bool) -> bool {
    let to_login = reply.status == 303 && reply.header("location") == Some("/login");
    reply.status == 401 || (page && to_login)
}

#[test]
fn without_a_valid_token_only_what_says_nothing_is_open() {
    let (lab, tokens) = Lab::with_tokens(&[
        ("late", &[Scope::Admin], &[], Some(At(clock().0))),
        ("gone", &[Scope::Admin], &[], None),
    ]);
    elfving_server::Tokens::of(lab.path()).revoke("gone", clock()).unwrap();
    let altered = format!("{}0", &tokens[1][..tokens[1].len() - 1]);
    let worthless = [
        None,
        Some(tokens[0].as_str()),
        Some(tokens[1].as_str()),
        Some(altered.as_str()),
        Some("x"),
        Some(""),
    ];
    let mut open = Vec::new();
    for (method, path, scope, page) in routes() {
        for token in worthless {
            let reply = knock(&lab, method, path, token);
            match scope {
                Some(_) => assert!(
                    is_refused(&reply, page) || reply.status == 429,
                    "{method} {path} {token:?}: {reply:?}"
                ),
                None => assert_ne!(reply.status, 401, "{method} {path}"),
            }
        }
        if scope.is_none() {
            open.push(path);
        }
    }
    // The whole list, so that nobody opens another one in passing.
    let expected = ["/healthz", "/openapi.json", "/login", "/login", "/logout", "/style.css", "/live.js"];
    assert_eq!(open, expected);
    assert_eq!(lab.open("screen").head().event, 1, "nothing was written");
}

#[test]
fn a_token_allows_its_scopes_and_its_campaigns_and_nothing_else() {
    for own in ALL {
        let (lab, tokens) = Lab::with_tokens(&[
            ("here", &[own], &["screen"], None),
            ("there", &[Scope::Admin], &["other"], None),
        ]);
        for (method, path, scope, _) in routes() {
            let Some(scope) = scope else { continue };
            let allowed = scope == Scope::Read || own == Scope::Admin || own == scope;
            let reply = knock(&lab, method, path, Some(&tokens[0]));
            match is_form(method, path) {
                // Let in or not, a form that is not ours changes nothing.
                true => {
                    assert!(matches!(reply.status, 400 | 403), "{own:?}: {method} {path}: {reply:?}");
                    assert!(allowed || reply.status == 403, "{own:?}: {method} {path}: {reply:?}");
                }
                false => assert_eq!(reply.status != 403, allowed, "{own:?}: {method} {path}: {reply:?}"),
            }
            if path.contains("{name}") {
                let reply = knock(&lab, method, path, Some(&tokens[1]));
                assert_eq!(reply.status, 403, "a token for another campaign: {method} {path}: {reply:?}");
            }
        }
    }
}

/// The forms of pages say 403 or 400 to what is not one of them, whoever sends it.
fn is_form(method: &str, path: &str) -> bool {
    method == "POST" && !path.starts_with("/api/")
}

#[test]
fn a_list_shows_the_campaigns_of_the_token_only() {
    let lab = Lab::new();
    lab.create("other", crate::support::POOL, crate::support::OPTIONS).ok();
    let token = lab.token("one", &[Scope::Read], &["other"], None);
    let reply =
        lab.send("GET", "/api/v1/campaigns", &[("Authorization", &format!("Bearer {token}"))], b"").ok();
    let names: Vec<String> = reply.json()["campaigns"]
        .as_array()
        .unwrap()
        .iter()
        .map(|one| one["name"].as_str().unwrap().to_owned())
        .collect();
    assert_eq!(names, ["other"]);
    let page = lab.send("GET", "/", &[("Authorization", &format!("Bearer {token}"))], b"").ok();
    assert!(page.text().contains("other") && !page.text().contains("screen"));
}

#[test]
fn without_tokens_another_name_of_this_computer_gets_nothing() {
    let lab = Lab::new();
    let port = lab.address.port();
    for host in [
        "evil.example",
        &format!("evil.example:{port}"),
        "127.0.0.1",
        "127.0.0.1.evil.example",
        &format!("localhost.evil:{port}"),
        "",
    ] {
        for (method, path, ..) in routes() {
            let reply = lab.send(method, &address(path), &[("Host", host)], b"");
            assert_eq!(reply.status, 403, "{host} {method} {path}: {reply:?}");
        }
    }
    for host in [format!("localhost:{port}"), format!("127.0.0.1:{port}")] {
        lab.send("GET", "/api/v1/campaigns", &[("Host", &host)], b"").ok();
    }
}

#[test]
fn what_another_site_sends_changes_nothing() {
    let lab = Lab::new();
    let foreign = [
        ("Origin", "https://evil.example"),
        ("Origin", "null"),
        ("Origin", "http://127.0.0.1:1"),
        ("Sec-Fetch-Site", "cross-site"),
        ("Sec-Fetch-Site", "same-site"),
    ];
    for (method, path, ..) in routes().into_iter().filter(|(method, ..)| *method != "GET") {
        for header in foreign {
            let reply = lab.send(method, &address(path), &[header], b"");
            assert_eq!(
                (reply.status, reply.text().contains("E223")),
                (403, true),
                "{header:?} {method} {path}: {reply:?}"
            );
        }
    }
    assert_eq!(lab.open("screen").head().event, 1);
    // Our own pages, and programs, which send neither.
    let own = format!("http://{}", lab.address);
    lab.send("POST", "/api/v1/campaigns/screen/ask", &[("Origin", &own)], b"").ok();
}

#[test]
fn no_answer_may_be_framed_or_load_anything_from_elsewhere() {
    let lab = Lab::new();
    for (method, path, ..) in routes().into_iter().filter(|(_, path, ..)| !path.ends_with("/stream")) {
        let reply = lab.send(method, &address(path), &[], b"");
        let policy = reply.header("content-security-policy").unwrap_or_else(|| panic!("{path}"));
        assert!(
            policy.starts_with("default-src 'none'") && policy.contains("frame-ancestors 'none'"),
            "{path}: {policy}"
        );
        assert!(!policy.contains("unsafe") && !policy.contains('*'), "{path}: {policy}");
        assert_eq!(reply.header("x-content-type-options"), Some("nosniff"), "{path}");
        assert!(reply.headers.iter().all(|(name, _)| !name.starts_with("access-control")), "{path}");
    }
}

#[test]
fn an_address_that_others_can_reach_needs_a_valid_token() {
    use elfving_server::{NewToken, ServeError, Server, Settings, Tokens};
    let folder = tempfile::tempdir().unwrap();
    let listen = "0.0.0.0:0".parse().unwrap();
    let settings = Settings { folder: folder.path().to_owned(), listen, clock };
    assert!(matches!(Server::bind(&settings), Err(ServeError::NeedsTokens(_))));
    let new = |expires| NewToken { name: "a".into(), scopes: vec![Scope::Read], campaigns: vec![], expires };
    let tokens = Tokens::of(folder.path());
    tokens.make(new(Some(At(clock().0))), At(1)).unwrap();
    assert!(
        matches!(Server::bind(&settings), Err(ServeError::NeedsTokens(_))),
        "one that has expired is none"
    );
    tokens.make(new(None), At(1)).unwrap();
    assert!(Server::bind(&settings).is_ok());
}

#[test]
fn a_token_that_is_made_while_the_server_runs_closes_it_for_good() {
    let lab = Lab::new();
    lab.get("/api/v1/campaigns").ok();
    let token = lab.token("first", &[Scope::Read], &[], None);
    assert_eq!(lab.get("/api/v1/campaigns").status, 401);
    let bearer = format!("Bearer {token}");
    lab.send("GET", "/api/v1/campaigns", &[("Authorization", &bearer)], b"").ok();
    std::fs::remove_dir_all(lab.path().join(".tokens")).unwrap();
    assert_eq!(lab.get("/api/v1/campaigns").status, 401, "without its tokens it is not open again");
}

#[test]
fn a_browser_gets_a_session_which_opens_pages_and_changes_nothing_of_the_api() {
    let (lab, tokens) = Lab::with_tokens(&[("Ada", &[Scope::Admin], &[], None)]);
    let key = |page: &Reply| {
        let rest = page.text().split_once("name=\"form_key\" value=\"").unwrap().1;
        rest.split_once('"').unwrap().0.to_owned()
    };
    let login = key(&lab.get("/login").ok());
    let form = |body: &str, cookie: &str| {
        let headers = [("Content-Type", "application/x-www-form-urlencoded"), ("Cookie", cookie)];
        lab.send("POST", if cookie.is_empty() { "/login" } else { "/logout" }, &headers, body.as_bytes())
    };
    assert_eq!(form(&format!("form_key={login}&token=wrong"), "").status, 403);
    assert_eq!(form(&format!("form_key=wrong&token={}", tokens[0]), "").status, 403);
    let reply = form(&format!("form_key={login}&token={}", tokens[0]), "");
    assert_eq!((reply.status, reply.header("location")), (303, Some("/")));
    let cookie = reply.header("set-cookie").unwrap();
    for part in ["__Host-elfving=", "Path=/", "Secure", "HttpOnly", "SameSite=Strict"] {
        assert!(cookie.contains(part), "{cookie}");
    }
    let cookie = cookie.split(';').next().unwrap();
    let with = |method: &str, path: &str| lab.send(method, path, &[("Cookie", cookie)], b"");
    assert!(with("GET", "/").ok().text().contains("Ada"));
    with("GET", "/api/v1/campaigns/screen").ok();
    assert_eq!(with("POST", "/api/v1/campaigns/screen/ask").status, 401, "a cookie asks for no slots");
    let page = with("GET", "/c/screen/batch").ok();
    let ask = |key: &str| {
        let headers = [("Content-Type", "application/x-www-form-urlencoded"), ("Cookie", cookie)];
        lab.send("POST", "/c/screen/ask", &headers, format!("form_key={key}&batch=2").as_bytes())
    };
    assert_eq!(ask(&login).status, 403, "the key of another session");
    assert_eq!(ask(&key(&page)).status, 303);
    let log = lab.open("screen").log().unwrap();
    assert_eq!(log.last().unwrap().event.by(), Some("Ada"));
    // Who revokes the token ends the session.
    elfving_server::Tokens::of(lab.path()).revoke("Ada", clock()).unwrap();
    assert_eq!(with("GET", "/").header("location"), Some("/login"));
}

#[test]
fn a_name_is_never_a_path() {
    let lab = Lab::new();
    let secret = lab.path().parent().unwrap().join("secret.elfving");
    let names = [
        "..%2fscreen",
        "%2e%2e%2fscreen",
        "..%5cscreen",
        "%2fetc%2fpasswd",
        ".tokens",
        "screen%00",
        "a..b",
        ".",
        "%2e%2e",
        "screen%2f..%2fscreen",
        "C:%5cscreen",
        "screen.",
        "%ff",
        "-",
        "screen%0d%0aX-Evil:1",
    ];
    for name in names {
        for (method, path, ..) in routes().into_iter().filter(|(_, path, ..)| path.contains("{name}")) {
            let address = path.replace("{name}", name).replace("{slot}", "S0001A").replace("{id}", "a");
            let reply = lab.send(method, &address, &[], b"");
            assert!(matches!(reply.status, 400 | 403 | 404), "{method} {address}: {reply:?}");
            assert_eq!(reply.header("x-evil"), None);
        }
        let reply = lab.create(name, crate::support::POOL, crate::support::OPTIONS);
        assert!(matches!(reply.status, 400 | 404), "{name}: {reply:?}");
    }
    assert!(!secret.exists());
    let files: Vec<String> = std::fs::read_dir(lab.path())
        .unwrap()
        .map(|entry| entry.unwrap().file_name().into_string().unwrap())
        .collect();
    assert_eq!(files, ["screen.elfving"]);
}
