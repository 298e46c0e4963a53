//! A run that somebody goes through step by step.

use crate::memory::Memory;
use crate::props::Check;
use crate::replay::{observed_as, told};
use crate::system::{Move, State, System};
use treville_base::Idx;
use treville_ir::{Aware, Program, Reg, ThreadId};
use treville_task::{Command, Known, Moment, Placed, RunStep};

/// Goes on until somebody quits. `invariants` are said where they do not hold; `encounters` if the memory knows what threads
/// have encountered.
pub(crate) fn step_through<M: Memory>(
    system: &System<'_, M>,
    program: &Program,
    invariants: &[Check],
    encounters: bool,
    choose: &mut dyn FnMut(&Moment) -> Command,
) {
    let mut room = system.room();
    let mut path: Vec<State<M::State>> = vec![system.initial(&mut room)];
    let mut taken: Vec<RunStep> = Vec::new();
    while let Some(state) = path.last() {
        let mut nexts: Vec<(Move, State<M::State>)> = Vec::new();
        room.cut = false;
        system.steps(state, path.len() as u32, &mut room, &mut |step, after| nexts.push((step, after.clone())));
        let steps: Vec<RunStep> = nexts.iter().map(|(step, _)| told(system, *step, state, Vec::new())).collect();
        let broken = |(_, check): &(usize, &Check)| !check.holds(system, state);
        let moment = Moment {
            taken: taken.clone(),
            threads: threads(system, program, state),
            known: known(system, state, encounters),
            broken: invariants.iter().enumerate().filter(broken).map(|(i, _)| i).collect(),
            steps,
            cut: room.cut,
        };
        match choose(&moment) {
            Command::Take(at) => {
                if let (Some((_, after)), Some(step)) = (nexts.get(at), moment.steps.get(at)) {
                    taken.push(step.clone());
                    path.push(after.clone());
                }
            }
            Command::Back => {
                if taken.pop().is_some() {
                    path.pop();
                }
            }
            Command::Quit => return,
        }
    }
}

fn threads<M: Memory>(system: &System<'_, M>, program: &Program, state: &State<M::State>) -> Vec<Placed> {
    let mut placed = Vec::new();
    for (id, code) in system.code.threads.iter().enumerate() {
        let thread = ThreadId::from_usize(id);
        let names = &program.funcs[program.roots[thread].func].regs;
        let value = |reg: Reg| crate::code::signed(state.regs[code.first_reg + reg.index()], code.widths[reg.index()]);
        let named = names.iter_enumerated().filter(|(_, info)| !info.is_temporary());
        let registers = named.map(|(reg, _)| (reg, value(reg))).collect();
        let label = code.nodes[usize::from(state.nodes[id])].label.clone();
        placed.push(Placed { thread, label, registers });
    }
    placed
}

fn known<M: Memory>(system: &System<'_, M>, state: &State<M::State>, encounters: bool) -> Vec<Known> {
    let mut known = Vec::new();
    for thread in (0..system.code.threads.len()).map(ThreadId::from_usize) {
        for object in system.code.vars.iter().map(|var| var.object) {
            let aware = |how| observed_as(system, state, thread, object, how);
            let encountered = encounters.then(|| aware(Aware::Encountered));
            known.push(Known { thread, object, encountered, observable: aware(Aware::Observable) });
        }
    }
    known
}
