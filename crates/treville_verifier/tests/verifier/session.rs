//! The library from outside: files in memory, real front ends, models and engines.

use treville_verifier::base::Cancel;
use treville_verifier::report::Explained;
use treville_verifier::task::{About, Report, Silent, VerdictKind};
use treville_verifier::{
    MemoryFiles, ModelOptions, Options, Registry, RunOptions, Session, ShowOptions, States, Which,
};

const SB: &str = include_str!("../../../../cases/guide/SB.litmus");
const MP: &str = include_str!("../../../../cases/guide/MP.litmus");

fn files() -> MemoryFiles {
    let mut files = MemoryFiles::default();
    files.0.insert("SB.litmus".into(), SB.into());
    files.0.insert("MP.litmus".into(), MP.into());
    files.0.insert("bad.litmus".into(), "X86 bad\n{}\n P0 ;\n MOVE ;\nexists (0:EAX=0)\n".into());
    files.0.insert("mine/own.cat".into(), "include \"part.cat\"\nacyclic po | com as order\n".into());
    files.0.insert("mine/part.cat".into(), "include \"cos.cat\"\nlet com = rf | co | fr\n".into());
    files.0.insert("broken.cat".into(), "let a = (po\nacyclic nothing\n".into());
    files
}

fn options(model: Option<&str>) -> Options {
    Options {
        model: ModelOptions { name: model.map(str::to_owned), ..ModelOptions::default() },
        run: RunOptions { states: States::Listed, ..RunOptions::default() },
    }
}

fn verify(path: &str, options: &Options) -> Report {
    Session::new(&files(), Cancel::new()).verify(path, options, &Silent)
}

#[test]
fn the_model_decides() {
    assert_eq!(verify("SB.litmus", &options(None)).verdict(), VerdictKind::Yes);
    assert_eq!(verify("SB.litmus", &options(None)).model, "tso");
    assert_eq!(verify("SB.litmus", &options(Some("sc"))).verdict(), VerdictKind::No);
    assert_eq!(verify("MP.litmus", &options(Some("rc11"))).verdict(), VerdictKind::Yes);
}

/// A weak compare-exchange that finds what it expects fails for no reason only if it is asked to; a strong one never does.
#[test]
fn weak_compare_exchanges_fail_on_request() {
    let mut files = files();
    for (name, kind) in [("weak.litmus", "weak"), ("strong.litmus", "strong")] {
        let text = format!(
            "C cas\n{{ x=0; e=0; }}\nP0(atomic_int *x, int *e) {{ int r0 = atomic_compare_exchange_{kind}(x, e, 1); }}\n\
             exists (0:r0=0)\n"
        );
        files.0.insert(name.into(), text);
    }
    let session = Session::new(&files, Cancel::new());
    let verdict = |name: &str, weak_cas: bool, engine: &str| {
        let mut options = options(Some("rc11"));
        options.run.weak_cas = weak_cas;
        options.run.engine = Some(engine.to_owned());
        session.verify(name, &options, &Silent).verdict()
    };
    for engine in ["enumerate", "plain", "explore"] {
        assert_eq!(verdict("weak.litmus", false, engine), VerdictKind::No, "{engine}");
        assert_eq!(verdict("weak.litmus", true, engine), VerdictKind::Yes, "{engine}");
        assert_eq!(verdict("strong.litmus", true, engine), VerdictKind::No, "{engine}");
    }
}

/// Tests of C and programs in .pts in one session: each has its own default, and under a machine both are compiled.
#[test]
fn programs_in_the_words_of_c_mean_what_machines_make_of_them() {
    let mut files = files();
    let c = "C LB\n{}\nP0(atomic_int *x, atomic_int *y) {\n  int r = atomic_load_explicit(x, memory_order_relaxed);\n  \
             atomic_store_explicit(y, 1, memory_order_relaxed);\n}\nP1(atomic_int *x, atomic_int *y) {\n  \
             int r = atomic_load_explicit(y, memory_order_relaxed);\n  atomic_store_explicit(x, 1, memory_order_relaxed);\n}\n\
             exists (0:r=1 /\\ 1:r=1)\n";
    let pts = "{x, y} thread t0 { r = x.load(_rx); y.store(_rx, 1); } thread t1 { r = y.load(_rx); x.store(_rx, 1); }\n\
               exists (0:r = 1 /\\ 1:r = 1)\n";
    files.0.insert("lb.litmus".into(), c.into());
    files.0.insert("lb.pts".into(), pts.into());
    files.0.insert("lock.litmus".into(), "C L\n{}\nP0(mtx_t *m) { mtx_lock(m); mtx_unlock(m); }\n".into());
    files.0.insert("fenced.cat".into(), "acyclic po-loc | rf | co | fr\nempty [MFENCE] as seen\n".into());
    files.0.insert("fenced.pts".into(), pts.replace("; y.", "; mfence; y."));
    let session = Session::new(&files, Cancel::new());
    let verify = |name: &str, model: Option<&str>| session.verify(name, &options(model), &Silent);
    for (model, allowed) in
        [("arm", true), ("aarch64", true), ("power", true), ("riscv", true), ("tso", false), ("sc", false)]
    {
        for name in ["lb.litmus", "lb.pts", "fenced.pts"] {
            let report = verify(name, Some(model));
            let expected = if allowed { VerdictKind::Yes } else { VerdictKind::No };
            assert_eq!(report.verdict(), expected, "{name} {model} {:?}", report.reason());
        }
    }
    assert_eq!((verify("lb.litmus", None).model, verify("lb.pts", None).model), ("c11".into(), "rc11".into()));
    assert_eq!(verify("lb.pts", None).verdict(), VerdictKind::No);
    assert!(verify("lock.litmus", Some("tso")).reason().is_some_and(|why| why.contains("locks")));
    assert!(verify("lb.pts", Some("linux-kernel")).reason().is_some_and(|why| why.contains("does not know")));
    // A model of the user sees fences of machines.
    assert_eq!(verify("lb.pts", Some("fenced.cat")).verdict(), VerdictKind::Yes);
    assert_eq!(verify("fenced.pts", Some("fenced.cat")).verdict(), VerdictKind::No);
}

#[test]
fn own_models_include_their_neighbours_and_the_library() {
    let report = verify("SB.litmus", &options(Some("mine/own.cat")));
    assert_eq!(report.verdict(), VerdictKind::No, "{:?}", report.reason());
}

#[test]
fn configurations_say_what_options_do_not() {
    let mut files = files();
    files.0.insert("conf/a.cfg".into(), "conf b.cfg\nunroll 5\nshowevents all\n".into());
    files.0.insert("conf/b.cfg".into(), "model own.cat\ninclude mine\n".into());
    files.0.insert("conf/refused.cfg".into(), "badflag race\n".into());
    files.0.insert("conf/loop.cfg".into(), "conf loop.cfg\n".into());
    let session = Session::new(&files, Cancel::new());
    let configured = |path: &str, mut options: Options| session.configure(path, &mut options).map(|()| options);
    let found = configured("conf/a.cfg", options(None)).map(|o| (o.model.name, o.model.include, o.run.bound));
    assert_eq!(found.ok(), Some((Some("own.cat".into()), vec!["mine".into(), "conf".into(), "conf".into()], Some(5))));
    let found = configured("conf/a.cfg", options(Some("sc")));
    assert_eq!(found.ok().and_then(|o| o.model.name).as_deref(), Some("sc"));
    assert!(configured("conf/refused.cfg", options(None)).is_err_and(|f| f.reason.contains("badflag")));
    assert!(configured("conf/loop.cfg", options(None)).is_err_and(|f| f.reason.contains("nest")));
    let mut with_model = options(None);
    assert!(session.configure("conf/a.cfg", &mut with_model).is_ok());
    assert_eq!(session.verify("SB.litmus", &with_model, &Silent).verdict(), VerdictKind::No);
}

#[test]
fn a_check_that_is_skipped_rejects_nothing() {
    let mut without = options(Some("sc"));
    without.model.skip_checks = vec!["sc".into()];
    assert_eq!(verify("SB.litmus", &without).verdict(), VerdictKind::Yes);
    without.model.skip_checks = vec!["nothing".into()];
    assert!(verify("SB.litmus", &without).reason().is_some_and(|r| r.contains("no check `nothing`")));
}

#[test]
fn wrong_inputs_have_a_place() {
    let position = |report: Report| report.result.err()?.position.map(|(file, at)| (file, at.line, at.column));
    let bad = verify("bad.litmus", &options(None));
    assert_eq!(bad.verdict(), VerdictKind::Error);
    assert_eq!(position(bad), Some(("bad.litmus".into(), 4, 2)));
    let broken = verify("SB.litmus", &options(Some("broken.cat")));
    assert!(position(broken).is_some_and(|(file, line, _)| file == "broken.cat" && line == 1));
}

#[test]
fn what_does_not_exist_is_said() {
    let reason = |path: &str, options: &Options| verify(path, options).reason().unwrap_or_default();
    assert_eq!(reason("none.litmus", &options(None)), "none.litmus: no such file");
    assert!(reason("SB.litmus", &options(Some("nonsense"))).starts_with("there is no bundled model `nonsense`"));
    assert_eq!(reason("SB.litmus", &options(Some("no.cat"))), "no.cat: no such file");
    let engine = |name: &str| {
        let mut options = options(None);
        options.run.engine = Some(name.into());
        reason("SB.litmus", &options)
    };
    assert!(engine("abstract").ends_with("it proves programs on remote memory (.rma) only"));
    assert!(engine("magic").starts_with("there is no engine magic"));
    assert!(reason("SB.litmus", &options(Some("rc11"))).contains("does not know"));
}

#[test]
fn engines_check_each_other() {
    for path in ["SB.litmus", "MP.litmus"] {
        let mut options = options(None);
        options.run.cross_check = Some("plain".into());
        let report = verify(path, &options);
        assert!(
            matches!(report.finding().map(|found| &found.about), Some(About::Test(_))),
            "{path}: {:?}",
            report.reason()
        );
    }
}

#[test]
fn a_forbidden_outcome_has_an_axiom_and_a_cycle() {
    let files = files();
    let session = Session::new(&files, Cancel::new());
    let explained = session.explain("SB.litmus", None, false, &options(Some("sc"))).map(|e| e.answer);
    let Ok(Explained::Forbidden { candidates: 1, reasons, incoherent: None, unseen: None }) = explained else {
        panic!("{explained:?}")
    };
    let steps: Vec<(&str, &str)> = reasons[0].steps.iter().map(|s| (s.from.as_str(), s.relation.as_str())).collect();
    assert_eq!(steps.len(), 4, "{steps:?}");
    assert_eq!(steps[0], ("a: W[x]=1", "po"));
    assert!(steps[1].1.ends_with("fr"), "{steps:?}");
}

#[test]
fn an_allowed_outcome_has_an_execution_and_an_impossible_one_has_no_candidate() {
    let files = files();
    let session = Session::new(&files, Cancel::new());
    let explain = |outcome| session.explain("SB.litmus", outcome, false, &options(None)).map(|e| e.answer);
    assert!(matches!(explain(None), Ok(Explained::Allowed { executions: Some(1), .. })));
    assert!(matches!(explain(Some("0:EAX=7")), Ok(Explained::Unreachable)));
    let wrong = explain(Some("0:EAX="));
    assert!(wrong.is_err_and(|failure| failure.position.is_some_and(|(_, at)| at.line == 7)));
}

#[test]
fn comparing_finds_what_only_one_allows() {
    let files = files();
    let session = Session::new(&files, Cancel::new());
    let models = ["sc".to_owned(), "tso".to_owned()];
    let found = session.compare("SB.litmus", &models, &options(None)).map(|c| c.differences);
    let Ok([only_sc, only_tso]) = found else { panic!("{found:?}") };
    assert!(only_sc.states.is_empty());
    assert_eq!(only_tso.states, ["0:EAX=0; 1:EAX=0;"]);
}

#[test]
fn showing_chooses_executions() {
    let files = files();
    let session = Session::new(&files, Cancel::new());
    let count = |which, model| {
        let show = ShowOptions { which, outcome: None, limit: 10, relations: Vec::new() };
        session.show("SB.litmus", &show, &options(Some(model))).map(|s| s.drawings.len()).ok()
    };
    assert_eq!(count(Which::Positive, "tso"), Some(1));
    assert_eq!(count(Which::All, "tso"), Some(4));
    assert_eq!(count(Which::PositiveOrAll, "sc"), Some(3));
    assert_eq!(count(Which::Rejected, "sc"), Some(1));
}

#[test]
fn a_raised_flag_ends_the_work() {
    let cancel = Cancel::new();
    cancel.cancel();
    let files = files();
    let report = Session::new(&files, cancel).verify("SB.litmus", &options(None), &Silent);
    assert_eq!(report.verdict(), VerdictKind::Unknown, "{:?}", report.reason());
}

#[test]
fn every_bundled_model_passes_its_own_check() {
    let files = files();
    let session = Session::new(&files, Cancel::new());
    for model in Registry::default().models.models() {
        let options = ModelOptions { name: Some(model.name.into()), ..ModelOptions::default() };
        let checked = session.check_model(&options, None);
        let checked = checked.unwrap_or_else(|failure| panic!("{}: {}", model.name, failure.reason));
        assert!(checked.axioms > 0, "{}", model.name);
        assert!(!model.about.is_empty());
    }
}

#[test]
fn registries_have_unique_names_and_say_what_they_are() {
    let registry = Registry::default();
    let front_ends = || registry.front_ends.iter().map(|front_end| front_end.info());
    let mut names: Vec<&str> = registry.engines.iter().map(|e| e.info.name).collect();
    names.extend(front_ends().map(|f| f.name));
    let mut unique = names.clone();
    unique.sort_unstable();
    unique.dedup();
    assert_eq!(unique.len(), names.len());
    assert!(registry.engines.iter().all(|e| !e.info.about.is_empty()));
    assert!(front_ends().all(|f| !f.about.is_empty() && !f.endings.is_empty()));
}
