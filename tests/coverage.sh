#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-3.0-or-later
# Which lines and branches of springbench's own code do the tests execute? Builds the preset `coverage` in
# build/coverage, runs the fast tests there and sums gcov's counts by folder (summary.py says what is counted). The long
# tests are left out: processes that they stop or kill keep gcov's files locked. Ten minutes on two cores.
#   tests/coverage.sh            status 1 below 95 % of lines, 85 % of branches, or 100 % of the lines of the files that
#                                parse, store, handle signals and map statuses
#   tests/coverage.sh --write    and put the figures into docs/robustness/coverage.md
set -euo pipefail
cd "$(dirname "$0")/.."
build=$PWD/build/coverage
unset CMAKE_C_COMPILER_LAUNCHER # a compiler cache gives notes of other paths
cmake --preset coverage >/dev/null
cmake --build --preset coverage -- --quiet
find "$build" -name '*.gcda' -delete
# A test that fails is another script's matter: what it executed counts all the same.
ctest --test-dir "$build" --parallel "$(nproc)" --label-exclude long --exclude-regex 'consumer|toy_backend|tutorial' --quiet ||
  echo "some tests fail in this build: ctest --test-dir $build --rerun-failed" >&2
write=()
if [ "${1:-}" = --write ]; then
  write=(--markdown docs/robustness/coverage.md --commit "$(git describe --always --dirty)")
fi
python3 tests/coverage/summary.py "$PWD" "$build" "${write[@]}"
