//! A module as text that LLVM reads again, with opaque pointers; what is known of the source is in comments.

use std::fmt::Write;
use treville_llvm::{
    Access, Block, Body, Call, Callee, Clause, ConstExpr, ConstId, ConstKind, Flags, FloatKind, Function, Global,
    GlobalKind, Inst, InstKind, Label, Linkage, LocationId, Module, Operand, Passing, RecordKind, Scope, SourceType,
    SourceTypeId, Terminator, TerminatorKind, Type, TypeId,
};

/// Adds formatted text to a string.
macro_rules! put {
    ($out:expr, $($arg:tt)*) => { write!($out, $($arg)*).expect("writing to a string") };
}

pub(crate) fn module(module: &Module) -> String {
    let mut printer = Printer { module, out: String::new() };
    printer.module();
    printer.out
}

struct Printer<'a> {
    module: &'a Module,
    out: String,
}

fn quoted(text: &str) -> String {
    let byte = |b: u8| match b {
        b'"' | b'\\' | 0..=31 | 127..=255 => format!("\\{b:02X}"),
        _ => char::from(b).to_string(),
    };
    format!("\"{}\"", text.bytes().map(byte).collect::<String>())
}

fn global(global: &Global) -> String {
    // Globals without names have numbers.
    if global.name.bytes().all(|c| c.is_ascii_digit()) {
        format!("@{}", global.name)
    } else {
        format!("@{}", quoted(&global.name))
    }
}

fn label(label: &Label) -> String {
    match label {
        Label::Name(name) => format!("%{}", quoted(name)),
        Label::Number(number) => format!("%{number}"),
    }
}

/// The words of the text are the names of our variants.
fn word(variant: impl std::fmt::Debug) -> String {
    format!("{variant:?}").to_lowercase()
}

fn flags(flags: Flags) -> String {
    let all = [
        ("inbounds", flags.inbounds),
        ("nuw", flags.nuw),
        ("nsw", flags.nsw),
        ("exact", flags.exact),
        ("disjoint", flags.disjoint),
        ("nneg", flags.nneg),
    ];
    all.iter().filter(|f| f.1).map(|f| format!("{} ", f.0)).collect()
}

impl Printer<'_> {
    fn ty(&self, id: TypeId) -> String {
        match self.module.types.get(id) {
            Type::Array { element, length } => format!("[{length} x {}]", self.ty(*element)),
            Type::Struct(body) => match &body.name {
                Some(name) => format!("%{}", quoted(name)),
                None => self.fields(id),
            },
            Type::Function { result, params, variadic } => {
                let mut params: Vec<_> = params.iter().map(|&p| self.ty(p)).collect();
                params.extend(variadic.then(|| "...".to_string()));
                format!("{} ({})", self.ty(*result), params.join(", "))
            }
            _ => self.module.types.display(id).to_string(),
        }
    }

    fn fields(&self, id: TypeId) -> String {
        let Type::Struct(body) = self.module.types.get(id) else { return String::new() };
        let Some(fields) = &body.fields else { return "opaque".to_string() };
        let fields: Vec<_> = fields.iter().map(|&f| self.ty(f)).collect();
        let (open, close) = if body.packed { ("<{ ", " }>") } else { ("{ ", " }") };
        format!("{open}{}{close}", fields.join(", "))
    }

    fn module(&mut self) {
        for (id, ty) in self.module.types.iter() {
            if let Type::Struct(body) = ty
                && let Some(name) = &body.name
            {
                let size =
                    self.module.layout.of(id).map(|l| format!("size {} align {} {:?}", l.size, l.align, l.offsets));
                put!(self.out, "%{} = type {} ; {}\n", quoted(name), self.fields(id), size.unwrap_or_default());
            }
        }
        for line in &self.module.asm {
            put!(self.out, "module asm {}\n", quoted(line));
        }
        for global in &self.module.globals {
            self.global(global);
        }
    }

    fn global(&mut self, global_: &Global) {
        let linkage = match global_.linkage {
            Linkage::External => "",
            Linkage::Internal => "internal ",
            Linkage::Weak => "weak ",
            Linkage::ExternWeak => "extern_weak ",
            Linkage::AvailableExternally => "available_externally ",
            Linkage::Appending => "appending ",
        };
        match &global_.kind {
            GlobalKind::Function(function) => self.function(global_, linkage, function),
            GlobalKind::Alias { ty, target } => {
                put!(self.out, "{} = {linkage}alias {}, {}\n", global(global_), self.ty(*ty), self.constant(*target));
            }
            GlobalKind::Variable(variable) => {
                let local = if variable.thread_local { "thread_local " } else { "" };
                let kind = if variable.constant { "constant" } else { "global" };
                let linkage = if variable.init.is_none() && linkage.is_empty() { "external " } else { linkage };
                let init = variable.init.map(|id| self.value(id));
                let (name, ty) = (global(global_), self.ty(variable.ty));
                put!(self.out, "{name} = {linkage}{local}{kind} {ty} {}", init.unwrap_or_default());
                variable.align.iter().for_each(|align| put!(self.out, ", align {align}"));
                for &id in &variable.sources {
                    let source = &self.module.debug.variables[id];
                    let name = source.name.as_deref().unwrap_or_default();
                    put!(self.out, " ; {name}: {} line {}", self.source_type(source.ty, 3), source.line);
                }
                self.out.push('\n');
            }
        }
    }

    fn source_type(&self, ty: Option<SourceTypeId>, depth: u32) -> String {
        let Some(ty) = ty.filter(|_| depth > 0) else { return "…".to_string() };
        match &self.module.debug.types[ty] {
            SourceType::Basic { name, bits, encoding } => {
                format!("{}:{encoding:?}{bits}", name.as_deref().unwrap_or_default())
            }
            SourceType::Pointer { to, .. } => format!("*{}", self.source_type(*to, depth - 1)),
            SourceType::Record { name, members, union, .. } => {
                let members: Vec<_> = members
                    .iter()
                    .map(|m| {
                        let name = m.name.as_deref().unwrap_or_default();
                        format!("{name}@{}: {}", m.offset_bits, self.source_type(m.ty, depth - 1))
                    })
                    .collect();
                let word = if *union { "union" } else { "struct" };
                format!("{word} {} {{{}}}", name.as_deref().unwrap_or_default(), members.join(", "))
            }
            SourceType::Array { element, counts, .. } => {
                format!("{}{counts:?}", self.source_type(*element, depth - 1))
            }
            SourceType::Enum { name, values, .. } => {
                format!("enum {} {values:?}", name.as_deref().unwrap_or_default())
            }
            SourceType::Alias { name, of } => {
                format!("{}={}", name.as_deref().unwrap_or_default(), self.source_type(*of, depth))
            }
            SourceType::Other { name, .. } => name.as_deref().unwrap_or("?").to_string(),
        }
    }

    fn passing(&self, passing: Passing) -> String {
        match passing {
            Passing::Plain => String::new(),
            Passing::ByVal(ty) => format!(" byval({})", self.ty(ty)),
            Passing::StructReturn(ty) => format!(" sret({})", self.ty(ty)),
            Passing::Indirect(ty) => format!(" elementtype({})", self.ty(ty)),
        }
    }

    fn function(&mut self, global_: &Global, linkage: &str, function: &Function) {
        let mut params: Vec<String> = Vec::new();
        for (i, param) in function.params.iter().enumerate() {
            let name = function.body.as_ref().map(|body| {
                let value = body.values.iter().nth(i).expect("parameters are values");
                format!(" {}", label(&value.name))
            });
            params.push(format!("{}{}{}", self.ty(param.ty), self.passing(param.passing), name.unwrap_or_default()));
        }
        params.extend(function.variadic.then(|| "...".to_string()));
        let keyword = if function.body.is_some() { "define" } else { "declare" };
        let (result, name) = (self.ty(function.result), global(global_));
        put!(self.out, "{keyword} {linkage}{result} {name}({})", params.join(", "));
        let attributes = function.attributes;
        let words = [
            (" noreturn", attributes.noreturn),
            (" alwaysinline", attributes.always_inline),
            (" naked", attributes.naked),
            (" returns_twice", attributes.returns_twice),
        ];
        words.iter().filter(|w| w.1).for_each(|w| self.out.push_str(w.0));
        let Some(body) = &function.body else {
            self.out.push('\n');
            return;
        };
        let unwinds = |block: &Block| {
            matches!(block.end.kind, TerminatorKind::Invoke { .. } | TerminatorKind::Resume(_))
                || block.insts.iter().any(|inst| matches!(inst.kind, InstKind::LandingPad { .. }))
        };
        if body.blocks.iter().any(unwinds) {
            self.out.push_str(" personality ptr null");
        }
        self.out.push_str(" {");
        if let Some(id) = function.source {
            let scope = &self.module.debug.scopes[id];
            put!(self.out, " ; {} line {}", scope.name.as_deref().unwrap_or_default(), scope.line);
        }
        self.out.push('\n');
        body.blocks.iter().for_each(|block| self.block(body, block));
        self.records(body);
        self.out.push_str("}\n");
    }

    fn records(&mut self, body: &Body) {
        for record in &body.records {
            let variable = &self.module.debug.variables[record.variable];
            let kind = match record.kind {
                RecordKind::Declare => "at",
                RecordKind::Value => "=",
            };
            let value = record.value.map_or("nothing".to_string(), |v| self.operand(body, v));
            let name = variable.name.as_deref().unwrap_or_default();
            let ty = self.source_type(variable.ty, 3);
            let rest = if record.plain { "" } else { " (expression)" };
            let place = self.location(record.location);
            let block = &body.blocks[record.block].name;
            put!(self.out, "; {name}: {ty} {kind} {value}{rest} in {block} before {}{place}\n", record.before);
        }
    }

    fn location(&self, id: Option<LocationId>) -> String {
        let Some(id) = id else { return String::new() };
        let debug = &self.module.debug;
        let places: Vec<_> = debug
            .inline_chain(id)
            .map(|l| {
                let file = debug.file_of(l).map_or("", |f| f.name.as_str());
                let function = debug.function_of(l).and_then(|f| f.name.as_deref()).unwrap_or_default();
                format!("{file}:{}:{} {function}", l.line, l.column)
            })
            .collect();
        format!(" ; {}", places.join(" < "))
    }

    fn block(&mut self, body: &Body, block: &Block) {
        match &block.name {
            Label::Name(name) => put!(self.out, "{}:\n", quoted(name)),
            Label::Number(number) => put!(self.out, "{number}:\n"),
        }
        for inst in &block.insts {
            self.inst(body, inst);
        }
        self.terminator(body, &block.end);
    }

    fn inst(&mut self, body: &Body, inst: &Inst) {
        let name = inst.result.map(|v| format!("{} = ", label(&body.values[v].name)));
        put!(
            self.out,
            "  {}{}{}\n",
            name.unwrap_or_default(),
            self.kind(body, &inst.kind),
            self.location(inst.location)
        );
    }

    fn operand_type(&self, body: &Body, operand: Operand) -> String {
        self.ty(self.module.operand_type(body, operand))
    }

    /// An operand without its type.
    fn bare(&self, body: &Body, operand: Operand) -> String {
        match operand {
            Operand::Local(value) => label(&body.values[value].name),
            Operand::Const(id) => self.value(id),
        }
    }

    fn operand(&self, body: &Body, operand: Operand) -> String {
        format!("{} {}", self.operand_type(body, operand), self.bare(body, operand))
    }

    fn constant(&self, id: ConstId) -> String {
        format!("{} {}", self.ty(self.module.constants[id].ty), self.value(id))
    }

    fn value(&self, id: ConstId) -> String {
        let constant = &self.module.constants[id];
        match &constant.kind {
            ConstKind::Int(value) => match self.module.types.int_bits(constant.ty) {
                Some(1) => (*value != 0).to_string(),
                Some(bits) => (((*value << (128 - bits)) as i128) >> (128 - bits)).to_string(),
                None => unreachable!("integers have integer types"),
            },
            ConstKind::Float(bits) => self.float(constant.ty, *bits),
            ConstKind::Null => "null".to_string(),
            ConstKind::Undef => "undef".to_string(),
            ConstKind::Poison => "poison".to_string(),
            ConstKind::Zero => "zeroinitializer".to_string(),
            ConstKind::None => "none".to_string(),
            ConstKind::Metadata => "!{}".to_string(),
            ConstKind::Bytes(bytes) => {
                let hex: String = bytes.iter().map(|b| format!("\\{b:02X}")).collect();
                format!("c\"{hex}\"")
            }
            ConstKind::Splat(value) => format!("splat ({})", self.constant(*value)),
            ConstKind::Aggregate(members) => {
                let members = members.iter().map(|&m| self.constant(m)).collect::<Vec<_>>().join(", ");
                match self.module.types.get(constant.ty) {
                    Type::Array { .. } => format!("[{members}]"),
                    Type::Vector { .. } => format!("<{members}>"),
                    Type::Struct(body) if body.packed => format!("<{{ {members} }}>"),
                    _ => format!("{{ {members} }}"),
                }
            }
            ConstKind::Global(id) => global(&self.module.globals[*id]),
            ConstKind::Expr(expr) => self.expr(constant.ty, expr),
        }
    }

    fn float(&self, ty: TypeId, bits: u128) -> String {
        match self.module.types.get(ty) {
            Type::Float(FloatKind::Half) => format!("0xH{bits:04X}"),
            Type::Float(FloatKind::BFloat) => format!("0xR{bits:04X}"),
            Type::Float(FloatKind::Float) => format!("0x{:016X}", f64::from(f32::from_bits(bits as u32)).to_bits()),
            Type::Float(FloatKind::X86Fp80) => format!("0xK{bits:020X}"),
            Type::Float(FloatKind::Fp128) => format!("0xL{bits:032X}"),
            Type::Float(FloatKind::PpcFp128) => format!("0xM{bits:032X}"),
            _ => format!("0x{bits:016X}"),
        }
    }

    fn expr(&self, ty: TypeId, expr: &ConstExpr) -> String {
        let list = |ids: &[ConstId]| ids.iter().map(|&i| self.constant(i)).collect::<Vec<_>>().join(", ");
        match expr {
            ConstExpr::Gep { element, base, indices } => {
                let indices = if indices.is_empty() { String::new() } else { format!(", {}", list(indices)) };
                format!("getelementptr ({}, {}{indices})", self.ty(*element), self.constant(*base))
            }
            ConstExpr::Cast { op, value } => format!("{} ({} to {})", word(op), self.constant(*value), self.ty(ty)),
            ConstExpr::Binary { op, lhs, rhs } => format!("{} ({})", word(op), list(&[*lhs, *rhs])),
            ConstExpr::ICmp { predicate, lhs, rhs } => format!("icmp {} ({})", word(predicate), list(&[*lhs, *rhs])),
            ConstExpr::Select { condition, then, otherwise } => {
                format!("select ({})", list(&[*condition, *then, *otherwise]))
            }
        }
    }

    fn access(&self, access: &Access) -> String {
        let scope = if access.scope == Scope::SingleThread { " syncscope(\"singlethread\")" } else { "" };
        let ordering = access.ordering.map(|o| format!("{scope} {}", o.as_str())).unwrap_or_default();
        format!("{ordering}{}", access.align.map(|a| format!(", align {a}")).unwrap_or_default())
    }

    fn kind(&self, body: &Body, kind: &InstKind) -> String {
        let op = |operand: &Operand| self.operand(body, *operand);
        let bare = |operand: &Operand| self.bare(body, *operand);
        let prefix = |access: &Access| {
            let atomic = if access.ordering.is_some() { "atomic " } else { "" };
            format!("{atomic}{}", if access.volatile { "volatile " } else { "" })
        };
        let volatile = |access: &Access| if access.volatile { "volatile " } else { "" };
        let numbers = |indices: &[u32]| indices.iter().map(u32::to_string).collect::<Vec<_>>().join(", ");
        match kind {
            InstKind::Binary { op: o, lhs, rhs, flags: f } => {
                format!("{} {}{}, {}", word(o), flags(*f), op(lhs), bare(rhs))
            }
            InstKind::FNeg(value) => format!("fneg {}", op(value)),
            InstKind::ICmp { predicate, lhs, rhs } => format!("icmp {} {}, {}", word(predicate), op(lhs), bare(rhs)),
            InstKind::FCmp { predicate, lhs, rhs } => format!("fcmp {} {}, {}", word(predicate), op(lhs), bare(rhs)),
            InstKind::Cast { op: o, value, to, flags: f } => {
                format!("{} {}{} to {}", word(o), flags(*f), op(value), self.ty(*to))
            }
            InstKind::Select { condition, then, otherwise } => {
                format!("select {}, {}, {}", op(condition), op(then), op(otherwise))
            }
            InstKind::Freeze(value) => format!("freeze {}", op(value)),
            InstKind::Phi(incoming) => {
                let ty = incoming.first().map(|(v, _)| self.operand_type(body, *v)).unwrap_or_default();
                let pair = |(v, b): &(Operand, _)| format!("[ {}, {} ]", bare(v), label(&body.blocks[*b].name));
                format!("phi {ty} {}", incoming.iter().map(pair).collect::<Vec<_>>().join(", "))
            }
            InstKind::Alloca { ty, count, align } => {
                let count = count.map(|c| format!(", {}", op(&c))).unwrap_or_default();
                let align = align.map(|a| format!(", align {a}")).unwrap_or_default();
                format!("alloca {}{count}{align}", self.ty(*ty))
            }
            InstKind::Load { ty, address, access } => {
                format!("load {}{}, {}{}", prefix(access), self.ty(*ty), op(address), self.access(access))
            }
            InstKind::Store { value, address, access } => {
                format!("store {}{}, {}{}", prefix(access), op(value), op(address), self.access(access))
            }
            InstKind::Fence { ordering, scope } => {
                let scope = if *scope == Scope::SingleThread { "syncscope(\"singlethread\") " } else { "" };
                format!("fence {scope}{}", ordering.as_str())
            }
            InstKind::CmpXchg(x) => {
                let weak = if x.weak { "weak " } else { "" };
                let (start, failure) = (volatile(&x.access), x.failure.as_str());
                let scope = Access { align: None, ..x.access };
                let align = x.access.align.map(|a| format!(", align {a}")).unwrap_or_default();
                let operands = [op(&x.address), op(&x.expected), op(&x.new)].join(", ");
                format!("cmpxchg {weak}{start}{operands}{} {failure}{align}", self.access(&scope))
            }
            InstKind::AtomicRmw { op: o, address, value, access } => {
                let name = format!("{o:?}").replace("Wrap", "_wrap").replace("Cond", "_cond").replace("Sat", "_sat");
                let (name, start) = (name.to_lowercase(), volatile(access));
                format!("atomicrmw {start}{name} {}, {}{}", op(address), op(value), self.access(access))
            }
            InstKind::Gep { element, base, indices, flags: f } => {
                let indices: String = indices.iter().map(|i| format!(", {}", op(i))).collect();
                format!("getelementptr {}{}, {}{indices}", flags(*f), self.ty(*element), op(base))
            }
            InstKind::ExtractValue { aggregate, indices } => {
                format!("extractvalue {}, {}", op(aggregate), numbers(indices))
            }
            InstKind::InsertValue { aggregate, value, indices } => {
                format!("insertvalue {}, {}, {}", op(aggregate), op(value), numbers(indices))
            }
            InstKind::ExtractElement { vector, index } => format!("extractelement {}, {}", op(vector), op(index)),
            InstKind::InsertElement { vector, value, index } => {
                format!("insertelement {}, {}, {}", op(vector), op(value), op(index))
            }
            InstKind::ShuffleVector { first, second, mask } => {
                let lanes = mask.iter().map(|m| m.map_or("i32 poison".into(), |m| format!("i32 {m}")));
                let lanes = lanes.collect::<Vec<String>>().join(", ");
                format!("shufflevector {}, {}, <{} x i32> <{lanes}>", op(first), op(second), mask.len())
            }
            InstKind::Call(call) => format!("call {}", self.call(body, call)),
            InstKind::LandingPad { cleanup, clauses } => {
                let cleanup = if *cleanup { " cleanup" } else { "" };
                let clause = |clause: &Clause| match clause {
                    Clause::Catch(value) => format!(" catch {}", op(value)),
                    Clause::Filter(value) => format!(" filter {}", op(value)),
                };
                format!("landingpad {{ ptr, i32 }}{cleanup}{}", clauses.iter().map(clause).collect::<String>())
            }
        }
    }

    fn call(&self, body: &Body, call: &Call) -> String {
        let callee = match &call.callee {
            Callee::Value(value) => self.bare(body, *value),
            Callee::Asm(asm) => {
                let effect = if asm.side_effect { "sideeffect " } else { "" };
                format!("asm {effect}{}, {}", quoted(&asm.text), quoted(&asm.constraints))
            }
        };
        let arg = |arg: &treville_llvm::Arg| {
            format!(
                "{}{} {}",
                self.operand_type(body, arg.value),
                self.passing(arg.passing),
                self.bare(body, arg.value)
            )
        };
        let args: Vec<_> = call.args.iter().map(arg).collect();
        let noreturn = if call.noreturn { " noreturn" } else { "" };
        format!("{} {callee}({}){noreturn}", self.ty(call.ty), args.join(", "))
    }

    fn terminator(&mut self, body: &Body, end: &Terminator) {
        let to = |id: &treville_llvm::BlockId| format!("label {}", label(&body.blocks[*id].name));
        let text = match &end.kind {
            TerminatorKind::Return(None) => "ret void".to_string(),
            TerminatorKind::Return(Some(value)) => format!("ret {}", self.operand(body, *value)),
            TerminatorKind::Jump(block) => format!("br {}", to(block)),
            TerminatorKind::Branch { condition, then, otherwise } => {
                format!("br {}, {}, {}", self.operand(body, *condition), to(then), to(otherwise))
            }
            TerminatorKind::Switch { value, default, cases } => {
                let case = |(value, block): &(ConstId, _)| format!(" {}, {}", self.constant(*value), to(block));
                let cases: String = cases.iter().map(case).collect();
                format!("switch {}, {} [{cases} ]", self.operand(body, *value), to(default))
            }
            TerminatorKind::Invoke { call, normal, unwind } => {
                format!("invoke {} to {} unwind {}", self.call(body, call), to(normal), to(unwind))
            }
            TerminatorKind::Resume(value) => format!("resume {}", self.operand(body, *value)),
            TerminatorKind::Unreachable => "unreachable".to_string(),
        };
        let name = end.result.map(|v| format!("{} = ", label(&body.values[v].name)));
        put!(self.out, "  {}{text}{}", name.unwrap_or_default(), self.location(end.location));
        if let Some(id) = end.repeats {
            let repeats = &self.module.debug.loops[id];
            let start = repeats.start.map_or(0, |id| self.module.debug.locations[id].line);
            put!(self.out, " ; loop of line {start}{}", if repeats.must_progress { ", must progress" } else { "" });
        }
        self.out.push('\n');
    }
}
