//! Small modules of every family of instructions.
