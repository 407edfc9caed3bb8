//! The core's source files, and the module tree that they form.

use std::collections::BTreeMap;
use std::path::Path;

use super::references::{self, Name};

/// One file of the module tree.
#[derive(Debug)]
pub(super) struct Module {
    /// Its path below `src`.
    pub file: String,
    /// What it names.
    pub names: Vec<Name>,
}

/// Reads every Rust file below a folder, as path below it -> text.
pub(super) fn read(folder: &Path) -> Result<BTreeMap<String, String>, String> {
    let mut files = BTreeMap::new();
    let mut folders = vec![folder.to_path_buf()];
    while let Some(current) = folders.pop() {
        let entries = std::fs::read_dir(&current).map_err(|e| format!("{}: {e}", current.display()))?;
        for entry in entries {
            let path = entry.map_err(|e| format!("{}: {e}", current.display()))?.path();
            if path.is_dir() {
                folders.push(path);
            } else if path.extension().is_some_and(|extension| extension == "rs") {
                let text = std::fs::read_to_string(&path).map_err(|e| format!("{}: {e}", path.display()))?;
                let below = path.strip_prefix(folder).expect("the walk stays below its folder");
                files.insert(below.to_string_lossy().replace('\\', "/"), text);
            }
        }
    }
    Ok(files)
}

/// Follows the module declarations from `lib.rs`, so that files of test modules are left out.
pub(super) fn modules(files: &BTreeMap<String, String>) -> Result<Vec<Module>, String> {
    let mut modules = Vec::new();
    let mut open: Vec<Vec<String>> = vec![Vec::new()];
    while let Some(module) = open.pop() {
        let file = file_of(&module, files)?;
        let parsed =
            syn::parse_file(&files[&file]).map_err(|e| format!("{file}:{}: {e}", e.span().start().line))?;
        let found = references::collect(&parsed, &module);
        open.extend(found.children);
        modules.push(Module { file, names: found.names });
    }
    Ok(modules)
}

fn file_of(module: &[String], files: &BTreeMap<String, String>) -> Result<String, String> {
    let candidates = match module {
        [] => vec!["lib.rs".to_string()],
        parts => vec![format!("{}.rs", parts.join("/")), format!("{}/mod.rs", parts.join("/"))],
    };
    candidates
        .iter()
        .find(|candidate| files.contains_key(*candidate))
        .cloned()
        .ok_or_else(|| format!("module {} has no file ({})", module.join("::"), candidates.join(" or ")))
}
