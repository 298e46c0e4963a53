//! What machines in B are made of, whichever B it is.

/// A formula with its label.
pub(super) type Labelled = (String, String);

#[derive(Clone, Debug, Default)]
pub(super) struct Component {
    pub(super) variables: Vec<String>,
    pub(super) invariants: Vec<Labelled>,
    /// New values, by variable.
    pub(super) initial: Vec<Labelled>,
    pub(super) events: Vec<Event>,
}

#[derive(Clone, Debug, Default)]
pub(super) struct Event {
    pub(super) name: String,
    /// For people.
    pub(super) comment: Option<String>,
    /// The event of the memory that it is a case of.
    pub(super) extends: Option<&'static str>,
    pub(super) parameters: Vec<&'static str>,
    pub(super) guards: Vec<Labelled>,
    /// A variable, or a function at a place, with its new value.
    pub(super) actions: Vec<Labelled>,
}

pub(super) fn labelled(parts: &[(&str, &str)]) -> Vec<Labelled> {
    parts.iter().map(|(label, formula)| ((*label).to_owned(), (*formula).to_owned())).collect()
}
