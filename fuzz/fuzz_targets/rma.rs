//! Any bytes as a program in .rma.

#![no_main]

libfuzzer_sys::fuzz_target!(|data: &[u8]| {
    treville_fuzz::rma(&String::from_utf8_lossy(data));
});
