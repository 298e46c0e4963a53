//! Counts that show whether the code stays simple: lines of crates, functions that make verdicts, methods of types.

use super::Finding;
use crate::rust::{Kind, Token};
use crate::tree::{File, Tree};
use std::collections::BTreeMap;
use std::fmt::Write;

/// The crate that users of the library see.
const FACADE: &str = "treville_verifier";

pub(super) fn figures(tree: &Tree) -> String {
    let product = || tree.files.iter().filter(|file| file.is_product());
    let lines = |package: &str| -> usize {
        let files = product().filter(|file| file.package == package);
        files.map(|file| file.product_tokens().last().map_or(0, |end| file.text[..end.start].lines().count())).sum()
    };
    let mut methods: BTreeMap<String, usize> = BTreeMap::new();
    for file in product() {
        let tokens: Vec<&Token> =
            file.product_tokens().iter().filter(|t| !matches!(t.kind, Kind::Comment | Kind::Doc)).collect();
        count_methods(&file.package, &tokens, &mut methods);
    }
    let mut out = String::new();
    let _ = writeln!(out, "{:>7}  lines of {FACADE}", lines(FACADE));
    let _ = writeln!(out, "{:>7}  files in which verdicts are made", makers_of_verdicts(tree).len());
    let mut largest: Vec<(&String, &usize)> = methods.iter().collect();
    largest.sort_by_key(|(name, n)| (std::cmp::Reverse(**n), (*name).clone()));
    for (name, n) in largest.into_iter().take(5) {
        let _ = writeln!(out, "{n:>7}  methods of {name}");
    }
    out
}

/// Adds the functions in each `impl Type` and `impl Trait for Type` of a file.
fn count_methods(package: &str, tokens: &[&Token], methods: &mut BTreeMap<String, usize>) {
    let mut at = 0;
    while at < tokens.len() {
        let begins = tokens[at].is("impl")
            && (at == 0 || tokens[at - 1].is("}") || tokens[at - 1].is(";") || tokens[at - 1].is("]"));
        if !begins {
            at += 1;
            continue;
        }
        let Some(open) = (at..tokens.len()).find(|i| tokens[*i].is("{")) else { return };
        let name = subject(&tokens[at + 1..open]);
        let mut depth = 0;
        let mut n = 0;
        let mut end = open;
        for (i, token) in tokens.iter().enumerate().skip(open) {
            match token.text.as_str() {
                "{" => depth += 1,
                "}" => depth -= 1,
                "fn" if depth == 1 => n += 1,
                _ => {}
            }
            if depth == 0 {
                end = i;
                break;
            }
        }
        *methods.entry(format!("{package}::{name}")).or_default() += n;
        at = end.max(at + 1);
    }
}

/// The type that an `impl` is for.
fn subject<'a>(head: &[&'a Token]) -> &'a str {
    let end = head.iter().position(|t| t.is("where")).unwrap_or(head.len());
    let after_for = head[..end].iter().rposition(|t| t.is("for")).map_or(0, |at| at + 1);
    let mut depth = 0;
    let mut name = "";
    for token in &head[after_for..end] {
        match token.text.as_str() {
            "<" => depth += 1,
            ">" => depth -= 1,
            _ if token.kind == Kind::Word && depth == 0 => name = &token.text,
            _ => {}
        }
    }
    name
}

/// The file in which verdicts are made of answers.
const VERDICTS: &str = "crates/treville_task/src/verdict.rs";

/// The crate of solvers has verdicts of its own about formulas.
const SOLVERS: &str = "treville_sat";

/// Files with functions that return a verdict.
fn makers_of_verdicts(tree: &Tree) -> Vec<&File> {
    let product = tree.files.iter().filter(|file| file.is_product() && file.package != SOLVERS);
    let makes = |file: &&File| {
        let tokens: Vec<&Token> =
            file.product_tokens().iter().filter(|t| !matches!(t.kind, Kind::Comment | Kind::Doc)).collect();
        functions_to(&tokens, "Verdict") > 0
    };
    product.filter(makes).collect()
}

/// Verdicts that are made elsewhere.
pub(super) fn scattered_verdicts(tree: &Tree) -> Vec<Finding> {
    let makers = makers_of_verdicts(tree).into_iter().filter(|file| file.path != VERDICTS);
    makers.map(|file| Finding { place: file.path.clone(), what: "makes a verdict".to_owned() }).collect()
}

/// How many functions return this type, alone or first of a pair.
fn functions_to(tokens: &[&Token], name: &str) -> usize {
    let returns = |window: &&[&Token]| {
        let [a, b, c, d] = window else { return false };
        a.is("-") && b.is(">") && (c.is(name) || c.is("(") && d.is(name))
    };
    tokens.windows(4).filter(returns).count()
}
