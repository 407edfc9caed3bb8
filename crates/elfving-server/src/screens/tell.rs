//! Recording results: typed, pasted or uploaded, and looked at line by line before anything is written.

use elfving::units::grouped;
use elfving_campaign::{Attachment, Batch, Fate, LineFate, ResultsFile, Spec, TellOptions, Told, number};
use elfving_table::Decimal;
use maud::{Markup, html};

use super::words::recipe;
use super::{Page, key, page, scrolling};
use crate::api::results::check_reason;
use crate::call::{Answer, Answered, Call};
use crate::refusal::Refusal;
use crate::stash::Upload;

/// Lines that are shown.
const MOST_LINES: usize = 2000;

pub(crate) fn show(call: &mut Call) -> Answered {
    let name = call.name()?;
    let (batch, spec, event) = call.look(|open| {
        let batch = open.campaign.open_slots()?;
        Ok((batch, open.campaign.spec().clone(), open.campaign.head().event))
    })?;
    let slots: Vec<&str> = batch.rows.iter().map(|row| row.slot.as_str()).collect();
    let content = html! {
        p { "Fill in, paste, or upload: one of the three. You see what becomes of every line before anything is recorded." }
        form.keep method="post" enctype="multipart/form-data" action=(format!("/c/{name}/tell")) {
            (key(call))
            input type="hidden" name="slots" value=(slots.join(" "));
            h2 { "Fill in" }
            @if batch.rows.is_empty() { p { "No slot is open." } } @else { (cells(&batch, &spec)) }
            h2 { "Paste" }
            p { label for="paste" { "A column of outcomes in the order above, gaps included; or lines with slot and outcome; or a whole sheet with its header" } }
            textarea #paste name="paste" spellcheck="false" {}
            h2 { "Upload" }
            p { label for="file" { "A .csv or .xlsx with the columns slot and " (spec.outcome) ", in any order" } }
            p { input #file type="file" name="file" accept=".csv,.tsv,.txt,.xlsx"; }
            h2 { "Then" }
            p { label for="decimal" { "Decimal mark " } (decimal(spec.results.decimal)) }
            p { button.main type="submit" { "Look at it" } }
        }
    };
    let title = format!("{name}: record results");
    let about = Page { title: &title, campaign: Some((name.as_str(), event)), place: "/tell" };
    Ok(Answer::html(page(call, &about, content)))
}

fn decimal(usual: Decimal) -> Markup {
    html! {
        select #decimal name="decimal" {
            option value="." selected[usual == Decimal::Point] { "point, as in 1.5" }
            option value="," selected[usual == Decimal::Comma] { "comma, as in 1,5" }
        }
    }
}

fn cells(batch: &Batch, spec: &Spec) -> Markup {
    scrolling(
        "Open slots",
        html! {
            table {
                caption { "What stays empty stays open. Several values of one slot: 0.5;0.6" }
                thead { tr {
                    th scope="col" { "slot" } @if batch.has_wells(spec) { th scope="col" { "well" } } th scope="col" { "candidate" }
                    th scope="col" { (spec.outcome) } th scope="col" { "status" } th scope="col" { "recipe" }
                } }
                tbody { @for row in &batch.rows {
                    tr {
                        td { code { (row.slot) } } @if batch.has_wells(spec) { td { (row.well.as_deref().unwrap_or_default()) } }
                        td { (row.id) }
                        td { input.cell name=(format!("value {}", row.slot)) inputmode="decimal" autocomplete="off"
                            aria-label=(format!("{} of {} in slot {}", spec.outcome, row.id, row.slot)); }
                        td { select name=(format!("status {}", row.slot)) aria-label=(format!("status of slot {}", row.slot)) {
                            option value="" { "" } option value="failed" { "failed" } option value="infeasible" { "infeasible" }
                        } }
                        td.wrap { (recipe(&row.columns)) }
                    }
                } }
            }
        },
    )
}

/// What was sent, as a file of results.
fn sent(call: &mut Call, outcome: &str) -> Result<Attachment, Refusal> {
    let slots: Vec<String> = call.field("slots").unwrap_or_default().split(' ').map(str::to_owned).collect();
    let pasted = call.field("paste").map(str::to_owned).filter(|text| !text.trim().is_empty());
    let typed: Vec<[String; 3]> = slots
        .iter()
        .map(|slot| {
            let said =
                |what: &str| call.field(&format!("{what} {slot}")).unwrap_or_default().trim().to_owned();
            [slot.clone(), said("value"), said("status")]
        })
        .filter(|[_, value, status]| !value.is_empty() || !status.is_empty())
        .collect();
    let file = call.file("file");
    match (file, pasted, typed.is_empty()) {
        (Some(file), None, true) => Ok(file),
        (None, Some(text), true) => pasted_file(&text, &slots, outcome),
        (None, None, false) => Ok(sheet("typed.csv", outcome, typed.into_iter())),
        (None, None, true) => Err(Refusal::malformed("nothing was filled in, pasted or uploaded")
            .help("go back and give at least one outcome")),
        _ => Err(Refusal::malformed("results came in more than one way")
            .help("fill in, paste, or upload: one of the three")),
    }
}

/// A column in the order of the slots, lines of slot and outcome, or a sheet with its header.
fn pasted_file(text: &str, slots: &[String], outcome: &str) -> Result<Attachment, Refusal> {
    let text = text.replace("\r\n", "\n");
    let lines: Vec<&str> = text.strip_suffix('\n').unwrap_or(&text).split('\n').collect();
    let first = lines.iter().find(|line| !line.trim().is_empty()).copied().unwrap_or_default();
    let names_slots = |line: &str| {
        line.split(['\t', ',', ';']).any(|cell| cell.trim().trim_matches('"').eq_ignore_ascii_case("slot"))
    };
    if names_slots(first) {
        return Ok(Attachment::new("pasted.csv", text.trim_start_matches('\n')));
    }
    if first.contains('\t') || first.split_whitespace().count() == 2 {
        let pair = |line: &&str| {
            let (slot, value) = line.trim().split_once(['\t', ' ']).unwrap_or((line.trim(), ""));
            [slot.trim().to_owned(), value.trim().to_owned(), String::new()]
        };
        let pairs = lines.iter().filter(|line| !line.trim().is_empty()).map(pair);
        return Ok(sheet("pasted.csv", outcome, pairs));
    }
    if lines.len() > slots.len() {
        let (given, open) = (lines.len(), slots.len());
        return Err(Refusal::malformed(format!("{given} lines were pasted, and {open} slots are open"))
            .help("paste one line per open slot, in their order; an empty line for each that is not measured yet"));
    }
    let lines =
        slots.iter().zip(&lines).map(|(slot, line)| [slot.clone(), line.trim().to_owned(), String::new()]);
    Ok(sheet("pasted.csv", outcome, lines))
}

/// Lines of slot, outcome and status as a file. Between tabs, a decimal comma needs no quotes; a word in place of a number is a status.
fn sheet(name: &str, outcome: &str, lines: impl Iterator<Item = [String; 3]>) -> Attachment {
    let quoted = |cell: &str| format!("\"{}\"", cell.replace('"', "\"\""));
    let mut text = format!("slot\t{}\tstatus\n", quoted(outcome));
    for [slot, value, status] in lines {
        let (value, status) = match value.as_str() {
            "failed" | "infeasible" if status.is_empty() => (String::new(), value),
            _ => (value, status),
        };
        text.push_str(&format!("{}\t{}\t{}\n", quoted(&slot), quoted(&value), quoted(&status)));
    }
    Attachment::new(name, text)
}

/// A file as it was sent, and the decimal mark that was chosen.
fn results(
    file: &Attachment,
    decimal: Option<&str>,
    spec: &Spec,
) -> Result<ResultsFile, elfving_campaign::CampaignError> {
    let mut format = spec.results.clone();
    format.decimal = match decimal {
        Some(",") => Decimal::Comma,
        Some(_) => Decimal::Point,
        None => format.decimal,
    };
    Ok(ResultsFile::from_bytes(&file.name, &file.bytes, &format)?)
}

pub(crate) fn look(call: &mut Call) -> Answered {
    let name = call.name()?;
    let outcome = call.look(|open| Ok(open.campaign.spec().outcome.clone()))?;
    let file = sent(call, &outcome)?;
    let mark = call.field("decimal").map(str::to_owned);
    let (fates, event) = call.look(|open| {
        let results = results(&file, mark.as_deref(), open.campaign.spec())?;
        let fates = open.campaign.fates(&results, &TellOptions::default())?;
        Ok((fates, open.campaign.head().event))
    })?;
    let fields =
        vec![("decimal".to_owned(), mark.unwrap_or_default()), ("campaign".to_owned(), name.to_string())];
    let upload = Upload { who: call.who.key().to_owned(), fields, files: vec![("results".to_owned(), file)] };
    let stashed = call.desk.stash.keep(upload, call.at);
    let count = |fate: Fate| fates.iter().filter(|line| line.fate == fate).count();
    let (conflicts, refused) = (count(Fate::Conflict), count(Fate::Refused));
    let hidden = html! { (key(call)) input type="hidden" name="upload" value=(stashed); };
    let address = format!("/c/{name}/tell/record");
    let back = html! { a href=(format!("/c/{name}/tell")) { "Back" } };
    let content = html! {
        p { (grouped(fates.len() as u64)) @if fates.len() == 1 { " line" } @else { " lines" } ". Nothing is recorded yet." }
        (fate_table(&fates, &outcome))
        @if refused > 0 {
            div.statement.none role="alert" { p { b { (refused) @if refused == 1 { " line is" } @else { " lines are" } " refused, and so nothing can be recorded." }
                " Correct what the table says and send it again." } }
            p { (back) }
        } @else if conflicts > 0 {
            div.statement.none role="alert" { p { b { (conflicts) @if conflicts == 1 { " slot has" } @else { " slots have" } " another outcome on record." }
                " Leave those lines out, or replace the outcomes and say why." } }
            form.inline.keep method="post" action=(address) {
                (hidden)
                label { "Reason" span { "kept in the log" } input name="reason" required; }
                button.main type="submit" { "Replace and record" }
            }
            p { (back) }
        } @else {
            form.inline.keep method="post" action=(address) { (hidden) button.main type="submit" { "Record" } " " (back) }
        }
    };
    let title = format!("{name}: what becomes of it");
    let about = Page { title: &title, campaign: Some((name.as_str(), event)), place: "/tell" };
    Ok(Answer::html(page(call, &about, content)))
}

fn fate_table(fates: &[LineFate], outcome: &str) -> Markup {
    html! {
        (scrolling("What becomes of every line", html! {
            table {
                caption { "What becomes of every line." }
                thead { tr { th.number scope="col" { "line" } th scope="col" { "slot" } th scope="col" { (outcome) } th scope="col" { "what becomes of it" } } }
                tbody { @for line in fates.iter().take(MOST_LINES) {
                    tr {
                        td.number { @if let Some(line) = line.line { (line) } } td { code { (line.slot) } } td { (line.outcome) }
                        td.wrap { span.care[line.fate.is_refusal()].good[line.fate == Fate::Recorded] { (in_words(line.fate)) }
                            @if let Some(problem) = &line.problem { ": " (problem) } }
                    }
                } }
            }
        }))
        @if fates.len() > MOST_LINES { p.quiet { "and " (fates.len() - MOST_LINES) " more lines" } }
    }
}

fn in_words(fate: Fate) -> &'static str {
    match fate {
        Fate::Recorded => "recorded",
        Fate::Volunteered => "recorded, though nobody asked for it",
        Fate::Repeated => "on record already",
        Fate::Corrected => "replaces what is on record",
        Fate::Conflict => "conflict",
        Fate::Failed => "failed: asked again",
        Fate::Infeasible => "infeasible: never asked again",
        Fate::Blank => "no outcome: stays open",
        Fate::Refused => "refused",
    }
}

pub(crate) fn record(call: &mut Call) -> Answered {
    let name = call.name()?;
    let stashed = call.field("upload").unwrap_or_default().to_owned();
    let gone = || {
        Refusal::malformed("what was sent is not kept any more")
            .help("send the results again; what is on record is not counted twice")
    };
    let upload = call.desk.stash.find(&stashed, call.who.key(), call.at).ok_or_else(gone)?;
    let said =
        |field: &str| upload.fields.iter().find(|(name, _)| name == field).map(|(_, value)| value.as_str());
    if said("campaign") != Some(name.as_str()) {
        return Err(gone());
    }
    let (_, file) = upload.files.first().ok_or_else(gone)?;
    let reason = call.field("reason").map(str::to_owned);
    reason.as_deref().map_or(Ok(()), check_reason)?;
    let options = TellOptions { correct: reason, ..TellOptions::default() };
    let (told, event) = call.change(|open, at| {
        let results = results(file, said("decimal").filter(|mark| !mark.is_empty()), open.campaign.spec())?;
        let told = open.campaign.tell(&results, &options, at)?;
        Ok((told, open.campaign.head().event))
    })?;
    call.desk.stash.forget(&stashed);
    let title = format!("{name}: recorded");
    let about = Page { title: &title, campaign: Some((name.as_str(), event)), place: "/tell" };
    Ok(Answer::html(page(call, &about, account(name.as_str(), &told))))
}

fn account(name: &str, told: &Told) -> Markup {
    let counts = [
        ("recorded", told.recorded),
        ("that nobody asked for", told.volunteered),
        ("on record before", told.repeated),
        ("corrected", told.corrected),
        ("failed", told.failed),
        ("infeasible", told.infeasible),
        ("without an outcome", told.blank),
    ];
    html! {
        div.statement role="status" {
            p { b { "Done." } " " (told.read) @if told.read == 1 { " line read: " } @else { " lines read: " }
                @for (k, (what, count)) in counts.iter().filter(|(_, count)| *count > 0).enumerate() { @if k > 0 { ", " } (count) " " (what) } "." }
            p { (grouped(told.open as u64)) @if told.open == 1 { " slot is open." } @else { " slots are open." } }
            @if !told.set_aside.is_empty() { p { "Not asked again, because they cannot be measured: " (told.set_aside.join(", ")) "." } }
        }
        @for outlier in &told.outliers {
            p.care { "Check candidate " (outlier.id) @if let Some(slot) = &outlier.slot { " in slot " (slot) } ": " (number(outlier.value))
                " is far from all others (half of them within " (number(outlier.spread)) " of " (number(outlier.median)) ")." }
        }
        p { a href=(format!("/c/{name}")) { "Where the campaign stands now" } " · " a href=(format!("/c/{name}/batch")) { "The next batch" } }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn text(file: &Attachment) -> &str {
        std::str::from_utf8(&file.bytes).unwrap()
    }

    #[test]
    fn what_is_pasted_is_a_column_pairs_or_a_sheet() {
        let slots = ["S1".to_owned(), "S2".to_owned(), "S3".to_owned()];
        let column = pasted_file("1,5\r\n\r\nfailed\r\n", &slots, "yield").unwrap();
        assert_eq!(
            text(&column),
            "slot\t\"yield\"\tstatus\n\"S1\"\t\"1,5\"\t\"\"\n\"S2\"\t\"\"\t\"\"\n\"S3\"\t\"\"\t\"failed\"\n"
        );
        let pairs = pasted_file("S3\t0.5\nS1\t\n", &slots, "yield").unwrap();
        assert_eq!(text(&pairs), "slot\t\"yield\"\tstatus\n\"S3\"\t\"0.5\"\t\"\"\n\"S1\"\t\"\"\t\"\"\n");
        let sheet = pasted_file("slot,yield\nS1,3\n", &slots, "yield").unwrap();
        assert_eq!(text(&sheet), "slot,yield\nS1,3\n");
        let refused = pasted_file("1\n2\n3\n4\n", &slots, "yield").unwrap_err();
        assert!(refused.detail.contains("4 lines were pasted, and 3 slots are open"), "{refused:?}");
    }
}
