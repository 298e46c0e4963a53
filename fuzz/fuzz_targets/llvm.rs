//! Any bytes as LLVM IR.

#![no_main]

libfuzzer_sys::fuzz_target!(|data: &[u8]| {
    treville_fuzz::llvm(&String::from_utf8_lossy(data));
});
