//! Every path, macro and module declaration that a source file names, test code left out.

use proc_macro2::{TokenStream, TokenTree};
use syn::spanned::Spanned;
use syn::visit::{self, Visit};
use syn::{Attribute, Item, Meta, UseTree};

/// Something a source names.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Name {
    /// The module it stands in, from the crate root.
    pub module: Vec<String>,
    /// What is named, absolute: `crate`, `std` or another first word, then the rest. A glob ends in `*`.
    pub path: Vec<String>,
    /// How it is named.
    pub origin: Origin,
    /// The line, from 1.
    pub line: usize,
}

/// How something is named.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Origin {
    /// A path in a `use`, an expression, a type, an attribute or a macro's tokens.
    Path,
    /// A macro that is called.
    Macro,
    /// A module declared in the crate root.
    Declaration,
}

/// What one file holds: the names, and the child modules that are in other files.
#[derive(Debug, Default)]
pub(super) struct Found {
    pub names: Vec<Name>,
    /// Module paths from the crate root.
    pub children: Vec<Vec<String>>,
}

/// Collects the names in a file that is the module `module`.
pub(super) fn collect(file: &syn::File, module: &[String]) -> Found {
    let mut collector = Collector { module: module.to_vec(), found: Found::default() };
    collector.visit_file(file);
    collector.found
}

struct Collector {
    module: Vec<String>,
    found: Found,
}

impl Collector {
    fn record(&mut self, origin: Origin, path: Vec<String>, line: usize) {
        self.found.names.push(Name { module: self.module.clone(), path, origin, line });
    }

    fn record_path(&mut self, path: &[String], line: usize) {
        let path = self.absolute(path);
        self.record(Origin::Path, path, line);
    }

    /// `super`, `self` and the crate's own name resolved; `core` and `alloc` read as `std`.
    fn absolute(&self, path: &[String]) -> Vec<String> {
        let mut place = self.module.clone();
        let relative = matches!(path.first().map(String::as_str), Some("self" | "super"));
        let mut rest = path;
        while let Some((first, tail)) = rest.split_first() {
            match first.as_str() {
                "super" if relative => drop(place.pop()),
                "self" if relative => {}
                _ => break,
            }
            rest = tail;
        }
        match rest.split_first() {
            _ if relative => [&["crate".to_string()], place.as_slice(), rest].concat(),
            Some((first, tail)) => {
                let first = match first.as_str() {
                    "elfving" => "crate",
                    "core" | "alloc" => "std",
                    other => other,
                };
                [&[first.to_string()], tail].concat()
            }
            None => Vec::new(),
        }
    }

    fn use_tree(&mut self, prefix: &[String], tree: &UseTree) {
        let line = line_of(tree);
        let with = |name: String| [prefix, &[name]].concat();
        match tree {
            UseTree::Path(path) => self.use_tree(&with(path.ident.to_string()), &path.tree),
            UseTree::Group(group) => group.items.iter().for_each(|item| self.use_tree(prefix, item)),
            UseTree::Glob(_) => self.record_path(&with("*".into()), line),
            UseTree::Name(name) => self.use_leaf(prefix, &name.ident, line),
            UseTree::Rename(rename) => self.use_leaf(prefix, &rename.ident, line),
        }
    }

    fn use_leaf(&mut self, prefix: &[String], ident: &syn::Ident, line: usize) {
        // `use a::{self}` names a itself.
        if ident == "self" && !prefix.is_empty() {
            self.record_path(prefix, line);
        } else {
            self.record_path(&[prefix, &[ident.to_string()]].concat(), line);
        }
    }

    /// Paths and macro calls inside tokens that are not parsed as Rust: macro arguments, `macro_rules!`, attributes.
    fn tokens(&mut self, stream: TokenStream) {
        let tokens: Vec<TokenTree> = stream.into_iter().collect();
        let mut at = 0;
        while at < tokens.len() {
            match &tokens[at] {
                TokenTree::Group(group) => self.tokens(group.stream()),
                TokenTree::Ident(_) => {
                    at = self.token_path(&tokens, at);
                    continue;
                }
                _ => {}
            }
            at += 1;
        }
    }

    /// Reads `a::b::c` or `a::{b, c}` from `start`, records it, and returns where to go on.
    fn token_path(&mut self, tokens: &[TokenTree], start: usize) -> usize {
        let line = tokens[start].span().start().line;
        let mut path = vec![tokens[start].to_string()];
        let mut at = start + 1;
        while is_punct(tokens.get(at), ':') && is_punct(tokens.get(at + 1), ':') {
            match tokens.get(at + 2) {
                Some(TokenTree::Ident(ident)) => path.push(ident.to_string()),
                Some(TokenTree::Group(group)) => {
                    if let Ok(tree) = syn::parse2::<UseTree>(TokenTree::Group(group.clone()).into()) {
                        self.use_tree(&path, &tree);
                    }
                    return at + 3;
                }
                Some(TokenTree::Punct(star)) if star.as_char() == '*' => path.push("*".into()),
                _ => break,
            }
            at += 3;
        }
        if is_punct(tokens.get(at), '!') && !is_punct(tokens.get(at + 1), '=') {
            self.record(Origin::Macro, path, line);
        } else if path.len() > 1 {
            // A lone word is a variable or a field as likely as a path.
            self.record_path(&path, line);
        }
        at
    }
}

impl<'ast> Visit<'ast> for Collector {
    fn visit_item(&mut self, item: &'ast Item) {
        if !only_for_tests(item_attributes(item)) {
            visit::visit_item(self, item);
        }
    }

    fn visit_impl_item_fn(&mut self, item: &'ast syn::ImplItemFn) {
        if !only_for_tests(&item.attrs) {
            visit::visit_impl_item_fn(self, item);
        }
    }

    fn visit_item_mod(&mut self, item: &'ast syn::ItemMod) {
        let name = item.ident.to_string();
        if self.module.is_empty() {
            self.record(Origin::Declaration, vec![name.clone()], line_of(item));
        }
        self.module.push(name);
        if item.content.is_none() {
            self.found.children.push(self.module.clone());
        }
        visit::visit_item_mod(self, item);
        self.module.pop();
    }

    fn visit_item_use(&mut self, item: &'ast syn::ItemUse) {
        self.use_tree(&[], &item.tree);
    }

    fn visit_item_extern_crate(&mut self, item: &'ast syn::ItemExternCrate) {
        self.record_path(&[item.ident.to_string()], line_of(item));
    }

    fn visit_path(&mut self, path: &'ast syn::Path) {
        let words: Vec<String> = path.segments.iter().map(|segment| segment.ident.to_string()).collect();
        if words.len() > 1 {
            self.record_path(&words, line_of(path));
        }
        visit::visit_path(self, path);
    }

    fn visit_macro(&mut self, call: &'ast syn::Macro) {
        let words = call.path.segments.iter().map(|segment| segment.ident.to_string()).collect();
        self.record(Origin::Macro, words, line_of(call));
        self.visit_path(&call.path);
        self.tokens(call.tokens.clone());
    }

    fn visit_attribute(&mut self, attribute: &'ast Attribute) {
        // Documentation may link upwards; serde's `with = "crate::..."` is code.
        if attribute.path().is_ident("doc") {
            return;
        }
        if let Meta::List(list) = &attribute.meta {
            self.tokens(list.tokens.clone());
            for text in string_literals(list.tokens.clone()) {
                if let Ok(path) = text.parse::<syn::Path>() {
                    self.visit_path(&path);
                }
            }
        }
    }

    /// `pub(crate)` and `pub(in ...)` use nothing.
    fn visit_visibility(&mut self, _: &'ast syn::Visibility) {}
}

fn string_literals(stream: TokenStream) -> Vec<syn::LitStr> {
    stream
        .into_iter()
        .flat_map(|token| match token {
            TokenTree::Group(group) => string_literals(group.stream()),
            TokenTree::Literal(literal) => {
                syn::parse2(TokenTree::Literal(literal).into()).into_iter().collect()
            }
            _ => Vec::new(),
        })
        .collect()
}

fn is_punct(token: Option<&TokenTree>, character: char) -> bool {
    matches!(token, Some(TokenTree::Punct(punct)) if punct.as_char() == character)
}

fn line_of(node: &impl Spanned) -> usize {
    node.span().start().line
}

/// `#[test]`, `#[cfg(test)]` or `#[cfg(all(.., test, ..))]`.
fn only_for_tests(attributes: &[Attribute]) -> bool {
    attributes.iter().any(|attribute| {
        attribute.path().is_ident("test")
            || (attribute.path().is_ident("cfg")
                && attribute.parse_args::<Meta>().is_ok_and(|condition| implies_test(&condition)))
    })
}

fn implies_test(condition: &Meta) -> bool {
    match condition {
        Meta::Path(path) => path.is_ident("test"),
        Meta::List(list) if list.path.is_ident("all") => list
            .parse_args_with(syn::punctuated::Punctuated::<Meta, syn::Token![,]>::parse_terminated)
            .is_ok_and(|parts| parts.iter().any(implies_test)),
        _ => false,
    }
}

fn item_attributes(item: &Item) -> &[Attribute] {
    match item {
        Item::Const(item) => &item.attrs,
        Item::Enum(item) => &item.attrs,
        Item::ExternCrate(item) => &item.attrs,
        Item::Fn(item) => &item.attrs,
        Item::Impl(item) => &item.attrs,
        Item::Macro(item) => &item.attrs,
        Item::Mod(item) => &item.attrs,
        Item::Static(item) => &item.attrs,
        Item::Struct(item) => &item.attrs,
        Item::Trait(item) => &item.attrs,
        Item::Type(item) => &item.attrs,
        Item::Use(item) => &item.attrs,
        _ => &[],
    }
}
