//! The memories under a program, as abstract machines: release-acquire C11 by graphs (Doherty, Dongol, Wehrheim and Derrick,
//! PPoPP 2019, as in Dalvandi and Dongol, `FTfJP` 2019), and one value for each variable.
//!
//! Both have events `read`, `write` and `update` with the parameters `t`, `x`, `k` (the kind of the access), `n` and `m`
//! (values), and variables `var`, `wrval`, `kind`, `OW` and `CW`; a program needs no more, and so does not notice which is
//! under it.
//!
//! Where the published text is loose: kinds are chosen when an access is made, and are no partition of `ACT` (a tool that
//! runs the machine would have to guess it beforehand); updates are among the writes that release and the reads that
//! acquire; writes and updates do not observe covered writes. `hb`, `EW`, `OW` and `CW` are variables that each event keeps up
//! to date, since Event-B has no closure; invariants say what they are. `eco` needs none: it is
//! `rf ∪ (mo ∪ fr); rf?` by the atomicity of updates. `fr` without the identity has the same encountered writes as with it.

use super::parts::{Component, Event, Labelled, labelled};

/// The memory that a program is exported over.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum ExportedMemory {
    /// Release-acquire-relaxed C11.
    Rar,
    /// One value for each variable.
    Sequential,
}

/// Kinds of accesses: reads, writes and updates, each relaxed (X), acquire (A), release (R) or both.
pub(super) const KINDS: &[&str] = &["Rd_X", "Rd_A", "Wr_X", "Wr_R", "U_X", "U_A", "U_R", "U_RA"];

/// Sets of kinds.
pub(super) const KIND_SETS: &[(&str, &str)] = &[
    ("U", "{U_X, U_A, U_R, U_RA}"),
    ("Rd", "{Rd_X, Rd_A, U_X, U_A, U_R, U_RA}"),
    ("Wr", "{Wr_X, Wr_R, U_X, U_A, U_R, U_RA}"),
    ("Acq", "{Rd_A, U_A, U_RA}"),
    ("Rel", "{Wr_R, U_R, U_RA}"),
];

/// The guard that an access is new; classical B names it instead.
pub(super) const FRESH: (&str, &str) = ("new", "e : ACT \\ D");

/// Whose past an access has, if it synchronises with the write that it observes or not.
const PAST: (&str, &str) = ("past", "p = tid~[{t, t0}]");
const PAST_AND_SOURCE: (&str, &str) = ("past", "p = tid~[{t, t0}] \\/ ((kind~[Rel] ** Acq)~[{k}] /\\ {w})");

/// What its thread has then encountered: `a` are the accesses before it and the writes that they read, `q` the writes.
const ALL_PAST: (&str, &str) = ("all_past", "a = (p \\/ hb~[p]) \\/ (rf~[p \\/ hb~[p]] \\/ {w})");
const ENCOUNTERED: (&str, &str) = ("encountered", "q = kind~[Wr] /\\ (a \\/ mo~[a])");

const THREAD: (&str, &str) = ("thread", "t : T \\ {t0}");
const VARIABLE: (&str, &str) = ("variable", "var(w) = x");
const OBSERVABLE: (&str, &str) = ("observable", "w : OW[{t}]");
const FREE: (&str, &str) = ("observable", "w : OW[{t}] \\ CW");

/// What every access of the graph does.
const ACTIONS: &[(&str, &str)] = &[
    ("D", "D \\/ {e}"),
    ("kind", "kind \\/ {e |-> k}"),
    ("tid", "tid \\/ {e |-> t}"),
    ("var", "var \\/ {e |-> x}"),
    ("sb", "sb \\/ (tid~[{t, t0}] ** {e})"),
    ("hb", "hb \\/ ((p \\/ hb~[p]) ** {e})"),
];

/// What every write of the graph does.
const WRITES: &[(&str, &str)] = &[
    ("wrval", "wrval \\/ {e |-> n}"),
    ("mo", "mo \\/ (((mo~[{w}] \\/ {w}) ** {e}) \\/ ({e} ** mo[{w}]))"),
    ("EW", "EW \\/ (({t} ** (q \\/ {e})) \\/ (EW~[mo[{w}]] ** {e}))"),
    ("OW", "(OW \\ ({t} ** (mo~[q] \\/ {w}))) \\/ (OW~[{w}] ** {e})"),
];

impl ExportedMemory {
    pub(super) fn machine(self) -> Component {
        match self {
            ExportedMemory::Rar => rar(),
            ExportedMemory::Sequential => sequential(),
        }
    }

    /// What it is, for people.
    pub(super) fn about(self) -> &'static str {
        match self {
            ExportedMemory::Rar => "Release-acquire-relaxed C11 memory, as a graph of accesses.",
            ExportedMemory::Sequential => "Sequentially consistent memory: one value for each variable.",
        }
    }
}

fn event(name: &str, parameters: &[&'static str], guards: &[(&str, &str)], actions: &[&[(&str, &str)]]) -> Event {
    let actions: Vec<Labelled> = actions.iter().flat_map(|part| labelled(part)).collect();
    Event {
        name: name.to_owned(),
        parameters: parameters.to_vec(),
        guards: labelled(guards),
        actions,
        ..Event::default()
    }
}

fn variables(initial: &[(&str, &str)]) -> Vec<String> {
    initial.iter().map(|(variable, _)| (*variable).to_owned()).collect()
}

fn rar() -> Component {
    let initial = [
        ("D", "I"),
        ("kind", "I ** {Wr_X}"),
        ("tid", "I ** {t0}"),
        ("var", "init_var"),
        ("rdval", "{}"),
        ("wrval", "(init_var ; init_val)"),
        ("sb", "{}"),
        ("rf", "{}"),
        ("mo", "{}"),
        ("hb", "{}"),
        ("EW", "{}"),
        ("OW", "(T \\ {t0}) ** I"),
        ("CW", "{}"),
    ];
    let invariants = [
        ("D", "D <: ACT"),
        ("kind", "kind : D --> KIND"),
        ("tid", "tid : D --> T"),
        ("var", "var : D --> VAR"),
        ("rdval", "rdval : kind~[Rd] --> VAL"),
        ("wrval", "wrval : kind~[Wr] --> VAL"),
        ("sb", "sb : D <-> D"),
        ("rf", "rf : kind~[Wr] <-> kind~[Rd]"),
        ("mo", "mo : kind~[Wr] <-> kind~[Wr]"),
        ("hb", "hb : D <-> D"),
        ("sb_in_hb", "sb <: hb"),
        ("sw_in_hb", "(rf /\\ (kind~[Rel] ** kind~[Acq])) <: hb"),
        ("hb_closed", "(hb ; hb) <: hb"),
        ("EW_type", "EW : T <-> kind~[Wr]"),
        ("OW_type", "OW : T <-> kind~[Wr]"),
        (
            "EW",
            "!t,s,a.((t : T \\ {t0} & s = tid~[{t}] \\/ hb~[tid~[{t}]] & a = s \\/ rf~[s]) => \
             EW[{t}] = kind~[Wr] /\\ (a \\/ (mo~[a] \\/ rf[mo~[a]])))",
        ),
        ("OW", "!t.(t : T \\ {t0} => OW[{t}] = kind~[Wr] \\ mo~[EW[{t}]])"),
        ("CW", "CW = dom(rf |> kind~[U])"),
    ];
    let read = [
        FRESH,
        THREAD,
        ("access", "k : {Rd_X, Rd_A}"),
        OBSERVABLE,
        VARIABLE,
        ("value", "n = wrval(w)"),
        PAST_AND_SOURCE,
        ALL_PAST,
        ENCOUNTERED,
    ];
    let write = [
        FRESH,
        THREAD,
        ("access", "k : {Wr_X, Wr_R}"),
        FREE,
        VARIABLE,
        ("value", "n : VAL"),
        PAST,
        ALL_PAST,
        ENCOUNTERED,
    ];
    let update = [
        FRESH,
        THREAD,
        ("access", "k : U"),
        FREE,
        VARIABLE,
        ("old_value", "m = wrval(w)"),
        ("value", "n : VAL"),
        PAST_AND_SOURCE,
        ALL_PAST,
        ENCOUNTERED,
    ];
    let reads = |value| [("rdval", value), ("rf", "rf \\/ {w |-> e}")];
    let seen = [("EW", "EW \\/ ({t} ** q)"), ("OW", "OW \\ ({t} ** mo~[q])")];
    let covers = [("CW", "CW \\/ {w}")];
    let parameters = ["e", "t", "x", "k", "n", "w", "p", "a", "q"];
    let with_old = ["e", "t", "x", "k", "m", "n", "w", "p", "a", "q"];
    Component {
        variables: variables(&initial),
        invariants: labelled(&invariants),
        initial: labelled(&initial),
        events: vec![
            event("read", &parameters, &read, &[ACTIONS, &reads("rdval \\/ {e |-> n}"), &seen]),
            event("write", &parameters, &write, &[ACTIONS, WRITES]),
            event("update", &with_old, &update, &[ACTIONS, &reads("rdval \\/ {e |-> m}"), WRITES, &covers]),
        ],
    }
}

fn sequential() -> Component {
    let initial = [
        ("M", "init_val"),
        ("D", "I"),
        ("kind", "I ** {Wr_X}"),
        ("tid", "I ** {t0}"),
        ("var", "init_var"),
        ("wrval", "(init_var ; init_val)"),
        ("OW", "(T \\ {t0}) ** I"),
        ("CW", "{}"),
    ];
    let invariants = [
        ("M", "M : VAR --> VAL"),
        ("D", "D <: ACT"),
        ("kind", "kind : D --> Wr"),
        ("tid", "tid : D --> T"),
        ("var", "var : D --> VAR"),
        ("wrval", "wrval : D --> VAL"),
        ("OW_type", "OW : T <-> D"),
        ("CW", "CW <: D"),
        ("OW", "!w.(w : OW[T] => wrval(w) = M(var(w)))"),
    ];
    let read = [THREAD, ("variable", "x : VAR"), ("access", "k : {Rd_X, Rd_A}"), ("value", "n = M(x)")];
    let write = [FRESH, THREAD, ("variable", "x : VAR"), ("access", "k : {Wr_X, Wr_R}"), ("value", "n : VAL")];
    let update =
        [FRESH, THREAD, ("variable", "x : VAR"), ("access", "k : U"), ("old_value", "m = M(x)"), ("value", "n : VAL")];
    // Reads leave no trace, so that a loop that waits comes back to the same state.
    let writes = [
        ("M(x)", "n"),
        ("D", "D \\/ {e}"),
        ("kind", "kind \\/ {e |-> k}"),
        ("tid", "tid \\/ {e |-> t}"),
        ("var", "var \\/ {e |-> x}"),
        ("wrval", "wrval \\/ {e |-> n}"),
        ("OW", "(OW \\ (T ** var~[{x}])) \\/ ((T \\ {t0}) ** {e})"),
    ];
    let covers = [("CW", "CW \\/ (OW[T] /\\ var~[{x}])")];
    Component {
        variables: variables(&initial),
        invariants: labelled(&invariants),
        initial: labelled(&initial),
        events: vec![
            event("read", &["t", "x", "k", "n"], &read, &[]),
            event("write", &["e", "t", "x", "k", "n"], &write, &[&writes]),
            event("update", &["e", "t", "x", "k", "m", "n"], &update, &[&writes, &covers]),
        ],
    }
}
