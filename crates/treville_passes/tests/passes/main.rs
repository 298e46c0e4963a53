//! Tests of the passes: small programs before and after, and random programs run before and after.

mod differential;
mod examples;
mod interpreter;
mod litmus;
mod random;
mod target;
mod text_form;
