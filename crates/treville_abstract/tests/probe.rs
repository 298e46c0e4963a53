use treville_abstract::*;
use treville_base::{BitSet, Cancel, FileId};
use treville_rma::{Program, Shown};
fn program(name: &str) -> Program {
    let path = format!("{}/../../case-studies/rma/{name}.rma", env!("CARGO_MANIFEST_DIR"));
    let text = std::fs::read_to_string(path).expect("a case study");
    treville_lang::rma::parse(FileId(0), name, &text).expect("a program").0
}
fn show(program: &Program, c: &Checked) -> String {
    match c {
        Checked::Holds => "HOLDS".into(),
        Checked::Open(w) => w.clone(),
        Checked::MayFail(c) => {
            if std::env::var("SHOW").is_ok() {
                for e in &c.events {
                    println!(
                        "   {}",
                        match e {
                            Event::Step { proc, node, .. } => format!(
                                "P{} {}",
                                proc.0 + 1,
                                treville_rma::show_op(program, &program.procs[*proc].nodes[*node].op)
                            ),
                            Event::Fire(r) => format!("   fire {}", Shown(program, &program.remotes[*r])),
                            Event::Land(r) => format!("   land {r:?}"),
                        }
                    );
                }
            }
            format!("may fail {} {:?}", c.events.len(), c.property)
        }
    }
}
#[test]
fn probe() {
    let all: &[(&str, &[usize])] = &[
        ("fig2", &[1]),
        ("dekker", &[1, 5, 7, 11]),
        ("peterson", &[1, 2, 3, 4, 5]),
        ("abp", &[1]),
        ("abp", &[2]),
        ("pc1", &[1, 2, 4, 5, 7]),
        ("pgsql", &[1, 3]),
        ("qw", &[1, 2, 4]),
        ("sober", &[]),
        ("kessel", &[1, 2, 3, 5, 6, 7, 8, 10]),
        ("loop2_tlm", &[1, 2, 3, 4]),
        ("szymanski", &[1, 2, 6, 7, 8, 9, 10, 12]),
        ("queue", &[2]),
        ("ticket", &[1, 2]),
        ("bakery", &[1, 2, 4, 5, 6, 7, 9, 10]),
        ("rmalock", &[3, 5, 7, 11, 12, 14, 16]),
    ];
    let only = std::env::var("ONLY").unwrap_or_default();
    let secs: u64 = std::env::var("SECS").ok().and_then(|s| s.parse().ok()).unwrap_or(3);
    for (name, slots) in all {
        if !only.is_empty() && !only.split(',').any(|o| o == *name) {
            continue;
        }
        let program = program(name);
        let place = BitSet::from_members(program.slots.len(), slots.iter().map(|s| s - 1));
        for given in [true, false] {
            if std::env::var("GIVEN").is_ok_and(|g| (g == "1") != given) {
                continue;
            }
            let t = std::time::Instant::now();
            let mut o = Options::new();
            o.given = given;
            if std::env::var("T2").is_ok() {
                o.reduction = treville_rma_machine::Reduction::Table2;
            }
            if let Ok(k) = std::env::var("K") {
                o.longest = k.parse().unwrap();
            }
            o.cancel = Cancel::new().with_deadline(t + std::time::Duration::from_secs(secs));
            print!("{name} given={given} ");
            match sequential(&program, &o) {
                Sequential::Proved(mut p) => {
                    println!(
                        "SC proved |V|={} rounds={} queries={} {:?}",
                        p.predicates().len(),
                        p.rounds,
                        p.sequential.queries,
                        t.elapsed()
                    );
                    for pl in [BitSet::full(program.slots.len()), place.clone()] {
                        let t = std::time::Instant::now();
                        let c = p.check(&pl);
                        println!(
                            "    |Vbar|={} {} flushes: {} states {} rounds {} {:?}",
                            p.extrapolated.n_predicates(),
                            pl.len(),
                            show(&program, &c),
                            p.states,
                            p.rounds,
                            t.elapsed()
                        );
                    }
                    if std::env::var("SHOW").is_ok() {
                        for a in p.predicates() {
                            print!("{}, ", Shown(&program, a));
                        }
                        println!();
                    }
                }
                Sequential::Fails(c) => {
                    println!("FAILS {:?} {:?} {}", c.events.len(), t.elapsed(), show(&program, &Checked::MayFail(c)))
                }
                Sequential::Open(w) => println!("open {w} {:?}", t.elapsed()),
            }
        }
    }
}
