//! Final states as the field's reference tool prints them: `0:EAX=0; [x]=2;`, arrays as `a={1,2};`.

use std::cmp::Ordering;
use treville_ir::{Observable, Place, Program, Question};
use treville_task::{FinalState, FinalValue};
use treville_term::Bv;

/// `name=value; …` for each observed place.
pub fn show_state(program: &Program, question: &Question, values: &[FinalValue]) -> String {
    let items = state_items(program, question, values);
    items.iter().map(|(name, value)| format!("{name}={value};")).collect::<Vec<_>>().join(" ")
}

/// Each observed place with its value.
pub fn state_items(program: &Program, question: &Question, values: &[FinalValue]) -> Vec<(String, String)> {
    let shown = |(o, v): (&Observable, &FinalValue)| (o.name.clone(), show_final(program, o, v));
    question.observed.iter().zip(values).map(shown).collect()
}

fn show_final(program: &Program, observable: &Observable, value: &FinalValue) -> String {
    let elements: Vec<String> = value.iter().map(|v| program.show_value(*v, observable.ty)).collect();
    match observable.place {
        Place::Array { .. } => format!("{{{}}}", elements.join(",")),
        Place::Reg(..) | Place::Mem { .. } => elements.join(","),
    }
}

/// States in the order of the reference tool: place by place, numbers as signed numbers and before addresses, addresses by name.
pub(crate) fn sorted<'a>(program: &Program, states: &'a [FinalState]) -> Vec<&'a FinalState> {
    let mut sorted: Vec<&FinalState> = states.iter().collect();
    sorted.sort_by(|a, b| compare(program, &a.values, &b.values));
    sorted
}

fn compare(program: &Program, a: &[FinalValue], b: &[FinalValue]) -> Ordering {
    let values = a.iter().flatten().zip(b.iter().flatten());
    values.map(|(a, b)| key(program, *a).cmp(&key(program, *b))).find(|o| o.is_ne()).unwrap_or(Ordering::Equal)
}

fn key(program: &Program, value: Bv) -> (Option<String>, i128) {
    let address = (value.width() >= 32).then(|| program.show_address(value.unsigned() as u64)).flatten();
    (address, value.signed())
}
