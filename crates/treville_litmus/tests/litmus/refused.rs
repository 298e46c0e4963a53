//! Tests that are refused since they cannot mean what they say, and their neighbours that are not.

use treville_base::FileId;
use treville_litmus::{Options, parse};
use treville_trials::{Trial, test};

pub(crate) fn trials() -> Vec<Trial> {
    vec![
        test!(accesses_without_an_address_are_refused),
        test!(numbers_that_are_read_may_be_addresses_that_are_never_used),
        test!(immediates_fit_their_registers),
        test!(page_tables_are_refused),
        test!(a_test_without_a_condition_lists_what_it_sets),
    ]
}

/// The messages of a test that is refused.
fn refused(text: &str) -> Vec<String> {
    let errors = parse(FileId(0), text, &Options::default()).expect_err("the test is wrong");
    assert!(errors.iter().all(|e| e.span.is_some()), "{errors:?}");
    errors.into_iter().map(|e| e.message).collect()
}

fn accesses_without_an_address_are_refused() {
    let forgotten =
        "AArch64 t\n{ 0:X1=y; }\n P0 ;\n LDR W0,[X1] ;\n EOR W2,W0,W0 ;\n LDR W4,[X3,W2,SXTW] ;\nexists (0:X4=0)";
    assert!(refused(forgotten)[0].contains("`X3` has no value"));
    let number = "AArch64 t\n{ 0:X1=5; }\n P0 ;\n LDR W0,[X1] ;\nexists (0:X0=0)";
    assert!(refused(number)[0].contains("`X1` holds a number"));
    let beyond = "AArch64 t\n{ int x=0; 0:X1=x; }\n P0 ;\n LDR W0,[X1,#8] ;\nexists (0:X0=0)";
    assert!(refused(beyond)[0].contains("outside of `x`"));
    let narrow = "AArch64 t\n{ int *p=x; int x=1; 0:X1=p; }\n P0 ;\n LDR W0,[X1] ;\nexists (0:X0=0)";
    assert!(refused(narrow)[0].contains("`p` holds an address"));
}

fn numbers_that_are_read_may_be_addresses_that_are_never_used() {
    let text = "AArch64 t\n{ int64_t y=16; 0:X3=y; }\n P0 ;\n CBNZ W4,L1 ;\n LDR X5,[X3] ;\n LDR W6,[X5] ;\n L1: ;\nforall 0:X4=0";
    assert!(parse(FileId(0), text, &Options::default()).is_ok());
}

fn immediates_fit_their_registers() {
    let text = |n: &str| format!("AArch64 t\n{{ 0:X1=x; }}\n P0 ;\n MOV W0,#{n} ;\n STR W0,[X1] ;\nexists (x=0)");
    assert!(refused(&text("4294967296"))[0].contains("does not fit 32 bits"));
    for n in ["4294967295", "-1", "-2147483648"] {
        assert!(parse(FileId(0), &text(n), &Options::default()).is_ok(), "{n}");
    }
}

fn page_tables_are_refused() {
    for (init, condition) in [("pte_x=0; ", "true"), ("", "pte_x=0")] {
        let text = format!("AArch64 t\n{{ {init}0:X1=x; }}\n P0 ;\n LDR W0,[X1] ;\nexists ({condition})");
        assert!(refused(&text)[0].contains("page-table entry"), "{text}");
    }
}

fn a_test_without_a_condition_lists_what_it_sets() {
    let text = "AArch64 t\n{ 0:X1=x; }\n P0 ;\n LDR W0,[X1] ;\n";
    let question = parse(FileId(0), text, &Options::default()).unwrap().question.unwrap();
    let names: Vec<String> = question.observed.into_iter().map(|o| o.name).collect();
    assert_eq!(names, ["0:X0", "[x]"]);
}
