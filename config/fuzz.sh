#!/bin/sh
# Runs each fuzz target for some seconds, 5 unless said, from its stored seeds. Without a sanitizer, so
# that the stable toolchain will do: what is looked for are panics, broken assertions and hangs. Inputs
# found on the way stay in target/fuzz-found; one that breaks something is named by the fuzzer.
set -eu
cd "$(dirname "$0")/.."
root=$(pwd)
seconds=${1:-5}
sh config/install-tools.sh cargo-fuzz
PATH="$root/target/tools/bin:$PATH"
cd simulations/fuzz
cargo metadata --locked --format-version 1 >/dev/null
for target in $(cargo fuzz list --fuzz-dir .); do
    found="$root/target/fuzz-found/$target"
    mkdir -p "$found"
    echo "== fuzzing $target for $seconds seconds"
    cargo fuzz run --fuzz-dir . --sanitizer none --target-dir "$root/target/fuzz" "$target" \
        "$found" "seeds/$target" -- -max_total_time="$seconds" -timeout=5 -max_len=70000 -seed=1 \
        -print_final_stats=1 >"$found.log" 2>&1 || {
        tail -n 40 "$found.log" >&2
        exit 1
    }
    grep -E 'number_of_executed_units' "$found.log"
done
