//! An engine beside the definition: the same verdict, states, counts of executions, flags; and witnesses that hold.

use crate::Linked;
use std::fmt::Write;
use treville_base::{Cancel, Idx};
use treville_eval::judge;
use treville_event::{Cell, EventId};
use treville_ir::{Observable, Place, Program, Question};
use treville_task::{
    Answer, Engine, FinalState, FinalValue, Goal, Observation, Outcome, Query, Silent, Task, Verdict, Witness,
};

/// What a run says that does not depend on how it was found.
#[derive(Clone, PartialEq, Debug)]
pub struct Findings {
    pub verdict: Verdict,
    pub observation: Option<Observation>,
    pub states: Vec<FinalState>,
    /// If they are counted.
    pub executions: Option<u64>,
    pub positive: Option<u64>,
    /// With how many executions raise them.
    pub flags: Vec<(String, u64)>,
    pub undefined: bool,
    pub cut: bool,
    pub stopped: Option<String>,
}

impl Findings {
    pub fn of(question: &Question, outcome: &Outcome) -> Self {
        let mut states = outcome.states.clone().unwrap_or_default();
        states.sort_by(|a, b| a.values.cmp(&b.values));
        Findings {
            verdict: Verdict::of(question.quantifier, outcome),
            observation: Observation::of(outcome),
            states,
            executions: outcome.counts.map(|counts| counts.executions),
            positive: outcome.counts.map(|counts| counts.positive),
            flags: outcome.flags.iter().map(|(name, n)| (name.to_string(), *n)).collect(),
            undefined: outcome.undefined,
            cut: outcome.cut,
            stopped: outcome.stopped.as_ref().map(ToString::to_string),
        }
    }

    /// The same without counts.
    #[must_use]
    pub fn uncounted(mut self) -> Self {
        self.executions = None;
        self.positive = None;
        self.states.iter_mut().for_each(|state| state.executions = 0);
        self.flags.iter_mut().for_each(|(_, n)| *n = 0);
        self
    }

    /// For people: a line for each state with its executions, and the rest.
    pub fn show(&self, program: &Program, question: &Question) -> String {
        let mut text = format!("{:?}", self.verdict);
        if let (Some(executions), Some(positive)) = (self.executions, self.positive) {
            let _ = write!(text, ", {executions} executions, {positive} positive");
        }
        if !self.flags.is_empty() || self.undefined {
            let _ = write!(text, ", flags {:?}, undefined {}", self.flags, self.undefined);
        }
        if self.cut || self.stopped.is_some() {
            let _ = write!(text, ", cut {}, stopped {:?}", self.cut, self.stopped);
        }
        text.push('\n');
        for state in &self.states {
            let _ = writeln!(text, "{:>6} {}", state.executions, show_state(program, question, &state.values));
        }
        text
    }
}

/// A state as tests write it: `0:r1=1; [x]=2;`.
pub fn show_state(program: &Program, question: &Question, values: &[FinalValue]) -> String {
    let show = |(place, values): (&Observable, &FinalValue)| {
        let shown: Vec<String> = values.iter().map(|v| program.show_value(*v, place.ty)).collect();
        match place.place {
            Place::Array { .. } => format!("{}={{{}}};", place.name, shown.join(",")),
            _ => format!("{}={};", place.name, shown.concat()),
        }
    };
    question.observed.iter().zip(values).map(show).collect::<Vec<_>>().join(" ")
}

/// Runs an engine on a task and the definition on another: the same program, perhaps under a model that was linked with
/// less knowledge. Says what differs.
///
/// # Errors
/// The difference, with both findings, or what is wrong with a witness.
pub fn compare(
    fast: &dyn Engine,
    plain: &dyn Engine,
    task: &Task,
    reference: &Task,
    linked: &Linked,
) -> Result<Findings, String> {
    let question = task.question.as_deref().ok_or("a task without a question")?;
    let outcome = fast.run(task, &Silent);
    let mut found = Findings::of(question, &outcome);
    let mut expected = Findings::of(question, &plain.run(reference, &Silent));
    if found.executions.is_none() {
        (found, expected) = (found.uncounted(), expected.uncounted());
    }
    if found != expected {
        let show = |findings: &Findings| findings.show(&task.program, question);
        return Err(format!("{} says:\n{}plain says:\n{}", fast.info().name, show(&found), show(&expected)));
    }
    for (query, answer) in task.queries.iter().zip(&outcome.answers) {
        if let Answer::Found(witness) = answer {
            check_witness(linked, task, &outcome, query, witness).map_err(|why| format!("witness: {why}"))?;
        }
    }
    // The same answers if nobody asks for states.
    let answers = fast.run(&Task { states: false, ..task.clone() }, &Silent).answers;
    let is_found = |answer: &Answer| matches!(answer, Answer::Found(_));
    if !answers.iter().map(is_found).eq(outcome.answers.iter().map(is_found)) {
        return Err(format!("{} answers otherwise if states are not listed", fast.info().name));
    }
    Ok(found)
}

/// A witness is accepted by the reference evaluator, and shows a state that was found and that the query asks for.
fn check_witness(
    linked: &Linked,
    task: &Task,
    outcome: &Outcome,
    query: &Query,
    witness: &Witness,
) -> Result<(), String> {
    let question = task.question.as_deref().ok_or("a task without a question")?;
    let judged = judge(&linked.model, &witness.graph, &Cancel::new()).map_err(|stop| format!("{stop:?}"))?;
    if !judged.iter().any(|j| j.accepted) {
        return Err("no way to complete it is accepted by the model".into());
    }
    let states = outcome.states.as_deref().unwrap_or_default();
    let Some(state) = states.iter().find(|s| s.values == witness.state) else {
        return Err(format!("its state {:?} is not among those found", witness.state));
    };
    let Goal::Final { condition, .. } = &query.goal else { return Ok(()) };
    if (*condition == question.condition) != state.holds {
        return Err("its state is not what the query asks for".into());
    }
    final_values(&task.program, question, witness)
}

/// The last writes of the graph hold what the state says of memory.
fn final_values(program: &Program, question: &Question, witness: &Witness) -> Result<(), String> {
    let events = &witness.graph.skeleton.events;
    for (observed, values) in question.observed.iter().zip(&witness.state) {
        let Place::Mem { object, offset, size } = observed.place else { continue };
        let cell = Some(Cell { address: program.objects[object].address + offset, size });
        let mut last = witness.graph.finals.iter().map(|e| &events[EventId::from_usize(e)]).filter(|e| e.cell == cell);
        if last.any(|e| e.written.as_ref() != values.first()) {
            return Err(format!("the final write of {} has another value", observed.name));
        }
    }
    Ok(())
}
