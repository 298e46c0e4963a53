//! C11: atomics with every order, fences, updates, plain accesses, mutexes.

use super::Library;
use crate::random::{Features, Section, Sketch, Syntax, Update};

#[derive(Debug)]
pub(crate) struct C11;

const LOADS: [&str; 5] = ["relaxed", "", "consume", "acquire", "seq_cst"];
const STORES: [&str; 4] = ["relaxed", "", "release", "seq_cst"];
const FENCES: [&str; 4] = ["acquire", "release", "acq_rel", "seq_cst"];
const UPDATES: [&str; 5] = ["relaxed", "acquire", "release", "acq_rel", "seq_cst"];

const FEATURES: Features = Features {
    loads: LOADS.len(),
    stores: STORES.len(),
    fences: FENCES.len(),
    updates: &[
        Update::new(UPDATES.len()),
        Update::new(UPDATES.len()),
        Update { orders: UPDATES.len(), may_fail: true, has_expected: true },
    ],
    sections: &[Section { is_lock: true, may_fail: false }],
    addresses: true,
    pointers: true,
    mixed: false,
};

impl Syntax for C11 {
    fn name(&self) -> &'static str {
        "C"
    }

    fn features(&self) -> &'static Features {
        &FEATURES
    }

    fn models(&self) -> &'static [&'static str] {
        &["c11", "rc11", "ra", "rar", "imm", "sc"]
    }

    fn write(&self, sketch: &Sketch) -> Option<String> {
        super::write(self, sketch)
    }
}

impl Library for C11 {
    fn types(&self) -> (&'static str, &'static str) {
        ("atomic_int", "int*")
    }

    /// A plain access has no order.
    fn load(&self, order: usize, place: &str) -> String {
        match LOADS[order] {
            "" => format!("*{place}"),
            order => format!("atomic_load_explicit({place}, memory_order_{order})"),
        }
    }

    fn store(&self, order: usize, place: &str, value: &str) -> String {
        match STORES[order] {
            "" => format!("*{place} = {value}"),
            order => format!("atomic_store_explicit({place}, {value}, memory_order_{order})"),
        }
    }

    fn fence(&self, kind: usize) -> String {
        format!("atomic_thread_fence(memory_order_{})", FENCES[kind])
    }

    fn update(&self, (op, order): (usize, usize), to: &str, place: &str, value: &str) -> Vec<String> {
        let order = UPDATES[order];
        match op {
            0 => vec![format!("{to} = atomic_fetch_add_explicit({place}, {value}, memory_order_{order})")],
            1 => vec![format!("{to} = atomic_exchange_explicit({place}, {value}, memory_order_{order})")],
            _ => {
                let call = "atomic_compare_exchange_strong_explicit";
                vec![format!("{to} = {call}({place}, e, {value}, memory_order_{order}, memory_order_relaxed)")]
            }
        }
    }

    fn section(&self, _: usize, _: &str) -> (String, String) {
        ("lock(m)".into(), "unlock(m)".into())
    }

    fn section_parameter(&self, _: usize) -> Option<&'static str> {
        Some("mtx_t* m")
    }

    fn expected(&self, op: usize) -> Option<&'static str> {
        (op == 2).then_some("int* e")
    }
}
