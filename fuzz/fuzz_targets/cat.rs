//! Any bytes as a memory model.

#![no_main]

libfuzzer_sys::fuzz_target!(|data: &[u8]| {
    treville_fuzz::cat(&String::from_utf8_lossy(data));
});
