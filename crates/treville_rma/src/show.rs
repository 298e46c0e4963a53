//! Expressions, conditions and statements as a person writes them.

use crate::{Atom, Cond, Linear, Op, Program, Rel, Remote, RemoteKind, VarId, VarKind};
use std::fmt;

/// Something of a program that can be printed with its names.
pub struct Shown<'a, T>(pub &'a Program, pub &'a T);

impl Program {
    /// The name of a variable, with the process where it would be ambiguous.
    pub fn var_name(&self, var: VarId) -> String {
        let this = &self.vars[var];
        let same = self.vars.iter_enumerated().any(|(id, v)| id != var && v.name == this.name);
        if this.kind == VarKind::Local && same {
            format!("{}@{}", this.name, self.procs[this.proc].name)
        } else {
            this.name.to_string()
        }
    }
}

/// The terms with these signs: `2 * x + y + 3`.
fn sum(program: &Program, terms: &[(VarId, u64)], constant: u64) -> String {
    let term = |&(var, factor): &(VarId, u64)| match factor {
        1 => program.var_name(var),
        factor => format!("{factor} * {}", program.var_name(var)),
    };
    let mut parts: Vec<String> = terms.iter().map(term).collect();
    if constant != 0 || parts.is_empty() {
        parts.push(constant.to_string());
    }
    parts.join(" + ")
}

type Side = (Vec<(VarId, u64)>, u64);

/// The positive part and the negative part.
fn sides(linear: &Linear) -> (Side, Side) {
    let of = |positive: bool| -> Side {
        let terms = linear.terms().iter().filter(|t| (t.1 > 0) == positive).map(|t| (t.0, t.1.unsigned_abs()));
        let offset = if (linear.offset() > 0) == positive { linear.offset().unsigned_abs() } else { 0 };
        (terms.collect(), offset)
    };
    (of(true), of(false))
}

impl fmt::Display for Shown<'_, Linear> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let ((plus, more), (minus, less)) = sides(self.1);
        if plus.is_empty() && more == 0 && !(minus.is_empty() && less == 0) {
            write!(f, "-")?;
        } else {
            write!(f, "{}", sum(self.0, &plus, more))?;
            if minus.is_empty() && less == 0 {
                return Ok(());
            }
            write!(f, " - ")?;
        }
        let text = sum(self.0, &minus, less);
        if text.contains('+') { write!(f, "({text})") } else { write!(f, "{text}") }
    }
}

impl fmt::Display for Shown<'_, Atom> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let atom = self.1;
        let ((plus, mut more), (minus, mut less)) = sides(atom.linear());
        let mut strict = false;
        if atom.rel() == Rel::Le && more > 0 {
            (strict, more) = (true, more - 1);
        }
        if atom.rel() == Rel::Le && plus.is_empty() {
            // 3 <= x, 2 < x: the variable goes to the left.
            let word = if strict { ">" } else { ">=" };
            return write!(f, "{} {word} {}", sum(self.0, &minus, less), sum(self.0, &plus, more));
        }
        let word = match atom.rel() {
            Rel::Eq => "==",
            Rel::Ne => "!=",
            Rel::Le if strict => "<",
            Rel::Le => "<=",
        };
        if minus.is_empty() && more > 0 {
            // x + 3 == 0
            let left = sum(self.0, &plus, 0);
            std::mem::swap(&mut less, &mut more);
            return write!(f, "{left} {word} -{less}");
        }
        write!(f, "{} {word} {}", sum(self.0, &plus, more), sum(self.0, &minus, less))
    }
}

impl fmt::Display for Shown<'_, Cond> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let many = |f: &mut fmt::Formatter<'_>, parts: &[Cond], word: &str| {
            for (i, part) in parts.iter().enumerate() {
                if i > 0 {
                    write!(f, " {word} ")?;
                }
                match part {
                    Cond::And(_) | Cond::Or(_) => write!(f, "({})", Shown(self.0, part))?,
                    part => write!(f, "{}", Shown(self.0, part))?,
                }
            }
            Ok(())
        };
        match self.1 {
            Cond::Const(value) => write!(f, "{value}"),
            Cond::Atom(atom) => Shown(self.0, atom).fmt(f),
            Cond::At { proc, node, holds } => {
                let proc = &self.0.procs[*proc];
                let label = proc.labels.iter().find(|(_, n)| *n == node).map_or("?", |(label, _)| label);
                write!(f, "{}at({}, {label})", if *holds { "" } else { "!" }, proc.name)
            }
            Cond::And(parts) => many(f, parts, "&&"),
            Cond::Or(parts) => many(f, parts, "||"),
        }
    }
}

impl fmt::Display for Shown<'_, Remote> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Shown(program, remote) = self;
        let (src, dst) = (program.var_name(remote.src), program.var_name(remote.dst));
        let target = &program.procs[remote.target].name;
        match &remote.kind {
            RemoteKind::Put => write!(f, "put({dst}, {target}, {src})"),
            RemoteKind::Get => write!(f, "{dst} = get({src}, {target})"),
            RemoteKind::Rmw(rmw, operands) => {
                write!(f, "{dst} = {}({src}, {target}", rmw.name())?;
                for operand in operands {
                    write!(f, ", {}", Shown(program, operand))?;
                }
                write!(f, ")")
            }
        }
    }
}

/// A statement, without where it goes on.
pub fn show_op(program: &Program, op: &Op) -> String {
    match op {
        Op::Skip(_) => "skip".to_owned(),
        Op::Assign { var, value, .. } => format!("{} = {}", program.var_name(*var), Shown(program, value)),
        Op::Havoc { var, .. } => format!("{} = ?", program.var_name(*var)),
        Op::Load { local, shared, .. } => format!("load {} = {}", program.var_name(*local), program.var_name(*shared)),
        Op::Store { shared, value, .. } => format!("store {} = {}", program.var_name(*shared), Shown(program, value)),
        Op::Issue { remote, .. } => Shown(program, &program.remotes[*remote]).to_string(),
        Op::Flush { target, .. } => format!("flush({})", program.procs[*target].name),
        Op::Assume { cond, .. } => format!("assume({})", Shown(program, cond)),
        Op::Assert { cond, .. } => format!("assert({})", Shown(program, cond)),
        Op::Branch { cond, .. } => format!("if ({})", Shown(program, cond)),
        Op::Choose(_) => "choose".to_owned(),
        Op::End => "end".to_owned(),
    }
}
