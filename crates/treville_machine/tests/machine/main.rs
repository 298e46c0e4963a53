//! Programs in .rar on machines.

mod common;
mod induction;
mod parallel;
mod published;
mod random;
mod symmetry;
