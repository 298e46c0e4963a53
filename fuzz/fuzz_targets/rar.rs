//! Any bytes as a program in .rar.

#![no_main]

libfuzzer_sys::fuzz_target!(|data: &[u8]| {
    treville_fuzz::rar(&String::from_utf8_lossy(data));
});
