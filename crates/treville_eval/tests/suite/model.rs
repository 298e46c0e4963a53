//! Models from text.

use treville_base::{Cancel, Name, SourceMap};
use treville_cat::{Loaded, parse_unit};
use treville_eval::{Extent, Judgement, Trace, judge};
use treville_event::{Graph, LockShape, RmwShape, Vocabulary};
use treville_model::{Model, link};

/// What the tests need of a standard library.
const LIBRARY: &str = r"
let emptyset = domain 0
let po-loc = po & loc
let rfe = rf & ext
let rfi = rf & int
let co0 = loc & ((IW * (W \ IW)) | ((W \ FW) * FW))
let fencerel(S) = po; [S]; po
let map f = let rec go S = match S with || {} -> {} || e ++ S -> f e ++ go S end in go
";

/// One order for each location, as the library of every CAT tool has it in some form.
const CROSS: &str = r"
let cross =
  let rec pick (done, acc, todo) = match todo with
  || {} -> acc ++ done
  || S ++ rest ->
    let rec each (done, S) = match S with
    || {} -> done
    || r ++ S -> each (pick (done, acc | r, rest), S)
    end in each (done, S)
  end in
  fun sets -> pick ({}, 0, sets)
let generate_orders (S, r) = cross (map (fun C -> linearisations(C, r)) (classes-loc S))
let generate_cos (r) = generate_orders (W, r)
";

const SETS: &str = "M R W F IW FW B BCC Rreg Wreg ADDR DATA X MFENCE LKR LKW UL LF Rcu-lock Rcu-unlock A L T";

pub(crate) fn vocabulary(variants: &[&str]) -> Vocabulary {
    Vocabulary {
        sets: SETS.split(' ').map(Name::new).collect(),
        empty: Default::default(),
        rmw: RmwShape::Pair,
        locks: LockShape::Opaque,
        registers: true,
        branches: true,
        po_inside: false,
        variants: variants.iter().map(|v| Name::new(v)).collect(),
    }
}

pub(crate) fn linked(text: &str) -> Model {
    linked_with(text, &[])
}

pub(crate) fn linked_with(text: &str, variants: &[&str]) -> Model {
    let load =
        |name: &str, _: &str| (name == "cross.cat").then(|| Loaded { name: name.to_owned(), text: CROSS.into() });
    let mut sources = SourceMap::new();
    let library = parse_unit("stdlib.cat", LIBRARY, &mut sources, &load).expect("the library parses");
    let unit = parse_unit("test.cat", text, &mut sources, &load).expect("the model parses");
    link(&[&library, &unit], &vocabulary(variants)).unwrap_or_else(|errors| panic!("{errors:#?}"))
}

pub(crate) fn judged(model: &Model, graph: &Graph) -> Vec<Judgement> {
    judge(model, graph, &Cancel::new()).unwrap_or_else(|stop| panic!("{stop:?}"))
}

/// Whether some completion is accepted.
pub(crate) fn accepted(model: &Model, graph: &Graph) -> bool {
    judged(model, graph).iter().any(|j| j.accepted)
}

/// The pairs of the relation called `name` (for a set, each member with itself).
pub(crate) fn pairs(model: &Model, graph: &Graph, name: &str) -> Vec<(usize, usize)> {
    let cancel = Cancel::new();
    let mut trace = Trace::new(model, graph, &[], &cancel);
    let value = trace.value(model.defs[name]).unwrap_or_else(|stop| panic!("{stop:?}"));
    match &*value {
        Extent::Set(s) => s.iter().map(|e| (e, e)).collect(),
        Extent::Rel(r) => r.iter().collect(),
    }
}

/// The members of the set called `name`.
pub(crate) fn members(model: &Model, graph: &Graph, name: &str) -> Vec<usize> {
    pairs(model, graph, name).into_iter().map(|(e, _)| e).collect()
}
