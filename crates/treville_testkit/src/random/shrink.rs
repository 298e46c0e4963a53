//! Making a failing sketch smaller: threads, steps, dependencies and orders go, one after the other, as long as it fails.

use super::sketch::{DependencyKind, Part, Sketch, Step, Value};

/// The smallest sketch that can be reached by small steps and for which `fails` still holds.
pub fn shrink(sketch: &Sketch, fails: &mut dyn FnMut(&Sketch) -> bool) -> Sketch {
    let mut best = sketch.clone();
    while let Some(smaller) = smaller(&best).into_iter().find(|s| s.text().is_some() && fails(s)) {
        best = smaller;
    }
    best
}

/// What a sketch may be replaced by, the boldest first. Each is smaller in some measure, so that shrinking ends.
fn smaller(sketch: &Sketch) -> Vec<Sketch> {
    let mut all = Vec::new();
    for thread in 0..sketch.threads.len() {
        if sketch.threads.len() > 1 {
            let mut without = sketch.clone();
            without.threads.remove(thread);
            all.push(without);
        }
    }
    for thread in 0..sketch.threads.len() {
        for steps in smaller_steps(&sketch.threads[thread]) {
            let mut changed = sketch.clone();
            changed.threads[thread] = steps;
            all.push(changed);
        }
    }
    for at in 0..sketch.init.len() {
        if sketch.init[at] != 0 {
            let mut changed = sketch.clone();
            changed.init[at] = 0;
            all.push(changed);
        }
    }
    all
}

fn smaller_steps(steps: &[Step]) -> Vec<Vec<Step>> {
    let mut all = Vec::new();
    for i in 0..steps.len() {
        let mut without = steps.to_vec();
        without.remove(i);
        all.push(without);
    }
    for (i, step) in steps.iter().enumerate() {
        for replacement in smaller_step(step) {
            let mut changed = steps.to_vec();
            changed.splice(i..=i, replacement);
            all.push(changed);
        }
    }
    all
}

fn smaller_step(step: &Step) -> Vec<Vec<Step>> {
    let mut all = Vec::new();
    if let Step::Section { kind, body } = step {
        all.push(body.clone());
        all.extend(smaller_steps(body).into_iter().map(|body| vec![Step::Section { kind: *kind, body }]));
    }
    if let Step::Update { to, value, access, .. } = step {
        let mut access = access.clone();
        access.order = 0;
        access.dependency.take_if(|d| d.kind == DependencyKind::Data);
        all.push(vec![Step::Load { to: *to, access: access.clone() }]);
        all.push(vec![Step::Store { value: Value::Constant(*value), access }]);
    }
    if let Step::Store { value: Value::Sum(_, n), access } = step {
        all.push(vec![Step::Store { value: Value::Constant(*n), access: access.clone() }]);
    }
    if let Step::Follow { to, store: Some(_), order } = step {
        all.push(vec![Step::Follow { to: *to, store: None, order: *order }]);
    }
    let Some(access) = step.access() else { return all };
    let mut change = |to: &dyn Fn(&mut Step)| {
        let mut changed = step.clone();
        to(&mut changed);
        all.push(vec![changed]);
    };
    let with = |to: fn(&mut super::Access)| move |step: &mut Step| step.access_mut().into_iter().for_each(to);
    if access.dependency.is_some() {
        change(&with(|a| a.dependency = None));
    }
    if access.order > 0 {
        change(&with(|a| a.order = 0));
    }
    if access.part != Part::Whole {
        change(&with(|a| a.part = Part::Whole));
    }
    all
}
