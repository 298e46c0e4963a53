//! Any bytes as a program in .pts.

#![no_main]

libfuzzer_sys::fuzz_target!(|data: &[u8]| {
    treville_fuzz::pts(&String::from_utf8_lossy(data));
});
