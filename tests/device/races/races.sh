#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-3.0-or-later
# The kernels of explicit steps and of passes by colours have no data race, by oclgrind; planted ones are found: a step in
# place, and a pass that takes all colours at once.
# Skips (77) without oclgrind, which Debian 13 does not have.
set -euo pipefail
root=$(cd "$(dirname "$0")/../../.." && pwd)
library=$(dirname "$(command -v oclgrind || echo /usr/bin/oclgrind)")/../lib/oclgrind/liboclgrind-rt-icd.so
[ -e "$library" ] || { echo "skipped: please install oclgrind"; exit 77; }
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
realpath "$library" >"$work/oclgrind.icd"

# Prints the number of races in the kernels of a copy of the sources in $1; $2: what the program runs.
races() {
  local log=$work/$1.log
  if ! { cmake -S "$work/$1/tests/device/races" -B "$work/$1/build" && cmake --build "$work/$1/build"; } \
    >"$log" 2>&1; then
    cat "$log" >&2
    return 1
  fi
  # By the loader of OpenCL, as a program that opens it by dlopen does not see what oclgrind preloads. Without
  # optimisation, as version 21.10 does not know all of what clang 14 makes of inlined functions.
  OCL_ICD_VENDORS=$work OCLGRIND_DATA_RACES=1 OCLGRIND_BUILD_OPTIONS=-cl-opt-disable OCLGRIND_MAX_ERRORS=1000 \
    OCLGRIND_LOG=$work/$1.races "$work/$1/build/races" "$2" >&2 || return 1
  grep -c 'data race' "$work/$1.races" || true
}

for copy in as_is planted; do
  mkdir -p "$work/$copy/tests" "$work/$copy/solvers"
  cp -r "$root/base" "$root/cmake" "$work/$copy/"
  cp -r "$root/solvers/device" "$work/$copy/solvers/"
  cp -r "$root/tests/device" "$work/$copy/tests/"
done
sed -i '/^SB_KERNEL(symplectic_euler/,/^}/s/store(y, stride, i, at)/store((global real *)x, stride, i, at)/' \
  "$work/planted/solvers/device/step_kernels.h"
found=$(($(races as_is steps) + $(races as_is passes)))
planted=$(races planted steps)
at_once=$(races as_is one_colour)
echo "races: $found in the kernels, $planted with a step in place, $at_once with all colours at once"
[ "$found" -eq 0 ] && [ "$planted" -gt 0 ] && [ "$at_once" -gt 0 ]
