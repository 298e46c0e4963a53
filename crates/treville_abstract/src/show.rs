//! Boolean programs as texts, with all that the checker does: flushes where they are, counters as the reduction counts, elements
//! of sets as they come and go, and the laws by which literals are completed. `b3` is a predicate, `b3(X1)` the same of all
//! elements of a set.

use crate::boolean::{Assignment, BoolOp, BoolProgram, Guard, SetVar, Transformer, Update};
use crate::checker::Elements;
use crate::cubes::{Cube, members};
use crate::listing::{Lines, listing};
use std::fmt;
use treville_base::{BitSet, Idx};
use treville_rma::{Op, ProcId, RemoteId, Shown, VarId, show_op};
use treville_rma_machine::Reduction;

impl fmt::Display for BoolProgram<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&Text { b: self, how: None }.program())
    }
}

/// How the boolean program of a reduction is run, which is part of what it means.
#[derive(Clone, Copy, Debug)]
pub(crate) struct How<'a> {
    pub(crate) placement: &'a BitSet,
    pub(crate) reduction: Reduction,
    pub(crate) elements: Elements,
}

impl BoolProgram<'_> {
    /// The program of a reduction as it is checked with these flushes.
    pub(crate) fn shown(&self, how: How<'_>) -> String {
        Text { b: self, how: Some(how) }.program()
    }
}

struct Text<'a, 'p> {
    b: &'a BoolProgram<'p>,
    /// None under SC.
    how: Option<How<'a>>,
}

impl Text<'_, '_> {
    fn program(&self) -> String {
        let b = self.b;
        let mut out = vec![format!("program {};", b.program.name)];
        out.extend(
            b.base.iter().enumerate().map(|(i, atom)| format!("bool b{}; // {}", i + 1, Shown(b.program, atom))),
        );
        for (i, set) in b.sets.iter().enumerate() {
            let about: Vec<String> = members(set.about).map(|p| format!("b{}({})", p + 1, self.set_name(i))).collect();
            let line = format!("set {} of {}; // {}", self.set_name(i), b.program.var_name(set.var), about.join(", "));
            out.push(line.trim_end_matches(" // ").to_owned());
        }
        out.extend((0..b.n_counters).map(|i| format!("count n{};", i + 1)));
        out.extend(self.laws());
        for (id, proc) in b.program.procs.iter_enumerated() {
            out.push(format!("process {}:", proc.name));
            out.extend(listing(proc, &mut |node, op| self.node(id, node.index(), op)));
        }
        if self.how.is_some() {
            out.push("network:".to_owned());
            for (i, remote) in b.program.remotes.iter().enumerate() {
                out.push(format!("  // {}", Shown(b.program, remote)));
                out.extend(self.network(i).into_iter().map(|line| format!("  {line}")));
            }
        }
        out.push(String::new());
        out.join("\n")
    }

    /// What is known together: after every statement, what new literals and pairs of literals imply is known, too.
    fn laws(&self) -> Vec<String> {
        let mut laws = Vec::new();
        for (p, [zero, one]) in self.b.implied.iter().enumerate() {
            for (sign, implied) in [("", one), ("!", zero)] {
                if *implied != Cube::default() {
                    laws.push(format!("law {sign}b{} => {};", p + 1, all(*implied, "")));
                }
            }
        }
        for update in &self.b.derived {
            for (sign, cubes) in [("", &update.one), ("!", &update.zero)] {
                laws.extend(
                    cubes.iter().map(|cube| format!("law {} => {sign}b{};", all(*cube, ""), update.target + 1)),
                );
            }
        }
        laws
    }

    /// The variable and its number among the sets of that.
    fn set_name(&self, i: usize) -> String {
        let set = &self.b.sets[i];
        let before = self.b.sets[..i].iter().filter(|s| s.var == set.var && s.landing == set.landing).count();
        let found = if set.landing { "found" } else { "" };
        format!("{}{found}{}", self.b.program.var_name(set.var), before + 1)
    }

    fn node(&self, proc: ProcId, node: usize, op: &Op) -> Lines {
        let said = format!("// {}", show_op(self.b.program, op));
        let (does, conditions) = match &self.b.procs[proc.index()][node] {
            BoolOp::Skip(_) | BoolOp::End => (Vec::new(), Vec::new()),
            BoolOp::Assign { does, .. } | BoolOp::Load { does, .. } => {
                ([vec![said], self.assignment(does, "")].concat(), Vec::new())
            }
            BoolOp::Store { shared, does, .. } => {
                ([vec![said], self.written(*shared, self.assignment(does, ""))].concat(), Vec::new())
            }
            BoolOp::Issue { remote, .. } => ([vec![said], self.issue(remote.index())].concat(), Vec::new()),
            BoolOp::Flush { target, slot, .. } => (self.flush(proc, *target, *slot, said), Vec::new()),
            BoolOp::Assume { guard, .. } => ([vec![said], guarded(guard)].concat(), Vec::new()),
            BoolOp::Assert { guard, .. } => (vec![said, format!("assert({});", any(&guard.certain, ""))], Vec::new()),
            BoolOp::Branch { then: (guard, _), els: (other, _) } => {
                let learns = [("then", guard), ("else", other)].into_iter().flat_map(|(word, guard)| {
                    guard.learn.iter().map(move |u| format!("// {word} {}", shown(u, "", "")))
                });
                let possible = if guard.refuted.is_empty() { "true".to_owned() } else { not(&guard.refuted) };
                let other = if other.refuted.is_empty() {
                    Vec::new()
                } else {
                    vec![format!("// else {}", not(&other.refuted))]
                };
                let lines = std::iter::once(said).chain(learns).chain(other).collect();
                (lines, vec![format!("? && {possible}")])
            }
            BoolOp::Choose(many) => (Vec::new(), vec!["?".to_owned(); many.len() - 1]),
        };
        Lines { does, conditions }
    }

    /// A flush that is there waits until nothing is pending.
    fn flush(&self, proc: ProcId, target: ProcId, slot: Option<usize>, said: String) -> Vec<String> {
        let there = self.how.is_some_and(|how| slot.is_none_or(|slot| how.placement.contains(slot)));
        if !there {
            return Vec::new();
        }
        let counters = self.b.program.remote(proc, target).flat_map(|id| {
            [Some(id.index()), self.b.remotes[id.index()].landing]
                .into_iter()
                .flatten()
                .map(|n| format!("n{} == 0", n + 1))
        });
        let counters: Vec<String> = counters.collect();
        vec![said, format!("assume({});", if counters.is_empty() { "true".to_owned() } else { counters.join(" && ") })]
    }

    fn assignment(&self, does: &Assignment, element: &str) -> Vec<String> {
        let mut lines = transformer(&does.base, "", element);
        for (set, updates) in &does.over_sets {
            let set = format!("({})", self.set_name(*set));
            lines.extend(transformer(updates, &set, &set));
        }
        lines
    }

    /// A variable is written: the sets of statements that read it, and are pending, have its value.
    fn written(&self, var: VarId, does: Vec<String>) -> Vec<String> {
        let Some(how) = self.how else { return does };
        let sets = self.b.sets.iter().enumerate().filter(|(_, set)| !set.landing && set.var == var);
        let line = |(i, set): (usize, &SetVar)| {
            let pending: Vec<String> = set.members.iter().map(|id| format!("n{} > 0", id.index() + 1)).collect();
            format!("if ({}) add({}, {});", pending.join(" || "), self.set_name(i), self.b.program.var_name(var))
        };
        let added: Vec<String> = sets.map(line).collect();
        // The value that a variable has now is an element anyway, where elements are told apart: the old one is kept.
        if how.elements == Elements::Together { [does, added].concat() } else { [added, does].concat() }
    }

    fn issue(&self, id: usize) -> Vec<String> {
        let remote = &self.b.remotes[id];
        let Some(how) = self.how else { return transformer(&remote.at_once.base, "", "") };
        let mut lines = Vec::new();
        if remote.landing.is_none() {
            let set = &self.b.sets[remote.set];
            let (name, var) = (self.set_name(remote.set), self.b.program.var_name(set.var));
            let none: Vec<String> = set.members.iter().map(|id| format!("n{} == 0", id.index() + 1)).collect();
            lines.push(format!("if ({}) {name} := {{}};", none.join(" && ")));
            match how.elements {
                Elements::Together => lines.push(format!("add({name}, {var});")),
                Elements::Apart(most) => {
                    lines
                        .push(format!("// {var} is an element of {name} as well; at most {most} kinds are told apart"));
                }
            }
        }
        let n = id + 1;
        lines.push(match how.reduction {
            Reduction::Table2 => format!("n{n} := 1;"),
            Reduction::Counted => format!("n{n} := n{n} == 0 ? 1 : many;"),
        });
        lines
    }

    /// One less is pending, perhaps.
    fn fewer(&self, counter: usize) -> String {
        let n = counter + 1;
        match self.how.map(|how| how.reduction) {
            Some(Reduction::Table2) => format!("n{n} := choose(0, 1);"),
            _ => format!("n{n} := n{n} == 1 ? 0 : choose(1, many);"),
        }
    }

    /// What the network does with a remote statement.
    fn network(&self, id: usize) -> Vec<String> {
        let (remote, of) = (&self.b.remotes[id], &self.b.program.remotes[RemoteId::from_usize(id)]);
        let set = self.set_name(remote.set);
        let element = format!("({set})");
        let mut lines = vec![format!("assume(n{} > 0);", id + 1)];
        match remote.landing {
            None => {
                lines.push(format!("// an element of {set} is written"));
                lines.extend(self.written(of.dst, self.assignment(&remote.fire, &element)));
                lines.push(self.fewer(id));
                lines.push(format!("if nothing of {set} is pending: {set} := {{}};"));
            }
            Some(landing) => {
                lines.extend(transformer(&remote.found, &element, ""));
                lines.extend(self.written(of.src, self.assignment(&remote.fire, "")));
                lines.push(self.fewer(id));
                lines.push(format!("n{n} := n{n} == 0 ? 1 : many;", n = landing + 1));
                lines.push(format!("assume(n{} > 0);", landing + 1));
                lines.extend(self.written(of.dst, self.assignment(&remote.land, &element)));
                lines.push(self.fewer(landing));
                lines.push(format!("if (n{} == 0) {set} := {{}};", landing + 1));
            }
        }
        lines
    }
}

fn guarded(guard: &Guard) -> Vec<String> {
    let blocks = format!("assume({});", if guard.refuted.is_empty() { "true".to_owned() } else { not(&guard.refuted) });
    std::iter::once(blocks).chain(guard.learn.iter().map(|u| format!("{};", shown(u, "", "")))).collect()
}

/// One line for each predicate; `target` and `source` say of which set they are.
fn transformer(updates: &Transformer, target: &str, source: &str) -> Vec<String> {
    updates.iter().map(|update| format!("{};", shown(update, target, source))).collect()
}

/// `b1 := choose(b2 && !b3, !b2)`
fn shown(update: &Update, target: &str, source: &str) -> String {
    let name = format!("b{}{target}", update.target + 1);
    match (update.one.as_slice(), update.zero.as_slice()) {
        ([], []) => format!("{name} := ?"),
        (one, zero) => format!("{name} := choose({}, {})", any(one, source), any(zero, source)),
    }
}

fn not(cubes: &[Cube]) -> String {
    format!("!({})", any(cubes, ""))
}

fn any(cubes: &[Cube], source: &str) -> String {
    if cubes.is_empty() {
        "false".to_owned()
    } else {
        cubes.iter().map(|c| all(*c, source)).collect::<Vec<_>>().join(" || ")
    }
}

fn all(cube: Cube, source: &str) -> String {
    let positive = members(cube.pos).map(|p| (p, ""));
    let negative = members(cube.neg).map(|p| (p, "!"));
    let mut literals: Vec<(usize, &str)> = positive.chain(negative).collect();
    literals.sort_unstable();
    if literals.is_empty() {
        return "true".to_owned();
    }
    literals.iter().map(|(p, sign)| format!("{sign}b{}{source}", p + 1)).collect::<Vec<_>>().join(" && ")
}
