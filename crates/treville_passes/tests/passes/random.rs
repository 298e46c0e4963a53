//! Random programs of the kind that compilers make without optimisation: variables on the stack, calls, loops that end.

use treville_ir::{Program, Reg, ThreadId};
use treville_testkit::Rng;

/// A function under construction.
struct Body<'r> {
    rng: &'r mut Rng,
    /// Its number; it calls lower ones.
    number: usize,
    regs: Vec<(String, u8)>,
    blocks: Vec<String>,
    /// Where statements go now.
    at: usize,
    /// Registers that hold addresses of variables, with the size of each.
    variables: Vec<(String, u64)>,
    depth: u32,
}

/// The parameters of every function: a number and a pointer.
const PARAMS: [(&str, u8); 2] = [("n", 32), ("q", 64)];

/// A program with the registers of its thread that are observed.
pub(crate) fn program(rng: &mut Rng) -> (String, Vec<(ThreadId, Reg)>) {
    let mut text = "program random\ndialect C rc11 fused sets []\nobject x\nobject y\n\
         object slot size 8 type pointer init [0 8 0:64]\nobject array size 32\n"
        .to_owned();
    let n_funcs = 1 + rng.below(4);
    for number in 0..n_funcs {
        text.push_str(&function(rng, number));
    }
    let top = n_funcs - 1;
    text.push_str(&format!("thread P0 f{top} [n {}:32 q &array]\n", rng.below(4)));
    let observed = (0..6).filter(|_| rng.percent(20)).map(|r| (ThreadId(0), Reg(r))).collect();
    (text, observed)
}

fn function(rng: &mut Rng, number: usize) -> String {
    let mut regs: Vec<(String, u8)> = PARAMS.iter().map(|(n, w)| ((*n).to_owned(), *w)).collect();
    regs.extend(["a", "b"].map(|n| (n.to_owned(), 32)));
    regs.extend(["p", "s"].map(|n| (n.to_owned(), 64)));
    let mut body = Body { rng, number, regs, blocks: vec![String::new()], at: 0, variables: Vec::new(), depth: 0 };
    body.variables();
    for _ in 0..1 + body.rng.below(7) {
        body.statement();
    }
    let result = body.number();
    body.line(&format!("return {result}"));
    let regs: Vec<String> = body.regs.iter().map(|(n, w)| format!("{n}:{w}")).collect();
    let mut text = format!("func f{number} (n q) regs [{}] {{\n", regs.join(" "));
    for (i, block) in body.blocks.iter().enumerate() {
        text.push_str(&format!("b{i}:\n{block}"));
    }
    text + "}\n"
}

impl Body<'_> {
    fn line(&mut self, text: &str) {
        self.blocks[self.at].push_str(&format!("  {text}\n"));
    }

    fn fresh(&mut self, prefix: &str, width: u8) -> String {
        let name = format!("{prefix}{}", self.regs.len());
        self.regs.push((name.clone(), width));
        name
    }

    fn block(&mut self) -> usize {
        self.blocks.push(String::new());
        self.blocks.len() - 1
    }

    /// Makes variables, most of them with a value.
    fn variables(&mut self) {
        for _ in 0..self.rng.below(5) {
            let v = self.fresh("v", 64);
            let size = self.rng.pick(&[4, 4, 8, 8, 16]);
            let zeroed = if self.rng.percent(10) { " zeroed" } else { "" };
            self.line(&format!("{v} = alloc stack {size}:64{zeroed}"));
            if self.rng.percent(92) {
                if self.rng.percent(30) {
                    let byte = self.rng.below(3);
                    self.line(&format!("fill {v} {byte}:8 {size}:64 [NA]"));
                } else {
                    for offset in (0..size).step_by(4) {
                        let value = self.number();
                        self.line(&format!("store (add {v} {offset}:64) {value} 4 [NA]"));
                    }
                }
            }
            self.variables.push((v, size));
        }
    }

    /// An expression of 32 bits.
    fn number(&mut self) -> String {
        match self.rng.below(9) {
            0..=1 => format!("{}:32", self.rng.pick(&[0, 1, 2, 3, 255, 0xffff_ffffu32])),
            2..=5 => self.rng.pick(&["a", "b", "n"]).to_owned(),
            6 => {
                let (x, y) = (self.atom(), self.atom());
                let op = self.rng.pick(&["add", "sub", "mul", "and", "or", "xor", "shl", "udiv", "srem"]);
                format!("({op} {x} {y})")
            }
            7 => {
                let (c, x, y) = (self.condition(), self.atom(), self.atom());
                format!("(ite {c} {x} {y})")
            }
            _ => {
                let (x, w) = (self.atom(), self.rng.pick(&[8, 16, 64]));
                let (one, two) = (self.rng.pick(&["zext", "sext"]), self.rng.pick(&["zext", "sext"]));
                format!("({one} 32 ({two} {w} {x}))")
            }
        }
    }

    fn atom(&mut self) -> String {
        if self.rng.percent(25) {
            format!("{}:32", self.rng.below(5))
        } else {
            self.rng.pick(&["a", "b", "n"]).to_owned()
        }
    }

    fn condition(&mut self) -> String {
        let (x, y) = (self.atom(), self.atom());
        let op = self.rng.pick(&["eq", "ne", "ult", "sle"]);
        match self.rng.below(6) {
            0 => format!("(ne (zext 32 ({op} {x} {y})) 0:32)"),
            1 => format!("(xor ({op} {x} {y}) 1:1)"),
            2 => {
                let p = self.pointer();
                format!("({} {p} 0:64)", self.rng.pick(&["eq", "ne"]))
            }
            _ => format!("({op} {x} {y})"),
        }
    }

    /// An address: mostly of a variable or of shared memory.
    fn pointer(&mut self) -> String {
        let own = self.rng.below(self.variables.len().max(1));
        match (self.variables.get(own).cloned(), self.rng.below(14)) {
            (Some((v, size)), 0..=6) => self.inside(&v, size),
            (_, 7) => "p".to_owned(),
            (_, 8) => "q".to_owned(),
            (_, 9..=10) => format!("(addr array {})", 4 * self.rng.below(8)),
            (_, 11) => {
                let (c, v) = (self.condition(), self.variables.first().map_or("&y".to_owned(), |v| v.0.clone()));
                format!("(ite {c} {v} &x)")
            }
            _ => self.rng.pick(&["&x", "&y"]).to_owned(),
        }
    }

    fn inside(&mut self, v: &str, size: u64) -> String {
        let words = (size / 4) as usize;
        match self.rng.below(12) {
            0 => format!("(add {v} (zext 64 (urem {} {words}:32)))", self.rng.pick(&["a", "b", "n"])),
            1 => format!("(add {v} (mul (zext 64 (and n {}:32)) 4:64))", words - 1),
            _ => {
                let offset = 4 * self.rng.below(words);
                if offset == 0 && self.rng.percent(80) { v.to_owned() } else { format!("(add {v} {offset}:64)") }
            }
        }
    }

    /// Mostly words.
    fn size(&mut self) -> u8 {
        if self.rng.percent(88) { 4 } else { self.rng.pick(&[1, 2, 8]) }
    }

    fn tags(&mut self) -> String {
        self.rng.pick(&["NA", "NA", "A RLX", "A ACQ", "A SC"]).to_owned()
    }

    fn statement(&mut self) {
        let nested = self.depth < 2;
        match self.rng.below(20) {
            0..=2 => {
                let (dst, value) = (self.rng.pick(&["a", "b", "n"]), self.number());
                self.line(&format!("{dst} = {value}"));
            }
            3..=5 => {
                let size = self.size();
                let (p, t) = (self.pointer(), self.fresh("t", 8 * size));
                let tags = self.tags();
                self.line(&format!("{t} = load {p} {size} [{tags}]"));
                let dst = self.rng.pick(&["a", "b"]);
                self.line(&format!("{dst} = (zext 32 {t})"));
            }
            6..=8 => {
                let (p, value, tags) = (self.pointer(), self.number(), self.tags());
                let size = self.size();
                self.line(&format!("store {p} (zext {} {value}) {size} [{tags}]", 8 * size));
            }
            9 => {
                let (dst, p) = (self.rng.pick(&["p", "p", "s"]), self.pointer());
                self.line(&format!("{dst} = {p}"));
            }
            10 => self.pointer_variable(),
            11 => {
                let (p, value) = (self.rng.pick(&["&x", "&y"]), self.number());
                let guard = if self.rng.percent(50) { format!(" if {}", self.condition()) } else { String::new() };
                let dst = self.rng.pick(&["a", "b"]);
                self.line(&format!("{dst} = update {p} 4 {value}{guard} [A] [A] [A SC] [A RLX]"));
            }
            12 => self.copy(),
            13 if nested => self.conditional(),
            14 | 15 if nested => self.counted_loop(),
            16 => {
                // Gives an address away, or uses one that was given away.
                let p = self.pointer();
                if self.rng.percent(40) {
                    self.line(&format!("store &slot {p} 8 [NA]"));
                } else {
                    let t = self.fresh("t", 64);
                    self.line(&format!("{t} = load &slot 8 [NA]"));
                    self.line(&format!("p = (ite (eq {t} 0:64) &x {t})"));
                }
            }
            _ if self.number > 0 => self.call(),
            _ => self.line("fence [SC]"),
        }
    }

    /// A variable that holds an address, as compilers keep parameters.
    fn pointer_variable(&mut self) {
        let p = self.pointer();
        let (v, t) = (self.fresh("v", 64), self.fresh("t", 64));
        let (value, dst) = (self.number(), self.rng.pick(&["a", "b"]));
        self.line(&format!("{v} = alloc stack 8:64"));
        self.line(&format!("store {v} {p} 8 [NA]"));
        // Perhaps it is used later, where it may not have been made, or where there is a newer one.
        if self.rng.percent(20) {
            self.line(&format!("s = (ite (eq s 0:64) {v} s)"));
            self.line("b = (zext 32 (ne s 0:64))");
        } else if self.rng.percent(20) {
            self.line(&format!("p = {v}"));
        } else if self.rng.percent(15) {
            self.variables.push((v.clone(), 8));
        }
        self.line(&format!("{t} = load {v} 8 [NA]"));
        if self.rng.percent(50) {
            self.line(&format!("store {t} {value} 4 [NA]"));
        } else {
            self.line(&format!("{dst} = load {t} 4 [NA]"));
        }
    }

    fn copy(&mut self) {
        let n = self.variables.len();
        if n == 0 {
            return;
        }
        let (one, two) = (self.rng.below(n), self.rng.below(n));
        let (to, from) = (self.variables[one].clone(), self.variables[two].clone());
        let len = to.1.min(from.1).min(self.rng.pick(&[4, 8, 16]));
        if self.rng.percent(15) {
            self.line(&format!("copy &array {} {len}:64 [NA]", from.0));
        } else {
            let mut end = |size: u64, name: &str| {
                let room = ((size - len) / 4) as usize;
                let offset = if self.rng.percent(70) { 0 } else { 4 * self.rng.below(room + 1) };
                format!("(add {name} {offset}:64)")
            };
            let (to, from) = (end(to.1, &to.0), end(from.1, &from.0));
            self.line(&format!("copy {to} {from} {len}:64 [NA]"));
        }
    }

    fn conditional(&mut self) {
        let cond = self.condition();
        let (then, els, after) = (self.block(), self.block(), self.block());
        let join = if self.rng.percent(50) { format!(" join b{after}") } else { String::new() };
        self.line(&format!("branch {cond} b{then} b{els}{join}"));
        self.depth += 1;
        for start in [then, els] {
            self.at = start;
            for _ in 0..self.rng.below(3) {
                self.statement();
            }
            self.line(&format!("goto b{after}"));
        }
        self.depth -= 1;
        self.at = after;
    }

    /// A loop with its counter in a variable, or in a register.
    fn counted_loop(&mut self) {
        let (i, count) = (self.fresh("i", 32), self.rng.below(4));
        let cell = self.rng.percent(60).then(|| self.fresh("v", 64));
        if let Some(cell) = &cell {
            self.line(&format!("{cell} = alloc stack 4:64"));
            self.line(&format!("store {cell} 0:32 4 [NA]"));
        } else {
            self.line(&format!("{i} = 0:32"));
        }
        let (head, inside, after) = (self.block(), self.block(), self.block());
        self.line(&format!("goto b{head}"));
        self.at = head;
        if let Some(cell) = &cell {
            self.line(&format!("{i} = load {cell} 4 [NA]"));
        }
        self.line(&format!("branch (slt {i} {count}:32) b{inside} b{after}"));
        self.at = inside;
        self.depth += 1;
        let carried = self.rng.percent(20).then(|| (self.fresh("v", 64), self.fresh("c", 64)));
        if let Some((v, c)) = &carried {
            let shown = self.rng.pick(&["a", "b"]);
            self.line(&format!("{v} = alloc stack 4:64"));
            self.line(&format!("store {v} {i} 4 [NA]"));
            self.line(&format!("{c} = (ite (eq {i} 0:32) {v} {c})"));
            if self.rng.percent(50) {
                self.line(&format!("{shown} = load {c} 4 [NA]"));
            }
        }
        for _ in 0..1 + self.rng.below(2) {
            self.statement();
        }
        if let Some((v, c)) = &carried {
            self.line(&format!("{c} = {v}"));
            self.line(&format!("store {v} n 4 [NA]"));
        }
        self.depth -= 1;
        match &cell {
            Some(cell) => {
                let t = self.fresh("t", 32);
                self.line(&format!("{t} = load {cell} 4 [NA]"));
                self.line(&format!("store {cell} (add {t} 1:32) 4 [NA]"));
            }
            None => self.line(&format!("{i} = (add {i} 1:32)")),
        }
        self.line(&format!("goto b{head}"));
        self.at = after;
    }

    fn call(&mut self) {
        let (f, n, p) = (self.rng.below(self.number), self.number(), self.pointer());
        let dst = self.rng.pick(&["a = ", "b = ", ""]);
        if self.rng.percent(20) {
            let address = Program::func_address(treville_ir::FuncId(f as u32));
            self.line(&format!("{dst}call * {address:#x}:64 ({n} {p})"));
        } else {
            self.line(&format!("{dst}call f{f} ({n} {p})"));
        }
    }
}
