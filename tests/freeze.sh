#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-3.0-or-later
# Do the tables, figures, verdicts and pages say what they said at another commit, of the same results? Its program runs
# the quick part of every sweep (ten minutes); then it and the program of this tree, one after the other, make everything
# that is made of results, in a folder of the same name. Their differences are printed; status 1 when there is one.
#   tests/freeze.sh COMMIT            of the quick parts
#   tests/freeze.sh COMMIT FOLDER     of the results directories in FOLDER, which stay as they are
set -euo pipefail
cd "$(dirname "$0")/.."
commit=${1:?usage: tests/freeze.sh COMMIT [FOLDER]}
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
export CMAKE_C_COMPILER_LAUNCHER=${CMAKE_C_COMPILER_LAUNCHER:-$(command -v ccache || true)}

# The program of the clone $1.
program_of() { echo "$scratch/$1/build/release/springbench/springbench"; }

build() {
  git clone -q . "$scratch/$1"
  git -C "$scratch/$1" checkout -q "$2"
  (cd "$scratch/$1" && cmake --preset release >/dev/null && cmake --build --preset release --target springbench -- --quiet)
}

# What the program $1 makes of the results in $scratch/work, into it; what it prints, into its folder `said`.
render() {
  local program=$1 name said=$scratch/work/said
  mkdir "$said"
  cd "$scratch/work"
  for name in */; do
    name=${name%/}
    [ -f "$name/plan.json" ] || continue
    for form in text md csv tex; do "$program" table "$name" --format "$form" >"$said/$name.table.$form" 2>&1 || true; done
    "$program" plot "$name" --term svg >"$said/$name.plot" 2>&1 || true
    "$program" verify "$name" >"$said/$name.verify" 2>&1 || true
    "$program" status "$name" >"$said/$name.status" 2>&1 || true
    "$program" compare "$name" "$name" >"$said/$name.compare" 2>&1 || true
    "$program" report "$name" >"$said/$name.report" 2>&1 || true
  done
  "$program" verify . >"$said/verify" 2>&1 || true
  "$program" report . >"$said/report" 2>&1 || true
  cd - >/dev/null
}

build old "$commit"
build new "$(git rev-parse HEAD)"
if [ $# -gt 1 ]; then
  cp -r "$2" "$scratch/results"
else
  mkdir "$scratch/results"
  for sweep in "$scratch"/old/experiments/*/*.yaml; do
    "$(program_of old)" run "$sweep" --quick -o "$scratch/results/$(basename "$sweep" .yaml)" --progress none || true
  done
fi
for side in old new; do
  cp -r "$scratch/results" "$scratch/work"
  render "$(program_of $side)"
  find "$scratch/work" -name made.json -delete # digests of the program itself
  mv "$scratch/work" "$scratch/made-by-$side"
done
cd "$scratch"
diff -r made-by-old made-by-new && echo "no difference in $(find made-by-new -type f | wc -l) files"
