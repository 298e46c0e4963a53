//! Any bytes as a litmus test.

#![no_main]

libfuzzer_sys::fuzz_target!(|data: &[u8]| {
    treville_fuzz::litmus(&String::from_utf8_lossy(data));
});
