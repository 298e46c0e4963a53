//! Whether an invariant is inductive: no step leads from a state that satisfies it, whether a run comes there or not, to one that
//! does not.
//!
//! States are listed up to a bound: registers hold values that the program or the invariant names, memory has a few writes of each
//! variable, each of them the initial one or one that some statement of the text makes (whatever thread, whatever came before it),
//! and threads and releasing writes are aware of anything.
//! A state with a write that no statement makes is not listed: no run could come near it, and no invariant about writes would be
//! inductive. The answer says so among what it is relative to. For each step only that is listed which it, or the invariant, looks at:
//! the variable that it accesses, variables, program counters and registers of the invariant. What is left out makes no
//! difference to either.

use crate::code::{Code, Step, Word, low, signed};
use crate::memory::{Anywhere, Domain, MayWrite, each_choice};
use crate::props::{Check, observed, watched_threads};
use crate::replay;
use crate::system::{Move, State, System};
use std::collections::BTreeSet;
use std::ops::{ControlFlow, RangeInclusive};
use treville_base::{BitSet, Cancel, Idx};
use treville_ir::{Comparison, Prop, Reg, Term, ThreadId};
use treville_task::{Begin, Run, StopReason, Unsupported};

/// Writes of a variable, if the caller does not say.
const KEPT: usize = 2;

/// What is asked.
pub(crate) struct Induction<'a> {
    code: &'a Code,
    given: Vec<Check>,
    prop: Check,
    looked_at: LookedAt,
    /// Values that the program or the property names, with a sign on 64 bits: of each width, their low bits.
    values: Vec<u64>,
    most: usize,
    most_states: u64,
    cancel: &'a Cancel,
}

/// What properties look at.
#[derive(Default)]
struct LookedAt {
    vars: BTreeSet<usize>,
    threads: BTreeSet<usize>,
    counters: BTreeSet<usize>,
    /// Of all threads.
    registers: BTreeSet<usize>,
}

/// The step that leads out.
struct Broken<S> {
    thread: usize,
    domain: Domain,
    before: State<S>,
    after: State<S>,
    step: Move,
}

impl<'a> Induction<'a> {
    pub(crate) fn new(
        code: &'a Code,
        given: &[Prop],
        prop: &Prop,
        most: Option<u32>,
        most_states: u64,
        cancel: &'a Cancel,
    ) -> Result<Self, Unsupported> {
        let mut looked_at = LookedAt::default();
        let mut values: BTreeSet<u64> = code.vars.iter().map(|var| var.init).collect();
        for prop in given.iter().chain([prop]) {
            looked_at.add(code, prop, &mut values);
        }
        for word in code.threads.iter().flat_map(|thread| &thread.nodes).flat_map(|node| node.step.words()) {
            word.visit(&mut |part| {
                if let Word::Const(value) = part {
                    values.insert(*value);
                }
            });
        }
        Ok(Induction {
            code,
            given: given.iter().map(|prop| Check::compile(prop, code)).collect::<Result<_, _>>()?,
            prop: Check::compile(prop, code)?,
            looked_at,
            values: values.into_iter().collect(),
            most: most.map_or(KEPT, |most| most as usize),
            most_states,
            cancel,
        })
    }

    /// What the answer is relative to.
    pub(crate) fn assumptions(&self, keeps_writes: bool) -> Vec<String> {
        let width = self.code.vars.iter().map(|var| var.width).max().unwrap_or(32);
        let values: BTreeSet<i64> = self.values_of(width).into_iter().map(|value| signed(value, width)).collect();
        let values = values.iter().map(i64::to_string).collect::<Vec<_>>().join(", ");
        let mut all = vec![
            format!("values are among {values}"),
            "every write to a variable is its initial one, or one that some statement makes".to_owned(),
        ];
        if keeps_writes {
            all.push(format!("at most {} writes to each variable are kept", self.most));
        }
        all
    }

    /// The values of a register or variable of a width.
    fn values_of(&self, width: u8) -> BTreeSet<u64> {
        self.values.iter().map(|value| low(*value, width)).collect()
    }

    /// A run of one step that leads out, or of none if the start is out.
    pub(crate) fn run<M: Anywhere>(&self, system: &System<'_, M>) -> Result<Option<Run>, StopReason> {
        let start = system.initial(&mut system.room());
        if !self.prop.holds(system, &start) {
            return Ok(Some(replay::run(system, &[], Vec::new())));
        }
        let mut tried = 0;
        for (thread, code) in self.code.threads.iter().enumerate() {
            for node in self.rests(thread) {
                if !matches!(code.nodes[node].step, Step::Done | Step::Stuck | Step::Fail)
                    && let Some(broken) = self.steps(system, thread, node, &start, &mut tried)?
                {
                    return Ok(Some(self.told(system, &broken)));
                }
            }
        }
        Ok(None)
    }

    /// Where a thread may rest.
    fn rests(&self, thread: usize) -> Vec<usize> {
        let code = &self.code.threads[thread];
        let mut seen = BitSet::new(code.nodes.len());
        let mut open = vec![code.entry];
        while let Some(at) = open.pop() {
            if seen.insert(at) {
                open.extend(code.nodes[at].step.nexts());
            }
        }
        seen.iter().filter(|at| code.nodes[*at].visible).collect()
    }

    /// Looks at one step from everywhere.
    fn steps<M: Anywhere>(
        &self,
        system: &System<'_, M>,
        thread: usize,
        node: usize,
        start: &State<M::State>,
        tried: &mut u64,
    ) -> Result<Option<Broken<M::State>>, StopReason> {
        let domain = self.domain(thread, node, system.memory.always_acquires());
        let choices = self.choices(thread, node);
        let limits: Vec<usize> = choices.iter().map(Choices::len).collect();
        let mut room = system.room();
        let mut state = start.clone();
        state.nodes[thread] = node as u16;
        let (mut found, mut stopped) = (None, None);
        let _ = system.memory.each(&domain, &mut |memory| {
            state.memory.clone_from(memory);
            each_choice(&limits, &mut |choice| {
                *tried += 1;
                if *tried > self.most_states {
                    let most = self.most_states;
                    let why = format!("the limit of {most} states was reached (option `max-states` N raises it)");
                    stopped = Some(StopReason::Refused(why));
                } else if tried.is_multiple_of(1 << 12) {
                    stopped = StopReason::of(self.cancel);
                }
                choices.iter().zip(choice).for_each(|(choices, at)| choices.make(*at, &mut state));
                if !self.given.iter().all(|given| given.holds(system, &state)) {
                    return if stopped.is_some() { ControlFlow::Break(()) } else { ControlFlow::Continue(()) };
                }
                system.thread_steps(&state, thread, 0, &mut room, &mut |step, after| {
                    if found.is_none() && !self.prop.holds(system, after) {
                        found = Some((step, after.clone(), state.clone()));
                    }
                });
                if found.is_some() || stopped.is_some() { ControlFlow::Break(()) } else { ControlFlow::Continue(()) }
            })
        });
        match (found, stopped) {
            (Some((step, after, before)), _) => Ok(Some(Broken { thread, domain, before, after, step })),
            (None, Some(why)) => Err(why),
            // Lists of writes may have been left out when the time was over.
            (None, None) => StopReason::of(self.cancel).map_or(Ok(None), Err),
        }
    }

    fn domain(&self, thread: usize, node: usize, always: bool) -> Domain {
        let code = &self.code.threads[thread];
        let vars: BTreeSet<usize> = self.looked_at.vars.iter().copied().chain(code.nodes[node].step.var()).collect();
        let threads: BTreeSet<usize> = self.looked_at.threads.iter().copied().chain([thread]).collect();
        let mut writes: Vec<BTreeSet<MayWrite>> = Vec::new();
        for var in &self.code.vars {
            writes.push(BTreeSet::from([MayWrite { value: var.init, releases: false, later: false }]));
        }
        let mut updated = vec![false; self.code.vars.len()];
        for step in self.code.threads.iter().flat_map(|thread| &thread.nodes).map(|node| &node.step) {
            let (var, value, releases) = match step {
                Step::Write { var, value, release, .. } => (*var, value, *release),
                Step::Update { var, new, order, .. } => {
                    updated[*var] = true;
                    (*var, new, order.order.releases())
                }
                _ => continue,
            };
            let values = match value {
                Word::Const(value) => BTreeSet::from([*value]),
                _ => self.values_of(self.code.vars[var].width),
            };
            writes[var].extend(values.into_iter().map(|value| MayWrite { value, releases, later: true }));
        }
        for (var, writes) in self.code.vars.iter().zip(&mut writes) {
            let initial = MayWrite { value: var.init, releases: false, later: false };
            // It is like one that may come later.
            if writes.contains(&MayWrite { later: true, ..initial }) {
                writes.remove(&initial);
            }
        }
        let acquired = match &code.nodes[node].step {
            Step::Read { var, acquire, .. } if *acquire || always => Some(*var),
            Step::Update { var, order, .. } if order.order.acquires() || order.fail_acquire || always => Some(*var),
            _ => None,
        };
        Domain {
            acquired,
            vars: vars.into_iter().collect(),
            writes: writes.into_iter().map(|writes| writes.into_iter().collect()).collect(),
            updated,
            threads: threads.into_iter().collect(),
            most: self.most,
            cancel: self.cancel.clone(),
        }
    }

    /// Program counters of others, and registers, that matter.
    fn choices(&self, thread: usize, node: usize) -> Vec<Choices> {
        let mut choices = Vec::new();
        for other in self.looked_at.counters.iter().filter(|other| **other != thread) {
            choices.push(Choices::Counter { thread: *other, nodes: self.rests(*other) });
        }
        let code = &self.code.threads[thread];
        let mut used = BTreeSet::new();
        for word in code.nodes.iter().flat_map(|node| node.step.words()) {
            word.visit_regs(&mut |reg| {
                used.insert(code.first_reg + reg);
            });
        }
        let dropped: BTreeSet<usize> =
            code.nodes[node].dropped.iter().map(|reg| code.first_reg + usize::from(*reg)).collect();
        let regs: BTreeSet<usize> = self.looked_at.registers.iter().chain(&used).copied().collect();
        for reg in regs.difference(&dropped) {
            let width = self.width(*reg);
            choices.push(Choices::Register { reg: *reg, values: self.values_of(width).into_iter().collect() });
        }
        choices
    }

    /// The thread of a register of all threads, and its number there.
    fn owner(&self, reg: usize) -> Option<(usize, usize)> {
        let of = self.code.threads.iter().rposition(|code| code.first_reg <= reg)?;
        Some((of, reg - self.code.threads[of].first_reg))
    }

    fn width(&self, reg: usize) -> u8 {
        self.owner(reg).map_or(64, |(of, own)| self.code.threads[of].widths[own])
    }

    fn told<M: Anywhere>(&self, system: &System<'_, M>, broken: &Broken<M::State>) -> Run {
        let Broken { thread, domain, before, after, step } = broken;
        let objects = domain.vars.iter().map(|var| self.code.vars[*var].object);
        let watched: Vec<_> = domain
            .threads
            .iter()
            .flat_map(|thread| objects.clone().map(|object| (ThreadId::from_usize(*thread), object)))
            .collect();
        let seen = |state: &State<M::State>| {
            watched.iter().map(|(thread, object)| replay::observed(system, state, *thread, *object)).collect::<Vec<_>>()
        };
        let label = |thread: usize| {
            let node = &self.code.threads[thread].nodes[usize::from(before.nodes[thread])];
            (ThreadId::from_usize(thread), node.label.clone())
        };
        let counters: BTreeSet<usize> = self.looked_at.counters.iter().copied().chain([*thread]).collect();
        let mut registers = Vec::new();
        for choice in self.choices(*thread, usize::from(before.nodes[*thread])) {
            if let Choices::Register { reg, .. } = choice
                && let Some((of, own)) = self.owner(reg)
            {
                let value = signed(before.regs[reg], self.width(reg));
                registers.push((ThreadId::from_usize(of), Reg::from_usize(own), value));
            }
        }
        let begin = Begin { places: counters.into_iter().map(label).collect(), registers };
        let steps = vec![replay::told(system, *step, before, seen(after))];
        Run { start: seen(before), watched, steps, waiting: Vec::new(), begin: Some(begin) }
    }
}

/// Something of a state that may be one or the other.
enum Choices {
    Counter { thread: usize, nodes: Vec<usize> },
    Register { reg: usize, values: Vec<u64> },
}

impl Choices {
    fn len(&self) -> usize {
        match self {
            Choices::Counter { nodes, .. } => nodes.len(),
            Choices::Register { values, .. } => values.len(),
        }
    }

    fn make<S>(&self, at: usize, state: &mut State<S>) {
        match self {
            Choices::Counter { thread, nodes } => state.nodes[*thread] = nodes[at] as u16,
            Choices::Register { reg, values } => state.regs[*reg] = values[at],
        }
    }
}

impl LookedAt {
    fn add(&mut self, code: &Code, prop: &Prop, values: &mut BTreeSet<u64>) {
        watched_threads(prop, &mut self.counters);
        let mut writes = BTreeSet::new();
        observed(prop, &mut writes);
        for (thread, object) in writes {
            self.threads.insert(thread.index());
            self.vars.extend(code.var_of(object));
        }
        prop.visit(&mut |part| {
            if let Prop::Compare { left, op, right } = part {
                // On both sides of a limit.
                let around = if matches!(op, Comparison::Eq | Comparison::Ne) { 0..=0 } else { -1..=1 };
                for term in [left, right] {
                    self.add_term(code, term, &around, values);
                }
            }
        });
    }

    fn add_term(&mut self, code: &Code, term: &Term, around: &RangeInclusive<i64>, values: &mut BTreeSet<u64>) {
        match term {
            Term::Int(value) => values.extend(around.clone().map(|by| value.wrapping_add(by) as u64)),
            Term::Reg(thread, reg) => {
                self.registers.insert(code.threads[thread.index()].first_reg + reg.index());
            }
            Term::Add(a, b) | Term::Sub(a, b) => {
                self.add_term(code, a, around, values);
                self.add_term(code, b, around, values);
            }
            Term::Value(_) | Term::Released(_) | Term::Covered(_) => {}
        }
    }
}
