//! The OpenAPI 3.1 document, made of the table of routes and the schemas of the command line's answers.

use serde_json::{Map, Value, json};

use crate::call::{CSV, JSON, PROBLEM};
use crate::routes::{Access, Kind, ROUTES, Route, Takes};

/// The schemas of answers that the command line has, too.
macro_rules! answers {
    ($($name:literal)+) => {
        &[$(($name, include_str!(concat!("../../../docs/schema/", $name, ".json"))),)+]
    };
}

const ANSWERS: &[(&str, &str)] = answers! {
    "new" "ask" "tell" "release" "change" "status" "candidate" "correct" "log" "export" "verify"
};

/// The schemas of bodies.
const REQUESTS: &str = include_str!("assets/requests.json");

/// Media types, which are no schemas.
fn is_media_type(answer: &str) -> bool {
    answer.contains('/')
}

pub(crate) fn document() -> Value {
    let mut paths = Map::new();
    for route in ROUTES {
        if let Some(operation) = operation(route) {
            let at = paths.entry(route.path).or_insert_with(|| json!({}));
            at[route.method.name().to_lowercase()] = operation;
        }
    }
    json!({
        "openapi": "3.1.0",
        "info": {
            "title": "Elfving",
            "version": env!("CARGO_PKG_VERSION"),
            "description": "Campaigns over HTTP. Answers are the documents of the command line's --json.",
        },
        "paths": paths,
        "components": {
            "schemas": schemas(),
            "securitySchemes": { "token": { "type": "http", "scheme": "bearer" } },
        },
    })
}

fn schemas() -> Map<String, Value> {
    let parsed = |text: &str| serde_json::from_str::<Value>(text).expect("the schemas are JSON");
    let mut schemas = Map::new();
    for (name, text) in ANSWERS {
        let mut schema = parsed(text);
        if let Some(fields) = schema.as_object_mut() {
            fields.remove("$schema");
        }
        schemas.insert((*name).to_owned(), schema);
    }
    if let Value::Object(requests) = parsed(REQUESTS) {
        schemas.extend(requests.into_iter().map(|(name, schema)| (format!("{name}-request"), schema)));
    }
    let object = json!({ "type": "object" });
    for name in ["health", "openapi", "spec", "close", "earlier", "campaigns", "candidates"] {
        schemas.insert(name.to_owned(), object.clone());
    }
    let problem = json!({
        "type": "object",
        "description": "RFC 9457 problem details",
        "required": ["type", "title", "status", "detail", "code"],
        "properties": {
            "type": { "type": "string" },
            "title": { "type": "string" },
            "status": { "type": "integer" },
            "detail": { "type": "string" },
            "code": { "type": "string", "description": "the code of the command line; it never changes its meaning" },
            "help": { "type": "string", "description": "what to do about it" },
            "problems": { "type": "array", "description": "every problem of a file, the first 20" },
            "total": { "type": "integer", "description": "how many problems the file has" },
            "event": { "type": "integer", "description": "the event at which the campaign stands" },
        },
    });
    schemas.insert("problem".to_owned(), problem);
    schemas
}

fn reference(name: &str) -> Value {
    json!({ "$ref": format!("#/components/schemas/{name}") })
}

fn operation(route: &Route) -> Option<Value> {
    let Kind::Api { summary, query, answers } = &route.kind else { return None };
    let in_path = route.path.split('/').filter_map(|part| part.strip_prefix('{')?.strip_suffix('}'));
    let path = in_path
        .map(|name| json!({ "name": name, "in": "path", "required": true, "schema": { "type": "string" } }));
    let options = query.iter().map(|(name, meaning)| {
        json!({ "name": name, "in": "query", "description": meaning, "schema": { "type": "string" } })
    });
    let mut parameters: Vec<Value> = path.chain(options).collect();
    let header = |name: &str, meaning: &str| json!({ "name": name, "in": "header", "description": meaning, "schema": { "type": "string" } });
    match (route.id, route.takes) {
        ("stream", _) => parameters.push(header("Last-Event-ID", "the last event that was seen")),
        (_, Takes::Nothing) => {}
        (id, _) => {
            parameters.push(header("If-Match", "only if the campaign still has this ETag"));
            if id == "ask" {
                parameters.push(header(
                    "Idempotency-Key",
                    "the same key, the same answer: for a request that is sent again",
                ));
            }
        }
    }
    let answer = match is_media_type(answers) {
        true => json!({ *answers: { "schema": { "type": "string" } } }),
        false => json!({ JSON: { "schema": reference(answers) } }),
    };
    let problem = json!({ "description": "Refused: why, and what to do", "content": { PROBLEM: { "schema": reference("problem") } } });
    let mut operation = json!({
        "operationId": route.id,
        "summary": summary,
        "parameters": parameters,
        "responses": { "200": { "description": "Done", "content": answer }, "default": problem },
    });
    if let Access::Needs(scope) = route.access {
        operation["security"] = json!([{ "token": [] }]);
        operation["description"] = json!(format!("Needs a token with the scope {}.", scope.name()));
    }
    if let Some(content) = content(route.takes) {
        operation["requestBody"] = json!({ "content": content });
    }
    Some(operation)
}

fn content(takes: Takes) -> Option<Value> {
    const XLSX: &str = "application/vnd.openxmlformats-officedocument.spreadsheetml.sheet";
    let file = json!({ "schema": { "type": "string" } });
    let csv = CSV.split(';').next().unwrap_or(CSV);
    Some(match takes {
        Takes::Nothing | Takes::Form => return None,
        Takes::Json(name) => json!({ JSON: { "schema": reference(&format!("{name}-request")) } }),
        Takes::Results(name) => {
            json!({ JSON: { "schema": reference(&format!("{name}-request")) }, csv: file, XLSX: file })
        }
        Takes::Table => json!({ csv: file, XLSX: file }),
        Takes::Upload => json!({ "multipart/form-data": { "schema": {
            "type": "object",
            "required": ["pool", "options"],
            "properties": {
                "pool": { "type": "string", "description": "the table of candidates" },
                "targets": { "type": "string", "description": "a table to choose among, where it is another one" },
                "measured": { "type": "string", "description": "a table of earlier measurements" },
                "options": reference("new-request"),
            },
        } } }),
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Everything that a document refers to.
    fn references(value: &Value, found: &mut Vec<String>) {
        match value {
            Value::Object(fields) => {
                found.extend(fields.get("$ref").and_then(Value::as_str).map(str::to_owned));
                fields.values().for_each(|value| references(value, found));
            }
            Value::Array(items) => items.iter().for_each(|item| references(item, found)),
            _ => {}
        }
    }

    #[test]
    fn every_route_of_the_api_is_in_the_document_and_every_reference_leads_somewhere() {
        let document = document();
        for route in ROUTES {
            let entry = &document["paths"][route.path][route.method.name().to_lowercase()];
            assert_eq!(entry.is_object(), !route.is_page(), "{}", route.id);
            assert!(
                !(route.path.starts_with("/api/") && route.is_page()),
                "{}: no page below /api",
                route.id
            );
        }
        let mut found = Vec::new();
        references(&document["paths"], &mut found);
        assert!(found.len() > 40);
        for reference in found {
            let name = reference.strip_prefix("#/components/schemas/").unwrap();
            assert!(document["components"]["schemas"][name].is_object(), "{name}");
        }
    }

    #[test]
    fn every_route_has_a_name_of_its_own() {
        let mut names: Vec<&str> = ROUTES.iter().map(|route| route.id).collect();
        names.sort_unstable();
        names.dedup();
        assert_eq!(names.len(), ROUTES.len());
    }
}
