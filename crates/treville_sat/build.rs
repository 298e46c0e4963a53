//! Does nothing: it is here so that `cc` is a build dependency with the feature `parallel`, which the build script of
//! cadical-sys then has as well, and compiles CaDiCaL on all cores.

fn main() {
    println!("cargo:rerun-if-changed=build.rs");
}
