//! Event-B as `CamilleX` writes it: what components declare, and that every name in a formula is one of these.

use super::{Formula, Reader};
use std::collections::{BTreeMap, BTreeSet};

/// A context or machine.
#[derive(Debug, Default)]
pub(crate) struct Component {
    pub(crate) name: String,
    /// After `extends`, `refines` and `sees`.
    pub(crate) uses: Vec<String>,
    /// Sets, constants and variables.
    pub(crate) declared: BTreeSet<String>,
    pub(crate) formulas: Vec<(String, Formula)>,
    pub(crate) events: BTreeMap<String, Event>,
}

#[derive(Debug, Default)]
pub(crate) struct Event {
    pub(crate) extends: Option<String>,
    pub(crate) parameters: BTreeSet<String>,
    pub(crate) guards: Vec<(String, Formula)>,
    /// The variable, and the formula of target and value.
    pub(crate) actions: Vec<(String, Formula, Formula)>,
}

const SIGNS: &[(&str, &str)] = &[
    ("⤖", ">->>"),
    ("→", "-->"),
    ("↔", "<->"),
    ("↦", "|->"),
    ("‥", ".."),
    ("≔", ":="),
    ("⇒", "=>"),
    ("≤", "<="),
    ("≥", ">="),
    ("⊆", "<:"),
    ("∉", "/:"),
    ("≠", "/="),
    ("∪", "\\/"),
    ("∩", "/\\"),
    ("×", "*"),
    ("▷", "|>"),
    ("∅", "{}"),
    ("∈", ":"),
    ("∧", "&"),
    ("∼", "~"),
    ("∖", "-"),
    ("−", "-"),
    ("∨", " or "),
    ("¬", "not"),
    ("ℕ", "NATURAL"),
    ("ℤ", "INTEGER"),
];

/// A formula in the letters of the keyboard.
fn plain(text: &str) -> String {
    let mut text = text.to_owned();
    for (sign, letters) in SIGNS {
        text = text.replace(sign, letters);
    }
    // Names after a quantifier are in parentheses in classical B.
    for (sign, letter) in [("∀", "!"), ("∃", "#")] {
        while let Some(at) = text.find(sign) {
            let dot = at + text[at..].find('·').expect("a quantifier has a dot");
            let names = text[at + sign.len()..dot].to_owned();
            text.replace_range(at..dot + '·'.len_utf8(), &format!("{letter}({names})."));
        }
    }
    assert!(text.is_ascii(), "{text}");
    text
}

impl Component {
    pub(crate) fn read(text: &str) -> Component {
        let mut component = Component::default();
        let mut section = String::new();
        let mut event: Option<String> = None;
        let lines =
            text.lines().map(|line| line.split("//").next().unwrap_or("").trim()).filter(|line| !line.is_empty());
        for line in lines {
            if let Some(labelled) = line.strip_prefix('@') {
                let (label, formula) = labelled.split_once(": ").expect("a label and a formula");
                component.labelled(&section, event.as_deref(), label, &plain(formula));
                continue;
            }
            let words: Vec<&str> = line.split_whitespace().collect();
            match (words[0], &mut event) {
                ("context" | "machine", None) => {
                    component.name = words[1].to_owned();
                    let uses = words[2..].iter().filter(|word| !["extends", "refines", "sees"].contains(word));
                    component.uses = uses.map(|word| (*word).to_owned()).collect();
                }
                ("sets" | "constants" | "variables" | "axioms" | "invariants" | "events", None) => {
                    section = words[0].to_owned();
                }
                ("event", none @ None) => {
                    let extends = words.get(3).map(|name| (*name).to_owned());
                    assert!(extends.is_none() || words[2] == "extends", "{line}");
                    let new = Event { extends, ..Event::default() };
                    let before = component.events.insert(words[1].to_owned(), new);
                    assert!(before.is_none(), "two events {}", words[1]);
                    *none = Some(words[1].to_owned());
                }
                ("any", Some(event)) => {
                    let event = component.events.get_mut(event).expect("it is there");
                    event.parameters.extend(words[1..].iter().map(|word| (*word).to_owned()));
                }
                ("where" | "then", Some(_)) => section = words[0].to_owned(),
                ("end", event) => *event = None,
                (_, None) if ["sets", "constants", "variables"].contains(&section.as_str()) => {
                    for word in words {
                        assert!(component.declared.insert(word.to_owned()), "{word} is declared twice");
                    }
                }
                _ => panic!("{line} in {section}"),
            }
        }
        component
    }

    fn labelled(&mut self, section: &str, event: Option<&str>, label: &str, formula: &str) {
        let event = event.map(|name| self.events.get_mut(name).expect("it is there"));
        match (section, event) {
            ("axioms" | "invariants", None) => self.formulas.push((label.to_owned(), Reader::whole(formula))),
            ("where", Some(event)) => event.guards.push((label.to_owned(), Reader::whole(formula))),
            ("then", Some(event)) => {
                let (target, value) = formula.split_once(":=").expect("an assignment");
                event.actions.push((label.to_owned(), Reader::whole(target), Reader::whole(value)));
            }
            other => panic!("{label} in {other:?}"),
        }
    }
}

/// Checks the files of a project, each after those that it uses.
pub(crate) fn check(components: &[Component]) {
    let mut known: BTreeMap<&str, &Component> = BTreeMap::new();
    for component in components {
        let used: Vec<&Component> = component.uses.iter().map(|name| known[name.as_str()]).collect();
        let mut names: BTreeSet<String> = component.declared.clone();
        let mut open = used.clone();
        let mut abstract_machine = None;
        while let Some(other) = open.pop() {
            assert!(component.declared.is_disjoint(&other.declared), "{} declares again", component.name);
            names.extend(other.declared.iter().cloned());
            open.extend(other.uses.iter().map(|name| known[name.as_str()]));
            abstract_machine = abstract_machine.or((!other.events.is_empty()).then_some(other));
        }
        let says = |formula: &Formula, more: &BTreeSet<String>| {
            let unknown: Vec<String> =
                formula.free().into_iter().filter(|n| !names.contains(n) && !more.contains(n)).collect();
            assert!(unknown.is_empty(), "{unknown:?} in {}: {formula:?}", component.name);
        };
        component.formulas.iter().for_each(|(_, formula)| says(formula, &BTreeSet::new()));
        no_second(component.formulas.iter().map(|(label, _)| label));
        for (name, event) in &component.events {
            let extended = event
                .extends
                .as_ref()
                .map(|extended| &abstract_machine.unwrap_or_else(|| panic!("{name} extends nothing")).events[extended]);
            let mut parameters = event.parameters.clone();
            parameters.extend(extended.iter().flat_map(|e| e.parameters.iter().cloned()));
            event.guards.iter().for_each(|(_, guard)| says(guard, &parameters));
            let labels = |event: &Event| {
                let actions = event.actions.iter().map(|(label, ..)| label.clone());
                event.guards.iter().map(|(label, _)| label.clone()).chain(actions).collect::<Vec<String>>()
            };
            let all = labels(event).into_iter().chain(extended.iter().flat_map(|e| labels(e)));
            no_second(all.collect::<Vec<_>>().iter());
            let mut written = BTreeSet::new();
            for (_, target, value) in event.actions.iter().chain(extended.iter().flat_map(|e| &e.actions)) {
                says(value, &parameters);
                let variable = match target {
                    Formula::Call(f, _) => f,
                    other => other,
                };
                assert!(written.insert(format!("{variable:?}")), "{name} sets {variable:?} twice");
            }
            for (_, target, _) in &event.actions {
                let Formula::Name(variable) = (match target {
                    Formula::Call(f, _) => f,
                    other => other,
                }) else {
                    panic!("{target:?}")
                };
                assert!(component.declared.contains(variable), "{name} sets {variable}, which is not its own");
            }
        }
        known.insert(&component.name, component);
    }
}

fn no_second<'a>(labels: impl Iterator<Item = &'a String>) {
    let mut seen = BTreeSet::new();
    labels.for_each(|label| assert!(seen.insert(label), "{label} is there twice"));
}
