//! The batch as a sheet and as a plate, to print; and asking for the next one.

use std::collections::BTreeMap;

use elfving_campaign::{Batch, MOST_MEASUREMENTS, Spec};
use elfving_table::Plate;
use maud::{Markup, html};

use super::words::cell;
use super::{Page, key, page, part, scrolling};
use crate::call::{Answer, Answered, Call};
use crate::refusal::Refusal;
use crate::token::Scope;

/// Plates that are drawn; the file has all.
const MOST_PLATES: usize = 20;

pub(crate) fn show(call: &mut Call) -> Answered {
    let (batch, spec, event, stopped) = call.look(|open| {
        let stopped = open.status()?.stopped;
        let (batch, event) = (open.campaign.open_slots()?, open.campaign.head().event);
        Ok((batch, open.campaign.spec().clone(), event, stopped))
    })?;
    let name = call.name()?;
    let content = html! {
        @if call.option("nothing").is_some() {
            div.statement.none role="alert" { p { b { "Nothing was handed out: "
                @match stopped { Some(stop) => (stop), None => "the results of the slots that are under way come first" } "." } } }
        }
        @if batch.rows.is_empty() {
            p { "No slot is open." }
        } @else {
            p { (batch.rows.len()) @if batch.rows.len() == 1 { " slot is open. " } @else { " slots are open, in run order. " }
                span.noprint { a href=(format!("/api/v1/campaigns/{name}/slots?format=csv")) { "As a sheet to fill in" }
                    @if batch.has_wells(&spec) { ", " a href=(format!("/api/v1/campaigns/{name}/slots?format=plate")) { "as a map of the plate" } }
                    "." } }
            @if let Some(plate) = spec.layout.plate { (plates(plate, &batch)) }
            (sheet(name.as_str(), &spec, &batch))
        }
        @if call.who.allows(Scope::Ask, Some(&name)) {
            h2.noprint { "Ask for the next batch" }
            @match stopped {
                Some(stop) if batch.rows.is_empty() => p { "There is nothing to ask for: " (stop) "." }
                _ => (asking(call, name.as_str(), &spec)),
            }
        }
    };
    let title = format!("{name}: batch");
    let about = Page { title: &title, campaign: Some((name.as_str(), event)), place: "/batch" };
    Ok(Answer::html(page(call, &about, content)))
}

fn sheet(name: &str, spec: &Spec, batch: &Batch) -> Markup {
    let columns: Vec<&String> = batch.rows.first().map_or_else(Vec::new, |row| row.columns.keys().collect());
    let (wells, workers) = (batch.has_wells(spec), batch.rows.iter().any(|row| row.worker.is_some()));
    scrolling(
        "Open slots",
        html! {
            table {
                caption { "Fill in " (spec.outcome) "." }
                thead { tr {
                    th scope="col" { "slot" } @if wells { th scope="col" { "well" } } th scope="col" { "candidate" }
                    @for column in &columns { th scope="col" { (column) } }
                    th scope="col" { (spec.outcome) } @if workers { th scope="col" { "with" } } th scope="col" { "why" }
                } }
                tbody { @for row in &batch.rows {
                    tr {
                        td { code { (row.slot) } } @if wells { td { (row.well.as_deref().unwrap_or_default()) } }
                        td { a href=(format!("/c/{name}/candidates/{}", part(&row.id))) { (row.id) } }
                        @for column in &columns { td { (row.columns.get(*column).map(cell).unwrap_or_default()) } }
                        td { "\u{a0}" } @if workers { td { (row.worker.as_deref().unwrap_or_default()) } } td.wrap { (row.why) }
                    }
                } }
            }
        },
    )
}

/// The plates with the candidate in each well. Batches that are under way together have plates of their own, drawn as one here.
fn plates(plate: Plate, batch: &Batch) -> Markup {
    let mut wells: BTreeMap<&str, Vec<&str>> = BTreeMap::new();
    for row in &batch.rows {
        if let Some(well) = &row.well {
            wells.entry(well).or_default().push(&row.id);
        }
    }
    let per_plate = plate.wells();
    let used = |number: usize| {
        (0..per_plate).any(|k| wells.contains_key(plate.well(number * per_plate + k).as_str()))
    };
    let numbers: Vec<usize> = (0..MOST_PLATES).filter(|&number| used(number)).collect();
    html! {
        @for number in numbers {
            (scrolling(&format!("Plate {}", number + 1), html! {
                table.plate {
                    caption { "Plate " (number + 1) ": the candidate in each well." }
                    thead { tr { td {} @for column in 1..=plate.columns() { th scope="col" { (column) } } } }
                    tbody { @for row in 0..plate.rows() {
                        tr {
                            th scope="row" { (plate.row_name(row)) }
                            @for column in 0..plate.columns() {
                                @let well = plate.well(number * per_plate + row * plate.columns() + column);
                                td { (wells.get(well.as_str()).map(|ids| ids.join(", ")).unwrap_or_default()) }
                            }
                        }
                    } }
                }
            }))
        }
    }
}

fn asking(call: &Call, name: &str, spec: &Spec) -> Markup {
    html! {
        form.inline method="post" action=(format!("/c/{name}/ask")) {
            (key(call))
            label { "Measurements" input type="number" name="batch" min="1" max=(MOST_MEASUREMENTS) value=(spec.batch) required; }
            label { "For" span { "who measures them; no slot goes to two" }
                input name="worker" maxlength="100" value=(call.who.name().unwrap_or_default()); }
            button.main type="submit" { "Ask" }
        }
        p.quiet.noprint { "A batch is listed again until something of it came back." }
    }
}

pub(crate) fn ask(call: &mut Call) -> Answered {
    let name = call.name()?;
    let size = call.field("batch").map(str::parse::<usize>).transpose();
    let size =
        size.ok().filter(|size| size.is_none_or(|size| (1..=MOST_MEASUREMENTS as usize).contains(&size)));
    let size = size.ok_or_else(|| Refusal::malformed("the number of measurements is no such number"))?;
    let worker = call.field("worker").map(str::trim).filter(|worker| !worker.is_empty()).map(str::to_owned);
    let batch = call.change(|open, at| open.campaign.ask_for(worker.as_deref(), size, at))?;
    let address = format!("/c/{name}/batch");
    Ok(Answer::see(&match batch.stopped {
        Some(_) => format!("{address}?nothing=true"),
        None => address,
    }))
}
