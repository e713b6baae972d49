#!/usr/bin/env bash
# A backend is one file and one line: the example of CONTRIBUTING.md is put into a copy of the tree, built, listed, used,
# and run through the conformance suite.
set -euo pipefail
source=$1
work=$2
rm -rf "$work"
mkdir -p "$work"
(cd "$source" && git ls-files -z --cached --others --exclude-standard | xargs -0 cp --parents -t "$work" 2>/dev/null) || true
cd "$work"
# shellcheck disable=SC2016 # the backquotes are Markdown
sed -n '/^```c$/,/^```$/{/^```/d;p}' CONTRIBUTING.md >solvers/linear/diagonal.c
echo 'SB_ENTRY(diagonal)' >>solvers/linear/backends.def
cmake -S . -B build -G Ninja -DCMAKE_BUILD_TYPE=Debug -DCMAKE_C_FLAGS=-O0 >/dev/null
cmake --build build --target springbench test_linear_conformance -- --quiet
build/springbench/springbench list linear | grep -q 'diagonal.*divides by the diagonal'
# It is known to option values …
build/springbench/springbench case scene=cloth grid=2 integrator=implicit_euler linear=diagnal 2>&1 |
  grep -q "did you mean 'diagonal'" || { echo "no suggestion"; exit 1; }
# … used and not believed: Newton's matrix is not diagonal.
build/springbench/springbench case scene=cloth grid=2 integrator=implicit_euler linear=diagonal h=0.01 duration=0.02 |
  grep -q not_converged || { echo "believed a wrong solution"; exit 1; }
# … and conformance-tested like every other.
build/tests/linear/test_linear_conformance 2>&1 | tee conformance.txt | tail -3
grep -q diagonal conformance.txt || { echo "not in the conformance suite"; exit 1; }
