//! Terms of a linked model, written as CAT: a name where there is one, else the expression.

use crate::{Model, Term, TermId};

/// Longer expressions are cut: they label one edge in a list.
const LONGEST: usize = 60;

/// The name of a term, or its expression.
pub fn label(model: &Model, term: TermId) -> String {
    let mut text = String::new();
    write(model, term, 0, &mut text);
    if text.chars().count() > LONGEST {
        text = text.chars().take(LONGEST - 1).chain(['…']).collect();
    }
    text
}

/// How tightly the operators bind, as in CAT; 6 for what never needs parentheses.
fn tightness(term: &Term) -> u8 {
    match term {
        Term::Union(..) => 1,
        Term::Seq(..) => 2,
        Term::Diff(..) => 3,
        Term::Inter(..) => 4,
        Term::Product(..) | Term::Complement(_) => 5,
        _ => 6,
    }
}

fn write(model: &Model, id: TermId, outer: u8, out: &mut String) {
    if let Some(name) = &model.terms[id].name {
        out.push_str(name);
        return;
    }
    if out.len() > 4 * LONGEST {
        return;
    }
    let term = &model.terms[id].term;
    let own = tightness(term);
    if own < outer {
        out.push('(');
        write_term(model, term, own, out);
        out.push(')');
    } else {
        write_term(model, term, own, out);
    }
}

fn write_term(model: &Model, term: &Term, own: u8, out: &mut String) {
    let mut binary = |a: TermId, op: &str, b: TermId| {
        write(model, a, own, out);
        out.push_str(op);
        write(model, b, own, out);
    };
    match term {
        Term::Union(a, b) => binary(*a, " | ", *b),
        Term::Inter(a, b) => binary(*a, " & ", *b),
        Term::Diff(a, b) => binary(*a, " \\ ", *b),
        Term::Seq(a, b) => binary(*a, " ; ", *b),
        Term::Product(a, b) => binary(*a, " * ", *b),
        Term::Complement(a) => wrapped(model, "~", *a, "", out),
        Term::Inverse(a) => wrapped(model, "", *a, "^-1", out),
        Term::Plus(a) => wrapped(model, "", *a, "+", out),
        Term::Star(a) => wrapped(model, "", *a, "*", out),
        Term::Opt(a) => wrapped(model, "", *a, "?", out),
        Term::ToId(a) => bracketed(model, "[", *a, "]", out),
        Term::Domain(a) => bracketed(model, "domain(", *a, ")", out),
        Term::Range(a) => bracketed(model, "range(", *a, ")", out),
        Term::BaseSet(name) => out.push_str(name),
        Term::BaseRel(rel) => out.push_str(rel.name()),
        Term::Empty => out.push('0'),
        Term::Universe => out.push('_'),
        Term::Rec(rec, i) => out.push_str(&model.recs[*rec].names[*i as usize]),
        Term::Pick(pick) => out.push_str(&model.picks[*pick].name),
        Term::General(_) => out.push_str("(computed)"),
    }
}

fn wrapped(model: &Model, before: &str, inner: TermId, after: &str, out: &mut String) {
    out.push_str(before);
    write(model, inner, 6, out);
    out.push_str(after);
}

fn bracketed(model: &Model, before: &str, inner: TermId, after: &str, out: &mut String) {
    out.push_str(before);
    write(model, inner, 0, out);
    out.push_str(after);
}
