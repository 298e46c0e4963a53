# The routines of the project; `just` lists them.

conformance := env("CONFORMANCE", "../shared/conformance")

_default:
    @just --list

# All tests, or those whose name contains NAME, such as `cases/loops` or `docs/programs.md`; `cargo test -p CRATE NAME` builds less.
test NAME="":
    cargo test --workspace -- {{ NAME }}

# Lints, as CI runs them.
clippy:
    cargo clippy --workspace --all-targets -- -D warnings

# Check that the source is as ARCHITECTURE.md and CONTRIBUTING.md say; `cargo xtask figures` prints the counts.
tidy:
    cargo xtask tidy

# Format everything.
fmt:
    cargo fmt --all

# Everything that CI runs.
ci:
    .ci/run

# Rewrite the expectations of snapshot tests; review the diff.
bless:
    TREVILLE_BLESS=1 cargo test --workspace

# Compare with the reference verdicts: all folders, or those named, with options of the checker.
conformance *ARGS:
    cargo build --release -p treville_cli
    python3 {{ conformance }}/check_litmus.py --bin target/release/treville {{ ARGS }}

# Measure: `just bench growth`, `just bench start`, `just bench files DIR`, with `--peer PATH` beside herd7.
bench *ARGS:
    cargo build --release -p treville_cli -p treville_bench
    target/release/treville_bench {{ ARGS }}

# Audit explore with N random executions of each program of the case studies, the cases, the conformance suite (if it is there) and
# of 100 random programs, under MODELS; fails if one is missing.
soak-audit N="10000" MODELS="rc11 sc tso ra imm aarch64" SEED="1":
    cargo build --release -p treville_cli
    mkdir -p target/audited
    cargo run --profile soak -p treville_testkit --example soak -- {{ SEED }} $(({{ SEED }} + 100)) --show \
        | awk '/^\/\/ Seed/ { n++ } { print > ("target/audited/random" n ".c") }'
    find case-studies cases {{ conformance }}/c {{ conformance }}/ordinary target/audited -name '*.c' > target/audited/all.txt || true
    for model in {{ MODELS }}; do for which in all counted; do \
        target/release/treville verify @target/audited/all.txt --engine explore --model $model --reductions $which \
            --audit {{ N }} --timeout 60; \
        if [ $? -eq 4 ]; then exit 1; fi; \
    done; done

# Compare engines and reductions on random C programs with the seeds FROM up to TO; what differs is shrunk and kept in target/soak/differences.
soak FROM="1" TO="50001" *ARGS:
    cargo run --profile soak -p treville_testkit --example soak -- {{ FROM }} {{ TO }} --threads 2 --most 20 --out target/soak/differences {{ ARGS }}

# Compare each engine with the definition on N random litmus tests in all dialects, from SEED; then run the random tests of models,
# access sizes, computed addresses, machines and remote memory TIMES as long as `just test` does.
soak-tests SEED="1" N="60000" TIMES="20":
    cargo build --profile soak -p treville_testkit --example campaign
    for engine in enumerate explore bmc; do \
        target/soak/examples/campaign {{ SEED }} {{ N }} 300 --engine $engine || exit 1; \
    done
    TREVILLE_SEED={{ SEED }} TREVILLE_TIMES={{ TIMES }} cargo test --profile soak -p treville_testkit \
        --test agreement -- --nocapture models:: mixed:: chosen_orders:: computed_addresses:: thin_air::
    TREVILLE_TIMES={{ TIMES }} cargo test --profile soak -p treville_explore --lib locks_lose -- --nocapture
    TREVILLE_SEED={{ SEED }} TREVILLE_TIMES={{ TIMES }} cargo test --profile soak -p treville_machine --test machine random:: -- --nocapture
    TREVILLE_SEED={{ SEED }} TREVILLE_TIMES={{ TIMES }} cargo test --profile soak -p treville_verifier --test verifier rma_random:: -- --nocapture

# Fuzz the targets with N mutated inputs each, from SEED.
fuzz N="20000" SEED="1":
    TREVILLE_FUZZ_INPUTS={{ N }} TREVILLE_FUZZ_SEED={{ SEED }} cargo test -p treville_fuzz --test bounded -- --nocapture

# Fuzz one target (cat, litmus, llvm, pts, rar or rma), guided by coverage, for SECONDS; needs cargo-fuzz and a nightly compiler.
fuzz-guided TARGET SECONDS="600":
    mkdir -p fuzz/corpus/{{ TARGET }}
    cargo +nightly fuzz run {{ TARGET }} fuzz/corpus/{{ TARGET }} fuzz/seeds/{{ TARGET }} -- -max_total_time={{ SECONDS }} -timeout=20
