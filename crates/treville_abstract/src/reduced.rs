//! The reduction of a program from remote memory to SC, as a text: what is on its way is in sets, and flags or counters say
//! whether anything is.

use crate::listing::{Lines, listing};
use std::collections::BTreeMap;
use treville_base::{BitSet, Idx};
use treville_rma::{Linear, Op, ProcId, Program, RemoteId, RemoteKind, Shown, VarId, VarKind, show_op};
use treville_rma_machine::{About, Reduction, closure};

/// The reduced program with these flushes.
pub fn show_reduced(program: &Program, placement: &BitSet, reduction: Reduction) -> String {
    let text = Text { program, placement, reduction, names: names(program, reduction) };
    let mut out: Vec<String> = vec![format!("program {};", program.name)];
    for (id, proc) in program.procs.iter_enumerated() {
        out.push(format!("process {}:", proc.name));
        out.extend(text.declarations(id).into_iter().map(|line| format!("  {line}")));
        out.extend(listing(proc, &mut |_, op| text.node(id, op)));
    }
    out.push(String::new());
    out.join("\n")
}

/// What a remote statement brings with it.
struct Named {
    /// Whether something is on its way.
    pending: String,
    set: String,
    /// Of an atomic operation: whether what it has found is on its way.
    landing: Option<String>,
}

/// Sets count the statements that read a variable, flags those of a kind.
fn names(program: &Program, reduction: Reduction) -> Vec<Named> {
    let word = if reduction == Reduction::Table2 { "Active" } else { "Count" };
    let mut kinds: BTreeMap<&str, usize> = BTreeMap::new();
    let mut sources: BTreeMap<VarId, usize> = BTreeMap::new();
    let name = |remote: &treville_rma::Remote| {
        let (kind, var) = match remote.kind {
            RemoteKind::Put => ("Put", remote.src),
            RemoteKind::Get => ("Get", remote.src),
            RemoteKind::Rmw(..) => ("Rmw", remote.dst),
        };
        let (of_kind, of_var) = (kinds.entry(kind).or_default(), sources.entry(var).or_default());
        *of_kind += 1;
        *of_var += 1;
        Named {
            pending: format!("{kind}{of_kind}{word}"),
            set: format!("{}{of_var}Set", program.var_name(var)),
            landing: remote.is_rmw().then(|| format!("{kind}{of_kind}Landing")),
        }
    };
    program.remotes.iter().map(name).collect()
}

struct Text<'a> {
    program: &'a Program,
    placement: &'a BitSet,
    reduction: Reduction,
    names: Vec<Named>,
}

impl Text<'_> {
    fn declarations(&self, proc: ProcId) -> Vec<String> {
        let none = if self.reduction == Reduction::Table2 { "false" } else { "0" };
        let of = |kind| move |v: &&treville_rma::Variable| v.proc == proc && v.kind == kind;
        let shared = self.program.vars.iter().filter(of(VarKind::Shared)).map(|v| v.name.to_string());
        let mut shared: Vec<String> = shared.collect();
        for (named, remote) in self.names.iter().zip(&self.program.remotes).filter(|(_, r)| r.proc == proc) {
            shared.push(format!("{} = {none}", named.pending));
            shared.extend(named.landing.iter().map(|landing| format!("{landing} = 0")));
            shared.push(format!("{} = {{}}", named.set));
            debug_assert_eq!(remote.is_rmw(), named.landing.is_some());
        }
        let locals = self.program.vars.iter().filter(of(VarKind::Local)).map(|v| v.name.to_string());
        let locals: Vec<String> = locals.collect();
        let lists = [("shared", shared), ("local", locals)];
        let shown = lists.into_iter().filter(|(_, list)| !list.is_empty());
        shown.map(|(word, list)| format!("{word} {};", list.join(", "))).collect()
    }

    fn node(&self, proc: ProcId, op: &Op) -> Lines {
        let plain = |does: Vec<String>| Lines { does, conditions: Vec::new() };
        let said = format!("// {};", show_op(self.program, op));
        let itself = || format!("{};", show_op(self.program, op));
        match op {
            Op::Skip(_) | Op::End => plain(Vec::new()),
            Op::Branch { cond, .. } => {
                Lines { does: Vec::new(), conditions: vec![Shown(self.program, cond).to_string()] }
            }
            Op::Choose(many) => Lines { does: Vec::new(), conditions: vec!["?".to_owned(); many.len() - 1] },
            Op::Assign { .. } | Op::Havoc { .. } | Op::Assume { .. } | Op::Assert { .. } => plain(vec![itself()]),
            Op::Load { shared, .. } => {
                let mut lines = vec![said];
                lines.extend(self.remote_ops(About::Load(*shared)));
                lines.push(itself());
                plain(lines)
            }
            Op::Store { shared, .. } => {
                let mut lines = vec![said];
                lines.extend(self.remote_ops(About::Store(*shared)));
                lines.push(itself());
                lines.extend(self.absorb(*shared));
                plain(lines)
            }
            Op::Issue { remote, .. } => plain([vec![said], self.issue(*remote)].concat()),
            Op::Flush { slot: Some(slot), .. } if !self.placement.contains(slot.index()) => plain(Vec::new()),
            Op::Flush { target, .. } => plain([vec![said], self.flush(proc, *target)].concat()),
        }
    }

    /// Pending operations that the next step may depend on land.
    fn remote_ops(&self, about: About) -> Vec<String> {
        let fires = self.fires(about);
        if fires.is_empty() { fires } else { block("while (?)", fires) }
    }

    fn fires(&self, about: About) -> Vec<String> {
        let of = closure(self.program, about);
        let ids = self.program.remotes.ids().filter(|id| of[id.index()]);
        ids.flat_map(|id| self.fire(id)).collect()
    }

    fn is_pending(&self, id: RemoteId) -> String {
        let name = &self.names[id.index()].pending;
        if self.reduction == Reduction::Table2 { name.clone() } else { format!("{name} > 0") }
    }

    /// Those who may still read the variable have its value.
    fn absorb(&self, var: VarId) -> Vec<String> {
        let name = self.program.var_name(var);
        let readers = self.program.remotes.iter_enumerated().filter(|(_, r)| r.src == var && !r.is_rmw());
        let line =
            |id: RemoteId| format!("if ({}) addToSet({}, {name});", self.is_pending(id), self.names[id.index()].set);
        readers.map(|(id, _)| line(id)).collect()
    }

    fn fire(&self, id: RemoteId) -> Vec<String> {
        let (remote, named) = (&self.program.remotes[id], &self.names[id.index()]);
        let RemoteKind::Rmw(rmw, operands) = &remote.kind else {
            let mut body = vec![format!("{} = randomElem({});", self.program.var_name(remote.dst), named.set)];
            body.extend(self.absorb(remote.dst));
            body.extend(self.fewer(&named.pending, self.reduction, Some(&named.set)));
            return block(&format!("if ({} && ?)", self.is_pending(id)), body);
        };
        let source = self.program.var_name(remote.src);
        let operands: Vec<String> = operands.iter().map(|o: &Linear| Shown(self.program, o).to_string()).collect();
        let mut body = vec![
            format!("addToSet({}, {source});", named.set),
            format!("{source} = {}({source}, {});", rmw.name(), operands.join(", ")),
        ];
        body.extend(self.absorb(remote.src));
        let landing = named.landing.as_deref().unwrap_or_default();
        body.push(format!("{landing} = {landing} == 0 ? 1 : many;"));
        body.extend(self.fewer(&named.pending, self.reduction, None));
        let mut lands = vec![format!("{} = randomElem({});", self.program.var_name(remote.dst), named.set)];
        lands.extend(self.absorb(remote.dst));
        lands.extend(self.fewer(landing, Reduction::Counted, Some(&named.set)));
        let taken = block(&format!("if ({} && ?)", self.is_pending(id)), body);
        [taken, block(&format!("if ({landing} > 0 && ?)"), lands)].concat()
    }

    /// One operation less is on its way, perhaps.
    fn fewer(&self, name: &str, reduction: Reduction, set: Option<&String>) -> Vec<String> {
        let empty = set.map_or_else(String::new, |set| format!(" {set} = {{}};"));
        match reduction {
            Reduction::Table2 => vec![format!("if (?) {{ {name} = false;{empty} }}")],
            Reduction::Counted => {
                vec![format!("if ({name} == 1) {{ {name} = 0;{empty} }}"), format!("else if (?) {name} = 1;")]
            }
        }
    }

    fn issue(&self, id: RemoteId) -> Vec<String> {
        let (remote, named) = (&self.program.remotes[id], &self.names[id.index()]);
        let (pending, set) = (&named.pending, &named.set);
        let (none, one, more) = match self.reduction {
            Reduction::Table2 => (format!("!{pending}"), "true", None),
            Reduction::Counted => (format!("{pending} == 0"), "1", Some(format!("{pending} = many;"))),
        };
        let mut first = vec![format!("{pending} = {one};")];
        let mut again: Vec<String> = more.into_iter().collect();
        if !remote.is_rmw() {
            let source = self.program.var_name(remote.src);
            first.push(format!("{set} = {{{source}}};"));
            again.push(format!("addToSet({set}, {source});"));
        }
        let mut lines = block(&format!("if ({none})"), first);
        lines.pop();
        lines.extend(block("} else", again));
        lines
    }

    fn flush(&self, proc: ProcId, target: ProcId) -> Vec<String> {
        let pending = self.program.remote(proc, target).flat_map(|id| {
            let landing = self.names[id.index()].landing.as_ref().map(|landing| format!("{landing} > 0"));
            std::iter::once(self.is_pending(id)).chain(landing)
        });
        let pending: Vec<String> = pending.collect();
        if pending.is_empty() {
            return Vec::new();
        }
        block(&format!("while ({})", pending.join(" || ")), self.fires(About::Flush(proc, target)))
    }
}

fn block(head: &str, body: Vec<String>) -> Vec<String> {
    let inside = body.into_iter().map(|line| format!("  {line}"));
    std::iter::once(format!("{head} {{")).chain(inside).chain(["}".to_owned()]).collect()
}
