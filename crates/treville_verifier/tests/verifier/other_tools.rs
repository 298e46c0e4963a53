//! Models in the ways of other tools: their standard libraries, trees of scopes, orders of sets of events, variants.

use treville_verifier::base::Cancel;
use treville_verifier::task::{Report, Silent, VerdictKind};
use treville_verifier::{MemoryFiles, ModelOptions, Options, RunOptions, Session, States};

const TEXTS: &[(&str, &str)] = &[
    // Fences order for those who share their scope.
    ("scoped.bell", "enum scopes = 'near || 'far\ninstructions R[{}]\ninstructions W[{}]\ninstructions F[scopes]\n"),
    (
        "scoped.cat",
        "include \"cos.cat\"\n\
         let fenced(s) = fencerel(tag2events(s)) | ((rf | co | fr) & tag2scope(s))\n\
         acyclic po-loc | rf | co | fr as coherence\n\
         acyclic fenced('near) as near\n\
         acyclic fenced('far) as far\n",
    ),
    (
        "near.litmus",
        "LISA near\n{}\n P0 | P1 ;\n w[] x 1 | r[] r1 y ;\n f[near] | f[near] ;\n w[] y 1 | r[] r70001 x ;\n\
        scopes: (far (near P0 P1))\nexists (1:r1=1 /\\ 1:r70001=0)\n",
    ),
    (
        "apart.litmus",
        "LISA apart\n{}\n P0 | P1 ;\n w[] x 1 | r[] r1 y ;\n f[near] | f[near] ;\n w[] y 1 | r[] r2 x ;\n\
        scopes: (far (near P0) (near P1))\nexists (1:r1=1 /\\ 1:r2=0)\n",
    ),
    ("nowhere.litmus", "LISA nowhere\n{}\n P0 ;\n w[] x 1 ;\nforall (x=1)\n"),
    // A library that expects updates as pairs from the tool.
    ("pairs/stdlib.cat", "let rmw = amo | lxsx\nlet fr = rf^-1; co\nlet po-loc = po & loc\nlet bad = UB\n"),
    (
        "pairs/atomic.cat",
        "acyclic po-loc | rf | co | fr as coherence\nempty rmw & (fr; co) as atomicity\n\
         flag ~empty rmw as has-pairs\n",
    ),
    // The kernel's annotations, for a test that has none of them.
    ("pairs/linux-kernel.cat", "acyclic po-loc | rf | co | fr as coherence\nempty [ONCE]; rcu-rscs; [MB] as kernel\n"),
    ("plain.litmus", "C plain\n{}\nP0(int* x) { *x = 1; }\nforall (x=1)\n"),
    // A library that says what such pairs are: there are none where an update is one event.
    ("fused/stdlib.cat", "let po-loc = po & loc\nlet amo = [R & X]; (same-instance & loc) \\ id; [W & X]\n"),
    (
        "fused/atomic.cat",
        "let fr = (rf^-1; co) \\ id\nacyclic po-loc | rf | co | fr as coherence\nflag ~empty amo as has-pairs\n\
         flag ~empty R & W as has-updates\n",
    ),
    (
        "twice.litmus",
        "C twice\n{}\nP0(atomic_int* x) { int r0 = atomic_fetch_add_explicit(x, 1, memory_order_relaxed); }\n\
        P1(atomic_int* x) { int r0 = atomic_fetch_add_explicit(x, 1, memory_order_relaxed); }\nforall (x=2)\n",
    ),
    // Sequential consistency by one order of the locations' accesses, each access a set of its own.
    (
        "classes.cat",
        "include \"cos.cat\"\nlet all = classes(M * M & id)\nwith order from linearisations(all, lift(all, po))\n\
         let total = delift(order)\nempty (rf | co | fr) \\ total as memory\n",
    ),
    (
        "sb.litmus",
        "X86 sb\n{ x=0; y=0; }\n P0 | P1 ;\n MOV [x],$1 | MOV [y],$1 ;\n MOV EAX,[y] | MOV EAX,[x] ;\n\
        exists (0:EAX=0 /\\ 1:EAX=0)\n",
    ),
    // The same instruction in two rounds.
    ("rounds.cat", "include \"cos.cat\"\nflag ~empty (same-static \\ id) & (R * R) as again\n"),
    (
        "loop.litmus",
        "AArch64 loop\n{ x=1; 0:X0=x; 1:X0=x; }\n P0 | P1 ;\n L0: | STR WZR,[X0] ;\n LDR W1,[X0] | ;\n CBNZ W1,L0 | ;\n\
         forall (0:X1=0)\n",
    ),
];

fn files() -> MemoryFiles {
    let mut files = MemoryFiles::default();
    files.0.extend(TEXTS.iter().map(|(name, text)| ((*name).to_owned(), (*text).to_owned())));
    files
}

fn model(name: &str, bell: Option<&str>) -> ModelOptions {
    ModelOptions { name: Some(name.to_owned()), bell: bell.map(str::to_owned), ..ModelOptions::default() }
}

fn verify(path: &str, model: ModelOptions) -> Report {
    let options = Options { model, run: RunOptions { states: States::Listed, ..RunOptions::default() } };
    Session::new(&files(), Cancel::new()).verify(path, &options, &Silent)
}

/// The verdict and the flags.
fn answer(path: &str, model: ModelOptions) -> (VerdictKind, Vec<String>) {
    let report = verify(path, model);
    match &report.result {
        Ok(found) => (report.verdict(), found.outcome.flags.keys().map(ToString::to_string).collect()),
        Err(failure) => panic!("{path}: {}", failure.reason),
    }
}

#[test]
fn threads_that_share_a_scope_see_its_fences() {
    let scoped = || model("scoped.cat", Some("scoped.bell"));
    assert_eq!(answer("near.litmus", scoped()).0, VerdictKind::No);
    assert_eq!(answer("apart.litmus", scoped()).0, VerdictKind::Yes);
    let reason = verify("nowhere.litmus", scoped()).reason().unwrap_or_default();
    assert!(reason.contains("no scope 'near"), "{reason}");
}

#[test]
fn scopes_are_known_without_a_test() {
    let files = files();
    let checked = Session::new(&files, Cancel::new()).check_model(&model("scoped.cat", Some("scoped.bell")), None);
    assert_eq!(checked.map(|c| c.axioms).map_err(|failure| failure.reason), Ok(3));
}

#[test]
fn the_library_decides_what_an_update_is() {
    let flags = |name: &str| answer("twice.litmus", model(name, None));
    assert_eq!(flags("pairs/atomic.cat"), (VerdictKind::Yes, vec!["has-pairs".to_owned()]));
    assert_eq!(flags("fused/atomic.cat"), (VerdictKind::Yes, vec!["has-updates".to_owned()]));
}

#[test]
fn a_test_without_annotations_can_be_one_of_the_kernel() {
    assert_eq!(answer("plain.litmus", model("pairs/linux-kernel.cat", None)).0, VerdictKind::Yes);
}

#[test]
fn orders_of_sets_of_events_can_be_picked() {
    assert_eq!(answer("sb.litmus", model("classes.cat", None)).0, VerdictKind::No);
}

#[test]
fn rounds_of_a_loop_repeat_its_events() {
    assert_eq!(answer("loop.litmus", model("rounds.cat", None)).1, ["again"]);
}

#[test]
fn variants_that_ask_for_other_executions_are_refused() {
    let with = |variant: &str| ModelOptions { variants: vec![variant.to_owned()], ..model("tso", None) };
    assert_eq!(answer("sb.litmus", with("memtag")).0, VerdictKind::Yes);
    let reason = verify("sb.litmus", with("Deps")).reason().unwrap_or_default();
    assert!(reason.starts_with("the variant `deps` is not supported"), "{reason}");
}
