//! A new campaign: upload the table, see what the model makes of it, create.

use elfving::bandit::Goal;
use elfving::units::grouped;
use elfving_campaign::{Draft, Opening};
use maud::{Markup, html};
use serde_json::{Map, Value, json};

use super::{Page, key, page, scrolling, sentence};
use crate::call::{Answer, Answered, Call};
use crate::name::{Name, RULE};
use crate::refusal::Refusal;
use crate::stash::Upload;

pub(crate) fn show(call: &mut Call) -> Answered {
    let content = html! {
        p { "You see what the model makes of the table before anything is created." }
        form.fields.keep method="post" enctype="multipart/form-data" action="/new" {
            (key(call))
            label { "Name" span { (sentence(RULE)) } input name="name" required maxlength="64" pattern="[A-Za-z0-9]([A-Za-z0-9._\\-]*[A-Za-z0-9])?"; }
            label { "Table of candidates" span { "a .csv or .xlsx with a header, one row per candidate" }
                input type="file" name="pool" required accept=".csv,.tsv,.txt,.xlsx,.npy,.npz"; }
            label { "Decimal mark of the table" select name="decimal" { option value="." { "point, as in 1.5" } option value="," { "comma, as in 1,5" } } }
            label { "Column that names the candidates" span { "empty: the number of the row" } input name="id"; }
            fieldset { legend { "What is wanted" }
                label { "Outcome" span { "the column that results will have" } input name="outcome" required; }
                label { "Good outcomes are" select name="aim" { option value="maximise" { "large" } option value="minimise" { "small" } } }
                label { "Mode" span { "calibrated: a fitted model, practical, no proof. Certified: a theorem, if what you assume is true" }
                    select name="mode" { option value="calibrated" { "calibrated" } option value="certified" { "certified" } } }
                label { "How far from the best the answer may be" span { "in units of the outcome; 0 asks for the best itself" } input name="epsilon" inputmode="decimal" value="0"; }
            }
            fieldset { legend { "Batches" }
                label { "Measurements at a time" input type="number" name="batch" min="1" value="24" required; }
                label { "Measurements in all, at most" span { "empty: no limit" } input type="number" name="budget" min="1"; }
                label { "Plate" span { "such as 8x12 or 96; empty: none" } input name="plate"; }
            }
            fieldset { legend { "Assumed, for the certified mode" }
                label { "Tails of the noise" select name="noise" {
                    option value="bounded-variance" { "outliers happen; the standard deviation is bounded" }
                    option value="sub-gaussian" { "large errors are as rare as for a normal distribution" } } }
                label { "Standard deviation of the noise, at most" input name="sigma" inputmode="decimal"; }
                label { "Mean outcomes, at most in absolute value" span { "for a yield in percent, 100" } input name="bound" inputmode="decimal"; }
                label { "Norm of the true function, at most" span { "the length of the coefficients of a linear model" } input name="norm" inputmode="decimal"; }
            }
            label { input type="checkbox" name="measured" value="yes"; " The table has results in the outcome column: use them as earlier measurements" }
            button.main type="submit" { "Look at it" }
        }
    };
    Ok(Answer::html(page(call, &Page { title: "New campaign", campaign: None, place: "" }, content)))
}

/// What the fields of the form ask for.
fn opening(upload: &Upload) -> Result<(Name, Opening), Refusal> {
    let said = |name: &str| {
        let found = upload.fields.iter().find(|(known, _)| known == name).map(|(_, value)| value.trim());
        found.filter(|value| !value.is_empty())
    };
    let name = Name::new(said("name").unwrap_or_default());
    let name = name.ok_or_else(|| Refusal::malformed("this is no name for a campaign").help(RULE))?;
    let number = |field: &str| -> Result<Option<f64>, Refusal> {
        let read = |text: &str| text.parse::<f64>().ok().filter(|x| x.is_finite());
        let wrong = |text: &str| {
            Refusal::malformed(format!("{field}: {text:?} is not a number")).help("write it as 0.05")
        };
        said(field).map(|text| read(text).ok_or_else(|| wrong(text))).transpose()
    };
    let mut options = Map::new();
    for field in ["outcome", "aim", "mode"] {
        options.insert(field.to_owned(), json!(said(field).unwrap_or_default()));
    }
    for field in ["batch", "budget"] {
        if let Some(text) = said(field) {
            let whole: u64 = text
                .parse()
                .map_err(|_| Refusal::malformed(format!("{field}: {text:?} is not a whole number")))?;
            options.insert(field.to_owned(), json!(whole));
        }
    }
    options.insert("columns".to_owned(), json!({ "id": said("id") }));
    let decimal = if said("decimal") == Some(",") { "," } else { "." };
    options.insert("reading".to_owned(), json!({ "decimal": decimal_in_json(decimal) }));
    if let Some(plate) = said("plate") {
        options.insert("layout".to_owned(), json!({ "plate": plate }));
    }
    let mut assumed = Map::new();
    for field in ["sigma", "bound", "norm"] {
        assumed.extend(number(field)?.map(|x| (field.to_owned(), json!(x))));
    }
    assumed.extend(said("noise").map(|tails| ("tails".to_owned(), json!(tails))));
    options.insert("assumptions".to_owned(), Value::Object(assumed));
    let mut opening: Opening = serde_json::from_value(Value::Object(options))
        .map_err(|error| Refusal::malformed(format!("the form: {error}")))?;
    opening.goal = Goal::Best { epsilon: number("epsilon")?.unwrap_or(0.0) };
    if opening.outcome.is_empty() {
        return Err(
            Refusal::malformed("the outcome has no name").help("name the column that results will have")
        );
    }
    if opening.mode == elfving_campaign::Mode::Certified && opening.assumptions.sigma.is_none() {
        return Err(Refusal::malformed("the certified mode needs the standard deviation of the noise")
            .help("give it, or choose the calibrated mode, which needs no assumptions"));
    }
    Ok((name, opening))
}

fn decimal_in_json(mark: &str) -> Value {
    let decimal = if mark == "," { elfving_table::Decimal::Comma } else { elfving_table::Decimal::Point };
    serde_json::to_value(decimal).unwrap_or_default()
}

pub(crate) fn look(call: &mut Call) -> Answered {
    let upload = Upload {
        who: call.who.key().to_owned(),
        fields: std::mem::take(&mut call.fields),
        files: std::mem::take(&mut call.files),
    };
    let (name, opening) = opening(&upload)?;
    let house = &call.desk.house;
    if house.file(&name).exists() {
        return Err(
            Refusal::malformed(format!("there is a campaign {name} already")).help("choose another name")
        );
    }
    let draft = draft(call, &upload, &opening)?;
    let content = html! {
        p { (grouped(draft.dataset().names().len() as u64)) " candidates. Nothing is created yet." }
        (seen(&draft, &opening))
        form.inline.keep method="post" action="/new/create" {
            (key(call))
            input type="hidden" name="upload" value=(call.desk.stash.keep(upload.clone(), call.at));
            button.main type="submit" { "Create " (name) }
        }
        p { "To change something, go back with your browser." }
    };
    Ok(Answer::html(page(call, &Page { title: "What the model sees", campaign: None, place: "" }, content)))
}

fn draft(call: &Call, upload: &Upload, opening: &Opening) -> Result<Draft, Refusal> {
    let pool = upload.files.iter().find(|(name, file)| name == "pool" && !file.bytes.is_empty());
    let Some((_, pool)) = pool else {
        return Err(Refusal::malformed("no table was uploaded").help("choose the table of candidates"));
    };
    opening.draft(pool.clone(), None).map_err(|error| Refusal::of(&error, call.desk.house.folder()))
}

fn seen(draft: &Draft, opening: &Opening) -> Markup {
    let dataset = draft.dataset();
    let model = match opening.mode {
        elfving_campaign::Mode::Certified => dataset.model_in_words(),
        elfving_campaign::Mode::Calibrated => dataset.fitted_model_in_words(),
    };
    let warnings: Vec<String> = dataset.warnings().iter().map(|warning| warning.notice.to_string()).collect();
    html! {
        dl.facts {
            dt { "outcome" } dd { (opening.outcome) }
            dt { "wanted" } dd { (opening.goal) }
            dt { "model" } dd { (model) }
            dt { "measurements at a time" } dd { (opening.batch) }
            @if let Some(budget) = opening.budget { dt { "in all, at most" } dd { (grouped(budget)) } }
            @if !opening.layout.is_plain() { dt { "layout" } dd { (opening.layout) } }
        }
        @for warning in &warnings { p.care { (sentence(warning)) } }
        (scrolling("Columns", html! {
            table {
                caption { "What the model sees of every column." }
                thead { tr { th scope="col" { "column" } th scope="col" { "what it is" } } }
                tbody { @for column in dataset.columns_seen() { tr { td { (column.column) } td.wrap { (column) } } } }
            }
        }))
    }
}

pub(crate) fn create(call: &mut Call) -> Answered {
    let stashed = call.field("upload").unwrap_or_default().to_owned();
    let upload = call.desk.stash.find(&stashed, call.who.key(), call.at);
    let upload = upload.ok_or_else(|| {
        Refusal::malformed("what was sent is not kept any more").help("send the table again")
    })?;
    let (name, opening) = opening(&upload)?;
    let draft = draft(call, &upload, &opening)?;
    let uses = upload.fields.iter().any(|(name, value)| name == "measured" && value == "yes");
    let pool = upload.files.iter().find(|(name, _)| name == "pool").map(|(_, file)| file.clone());
    let house = &call.desk.house;
    let by = call.who.name().map(str::to_owned);
    let begun = opening.begin(draft, house.file(&name), pool.filter(|_| uses), by, call.at);
    drop(begun.map_err(|error| Refusal::of(&error, house.folder()))?);
    call.desk.stash.forget(&stashed);
    Ok(Answer::see(&format!("/c/{name}")))
}
