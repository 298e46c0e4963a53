use crate::dice::Dice;
use crate::models::{BUNDLED, bundled_model};
use crate::programs::random_program;
use crate::soundness::options;
use std::time::Instant;
use treville_base::Cancel;
use treville_relations::{Level, analyse};

#[test]
fn timing() {
    for name in BUNDLED {
        let tagged = bundled_model(name);
        for length in [10, 240] {
            let mut dice = Dice::new(7);
            let mut program = random_program(&mut dice, &tagged.tags, length);
            while program.n() < 2 * length {
                program = random_program(&mut dice, &tagged.tags, length);
            }
            let facts = program.facts();
            for level in [Level::May, Level::Must, Level::Extended] {
                let _ = analyse(&tagged.model, &facts, &options(level), &Cancel::new());
                let start = Instant::now();
                let a = analyse(&tagged.model, &facts, &options(level), &Cancel::new()).unwrap();
                eprintln!(
                    "{name} n={} {level:?} {:?} terms {} contradictions {} {:?}",
                    program.n(),
                    start.elapsed(),
                    tagged.model.terms.len(),
                    a.contradictions.len(),
                    a.sizes.derived
                );
            }
        }
    }
}
#[test]
fn timing_b() {
    for name in BUNDLED {
        let start = Instant::now();
        let m = bundled_model(name);
        let a = start.elapsed();
        crate::soundness::check(&m, name, 25, 4);
        eprintln!("{name} n= load {a:?} all {:?}", start.elapsed());
    }
}
