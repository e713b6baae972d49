#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-3.0-or-later
# Does any test detect a fault? Every fault of tests/mutations/mutations.txt (numerics) and harness.txt (harness and case
# files) is seeded, alone, into a copy of the committed tree, which is tested until a test fails. An hour with ccache.
#   tests/mutations.sh           all of them; writes docs/robustness/mutations.md
#   tests/mutations.sh WORD      those with WORD in their list, area, kind or file; writes nothing
# Status 1 when a fault survives.
set -euo pipefail
cd "$(dirname "$0")/.."
root=$PWD
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
if command -v ccache >/dev/null; then
  export CMAKE_C_COMPILER_LAUNCHER=ccache CCACHE_BASEDIR=${CCACHE_BASEDIR:-$folder} CCACHE_NOHASHDIR=1
fi
git clone -q "$root" "$folder/tree"
cmake -S "$folder/tree" --preset fault -B "$folder/build" >/dev/null
cmake --build "$folder/build" -- --quiet
report=()
if [ $# -eq 0 ]; then
  report=(--report "$root/docs/robustness/mutations.md" --commit "$(git rev-parse --short HEAD)")
fi
python3 tests/mutations/run.py "$folder/tree" "$folder/build" --only "${1:-}" "${report[@]}"
