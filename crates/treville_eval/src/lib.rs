//! The evaluator of models on execution graphs.
