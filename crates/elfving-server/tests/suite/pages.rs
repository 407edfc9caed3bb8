//! The pages: escaped everywhere, and the chemist's way without script.

use crate::support::{Lab, OPTIONS, POOL, Reply, form};

const EVIL: &str = "<script>alert(1)</script>";

fn key(page: &Reply) -> String {
    let rest = page.text().split_once("name=\"form_key\" value=\"").unwrap().1;
    rest.split_once('"').unwrap().0.to_owned()
}

fn hidden(page: &Reply, name: &str) -> String {
    let rest = page
        .text()
        .split_once(&format!("name=\"{name}\" value=\""))
        .unwrap_or_else(|| panic!("{name}: {}", page.text()))
        .1;
    rest.split_once('"').unwrap().0.to_owned()
}

fn send(lab: &Lab, path: &str, fields: &[(&str, &str)], files: &[(&str, &str, &[u8])]) -> Reply {
    let (kind, body) = form(fields, files);
    lab.send("POST", path, &[("Content-Type", &kind)], &body)
}

#[test]
fn no_page_has_markup_from_a_table() {
    let lab = Lab::empty();
    let pool = format!(
        "id,{EVIL},\"<img src=x onerror=alert(1)>\"\n\"{EVIL}\",1,x\n\"b\"\"b\",2,y\n\"c&lt;\",3,\"<u>\"\n"
    );
    let options = OPTIONS.replace("\"yield\"", &serde_json::to_string("<i>yield</i>").unwrap());
    lab.create("screen", &pool, &options).ok();
    let batch = lab.post("/api/v1/campaigns/screen/ask", &format!("{{\"worker\":\"{EVIL}\"}}")).ok().json();
    let slot = batch["rows"][0]["slot"].as_str().unwrap();
    lab.post(
        "/api/v1/campaigns/screen/tell",
        &format!("{{\"results\":[{{\"slot\":\"{slot}\",\"<i>yield</i>\":1}}]}}"),
    )
    .ok();
    lab.post("/api/v1/campaigns/screen/forbid", &format!("{{\"ids\":[\"c&lt;\"],\"reason\":\"{EVIL}\"}}"))
        .ok();
    let id = "%3Cscript%3Ealert%281%29%3C%2Fscript%3E";
    let mut pages: Vec<Reply> = [
        "/",
        "/c/screen",
        "/c/screen/batch",
        "/c/screen/tell",
        "/c/screen/candidates",
        "/c/screen/log?verify=true",
        "/new",
    ]
    .iter()
    .map(|path| lab.get(path).ok())
    .collect();
    pages.push(lab.get(&format!("/c/screen/candidates/{id}")).ok());
    pages.push(lab.get("/c/screen/candidates/%3Cu%3E"));
    pages.push(lab.get(&format!("/c/screen/batch?nothing={id}")).ok());
    pages.push(lab.get("/api/v1/campaigns/screen/report").ok());
    let tell = lab.get("/c/screen/tell").ok();
    let fields = [("form_key", key(&tell)), ("paste", format!("slot,<i>yield</i>\n{EVIL},{EVIL}\n"))];
    pages.push(send(
        &lab,
        "/c/screen/tell",
        &fields.each_ref().map(|(name, value)| (*name, value.as_str())),
        &[],
    ));
    let new = lab.get("/new").ok();
    let fields = [
        ("form_key", key(&new)),
        ("name", "x".into()),
        ("outcome", EVIL.to_owned()),
        ("aim", "maximise".into()),
        ("mode", "calibrated".into()),
        ("id", "id".into()),
    ];
    pages.push(
        send(
            &lab,
            "/new",
            &fields.each_ref().map(|(name, value)| (*name, value.as_str())),
            &[("pool", "p.csv", pool.as_bytes())],
        )
        .ok(),
    );
    for page in &pages {
        let text = page.text();
        for markup in ["<script>", "<img", "<i>", "<u>"] {
            assert!(!text.contains(markup), "{markup}: {text}");
        }
    }
    assert!(pages[1].text().contains("&lt;script&gt;alert(1)"), "it is there, as text");
}

#[test]
fn the_way_of_a_chemist_without_script() {
    let lab = Lab::empty();
    let new = lab.get("/new").ok();
    let fields = |key: &str| {
        [
            ("form_key", key.to_owned()),
            ("name", "week".into()),
            ("outcome", "yield".into()),
            ("aim", "maximise".into()),
            ("mode", "calibrated".into()),
            ("id", "id".into()),
            ("batch", "4".into()),
            ("plate", "2x3".into()),
            ("decimal", ".".into()),
        ]
    };
    let fields = fields(&key(&new));
    let fields = fields.each_ref().map(|(name, value)| (*name, value.as_str()));
    let look = send(&lab, "/new", &fields, &[("pool", "C:\\lab\\pool.csv", POOL.as_bytes())]).ok();
    assert!(
        look.text().contains("6 candidates") && look.text().contains("category, 2 levels"),
        "{}",
        look.text()
    );
    assert!(!lab.file("week").exists(), "nothing is created yet");
    let create = [("form_key", key(&look)), ("upload", hidden(&look, "upload"))];
    let create = create.each_ref().map(|(name, value)| (*name, value.as_str()));
    assert_eq!(send(&lab, "/new/create", &create, &[]).header("location"), Some("/c/week"));

    let batch = lab.get("/c/week/batch").ok();
    let ask = [("form_key", key(&batch)), ("batch", "4".to_owned())];
    assert_eq!(
        send(&lab, "/c/week/ask", &ask.each_ref().map(|(name, value)| (*name, value.as_str())), &[]).status,
        303
    );
    let batch = lab.get("/c/week/batch").ok();
    assert!(
        batch.text().contains("Plate 1") && batch.text().contains("4 slots are open"),
        "{}",
        batch.text()
    );

    // A half-filled column, with a gap and a failure, and decimal commas.
    let tell = lab.get("/c/week/tell").ok();
    let slots = hidden(&tell, "slots");
    let paste = |text: &str| {
        let fields = [
            ("form_key", key(&tell)),
            ("slots", slots.clone()),
            ("paste", text.to_owned()),
            ("decimal", ",".into()),
        ];
        send(&lab, "/c/week/tell", &fields.each_ref().map(|(name, value)| (*name, value.as_str())), &[])
    };
    let record = |look: &Reply, reason: Option<&str>| {
        let mut fields = vec![("form_key", key(look)), ("upload", hidden(look, "upload"))];
        fields.extend(reason.map(|reason| ("reason", reason.to_owned())));
        let fields: Vec<(&str, &str)> = fields.iter().map(|(name, value)| (*name, value.as_str())).collect();
        send(&lab, "/c/week/tell/record", &fields, &[])
    };
    let look = paste("1,5\n\nfailed\n");
    for words in ["recorded", "no outcome: stays open", "failed: asked again", "Nothing is recorded yet"] {
        assert!(look.text().contains(words), "{words}: {}", look.text());
    }
    assert_eq!(lab.open("week").status().unwrap().told, 0);
    let done = record(&look, None).ok();
    assert!(
        done.text().contains("3 lines read: 1 recorded, 1 failed, 1 without an outcome")
            || done.text().contains("4 lines read"),
        "{}",
        done.text()
    );
    assert_eq!(record(&look, None).status, 400, "what was recorded is not kept");
    let first = slots.split(' ').next().unwrap();
    assert_eq!(lab.open("week").slots().unwrap()[0].reading, Some(1.5.into()), "{first}");

    // Another value for the same slot is a conflict; with a reason it is a correction.
    let sheet = format!("slot,yield\n{first},2.5\n");
    let look =
        send(&lab, "/c/week/tell", &[("form_key", &key(&tell)), ("paste", &sheet), ("decimal", ".")], &[])
            .ok();
    assert!(look.text().contains("conflict") && look.text().contains("1.5"), "{}", look.text());
    assert_eq!(record(&look, None).status, 409);
    record(&look, Some("the vials were swapped")).ok();
    assert_eq!(lab.open("week").slots().unwrap()[0].reading, Some(2.5.into()));

    // Typed into cells, one of them no number: refused, with the line.
    let open: Vec<&str> = slots.split(' ').skip(1).collect();
    let typed = [("form_key", key(&tell)), ("slots", slots.clone()), ("decimal", ".".into())];
    let mut typed: Vec<(String, String)> =
        typed.into_iter().map(|(name, value)| (name.to_owned(), value)).collect();
    typed.push((format!("value {}", open[0]), "abc".to_owned()));
    let fields: Vec<(&str, &str)> =
        typed.iter().map(|(name, value)| (name.as_str(), value.as_str())).collect();
    let look = send(&lab, "/c/week/tell", &fields, &[]).ok();
    assert!(look.text().contains("refused") && !look.text().contains("name=\"upload\""), "{}", look.text());

    // An uploaded sheet: late results.
    let sheet = format!("slot,yield\n{},3.5\n", open[2]);
    let look = send(
        &lab,
        "/c/week/tell",
        &[("form_key", &key(&tell)), ("decimal", ".")],
        &[("file", "late.csv", sheet.as_bytes())],
    )
    .ok();
    record(&look, None).ok();
    assert!(lab.get("/c/week").ok().text().contains("Pick so far"));
    let log = lab.get("/c/week/log?verify=true").ok();
    assert!(log.text().contains("Intact") && log.text().contains("the vials were swapped"), "{}", log.text());
}

#[test]
fn every_page_of_a_campaign_names_what_is_not_there() {
    let lab = Lab::new();
    let page = lab.get("/c/none");
    assert_eq!((page.status, page.header("content-type")), (404, Some("text/html; charset=utf-8")));
    assert!(
        page.text().contains("there is no campaign") || page.text().contains("There is no campaign"),
        "{}",
        page.text()
    );
}
