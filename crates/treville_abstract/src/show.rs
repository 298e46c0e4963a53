//! Boolean programs as texts. `b3` is a predicate, `b3(X1)` the same of all elements of a set.

use crate::boolean::{Assignment, BoolOp, BoolProgram, Guard, Transformer, Update};
use crate::cubes::{Cube, members};
use crate::listing::{Lines, listing};
use std::fmt;
use treville_base::Idx;
use treville_rma::{Op, ProcId, Shown, show_op};

impl fmt::Display for BoolProgram<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        writeln!(f, "program {};", self.program.name)?;
        for (i, atom) in self.base.iter().enumerate() {
            writeln!(f, "bool b{}; // {}", i + 1, Shown(self.program, atom))?;
        }
        for (i, set) in self.sets.iter().enumerate() {
            let about: Vec<String> = members(set.about).map(|p| format!("b{}({})", p + 1, self.set_name(i))).collect();
            let var = self.program.var_name(set.var);
            let line = format!("set {} of {var}; // {}", self.set_name(i), about.join(", "));
            writeln!(f, "{}", line.trim_end_matches(" // "))?;
        }
        for i in 0..self.n_counters {
            writeln!(f, "count n{};", i + 1)?;
        }
        for (id, proc) in self.program.procs.iter_enumerated() {
            writeln!(f, "process {}:", proc.name)?;
            for line in listing(proc, &mut |node, op| self.node(id, node.index(), op)) {
                writeln!(f, "{line}")?;
            }
        }
        if !self.sets.is_empty() {
            writeln!(f, "network:")?;
            for (i, remote) in self.program.remotes.iter().enumerate() {
                writeln!(f, "  // {}", Shown(self.program, remote))?;
                for line in self.network(i) {
                    writeln!(f, "  {line}")?;
                }
            }
        }
        Ok(())
    }
}

impl BoolProgram<'_> {
    /// The variable and its number among the sets of that.
    fn set_name(&self, i: usize) -> String {
        let set = &self.sets[i];
        let before = self.sets[..i].iter().filter(|s| s.var == set.var && s.landing == set.landing).count();
        let found = if set.landing { "found" } else { "" };
        format!("{}{found}{}", self.program.var_name(set.var), before + 1)
    }

    fn node(&self, proc: ProcId, node: usize, op: &Op) -> Lines {
        let said = format!("// {}", show_op(self.program, op));
        let (does, conditions) = match &self.procs[proc.index()][node] {
            BoolOp::Skip(_) | BoolOp::End => (Vec::new(), Vec::new()),
            BoolOp::Assign { does, .. } => ([vec![said], self.assignment(does)].concat(), Vec::new()),
            BoolOp::Load { does, .. } | BoolOp::Store { does, .. } => {
                ([vec![said], self.assignment(does)].concat(), Vec::new())
            }
            BoolOp::Issue { remote, .. } => ([vec![said], self.issue(remote.index())].concat(), Vec::new()),
            BoolOp::Flush { target, .. } if self.sets.is_empty() => {
                (vec![format!("// flush({})", self.program.procs[*target].name)], Vec::new())
            }
            BoolOp::Flush { target, .. } => {
                let counts = self.program.remote(proc, *target).map(|id| format!("n{} == 0", id.index() + 1));
                (vec![said, format!("assume({});", counts.collect::<Vec<_>>().join(" && "))], Vec::new())
            }
            BoolOp::Assume { guard, .. } => ([vec![said], self.guarded(guard)].concat(), Vec::new()),
            BoolOp::Assert { guard, .. } => (vec![said, format!("assert({});", any(&guard.certain, ""))], Vec::new()),
            BoolOp::Branch { then: (guard, _), .. } => {
                let learns = guard.learn.iter().map(|u| format!("// then {}", shown(u, "", "")));
                let possible = if guard.refuted.is_empty() { "true".to_owned() } else { not(&guard.refuted) };
                (std::iter::once(said).chain(learns).collect(), vec![format!("? && {possible}")])
            }
            BoolOp::Choose(many) => (Vec::new(), vec!["?".to_owned(); many.len() - 1]),
        };
        Lines { does, conditions }
    }

    fn guarded(&self, guard: &Guard) -> Vec<String> {
        let blocks =
            format!("assume({});", if guard.refuted.is_empty() { "true".to_owned() } else { not(&guard.refuted) });
        std::iter::once(blocks).chain(guard.learn.iter().map(|u| format!("{};", shown(u, "", "")))).collect()
    }

    fn assignment(&self, does: &Assignment) -> Vec<String> {
        let mut lines = transformer(&does.base, "", "");
        for (set, updates) in &does.over_sets {
            let set = format!("({})", self.set_name(*set));
            lines.extend(transformer(updates, &set, &set));
        }
        lines
    }

    fn issue(&self, id: usize) -> Vec<String> {
        let remote = &self.remotes[id];
        if self.sets.is_empty() {
            return transformer(&remote.at_once.base, "", "");
        }
        let mut lines = vec![format!("n{} := n{} == 0 ? 1 : many;", id + 1, id + 1)];
        if remote.landing.is_none() {
            let set = self.set_name(remote.set);
            for p in members(self.sets[remote.set].about) {
                lines.push(format!(
                    "b{b}({set}) := n{n} == 1 ? b{b} : choose(b{b}({set}) && b{b}, !b{b}({set}) && !b{b});",
                    b = p + 1,
                    n = id + 1
                ));
            }
        }
        lines
    }

    /// What the network does with a remote statement.
    fn network(&self, id: usize) -> Vec<String> {
        let remote = &self.remotes[id];
        let element = format!("({})", self.set_name(remote.set));
        let mut lines = vec![format!("assume(n{} > 0);", id + 1)];
        let over = |does: &Assignment, element: &str| {
            let mut lines = transformer(&does.base, "", element);
            for (set, updates) in &does.over_sets {
                let set = format!("({})", self.set_name(*set));
                lines.extend(transformer(updates, &set, &set));
            }
            lines
        };
        match remote.landing {
            None => lines.extend(over(&remote.fire, &element)),
            Some(landing) => {
                lines.extend(over(&remote.fire, ""));
                lines.extend(transformer(&remote.found, &element, ""));
                lines.push(format!("assume(n{} > 0);", landing + 1));
                lines.extend(over(&remote.land, &element));
            }
        }
        lines
    }
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
