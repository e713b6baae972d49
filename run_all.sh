#!/usr/bin/env bash
# From a fresh machine to the tables and figures.
#   ./run_all.sh            install what is missing, build, run every sweep of experiments/ into results/
#   ./run_all.sh --quick    the same with the first two values of each numeric axis: a look in a few minutes
#   ./run_all.sh test       build with sanitizers by gcc, compile with clang, run all tests
set -euo pipefail
cd "$(dirname "$0")"

# The packages of the groups named, from packages.txt.
packages() {
  local group
  for group in "$@"; do
    sed -n "/^\[$group\]/,/^\[/{/^[a-z0-9]/p}" packages.txt
  done
}

install_missing() {
  local wanted missing=() install
  mapfile -t wanted < <(packages "$@")
  local name
  for name in "${wanted[@]}"; do
    dpkg-query -W -f='${Status}' "$name" 2>/dev/null | grep -q 'ok installed' || missing+=("$name")
  done
  [ ${#missing[@]} -eq 0 ] && return
  install="apt-get update && apt-get install -y --no-install-recommends ${missing[*]}"
  if [ "$(id -u)" -ne 0 ]; then
    echo "These packages are missing; please run this line once, then this script again:" >&2
    echo "  sudo sh -c '$install'" >&2
    exit 2
  fi
  echo "== Installing ${#missing[@]} packages: ${missing[*]}"
  DEBIAN_FRONTEND=noninteractive sh -c "$install" >/dev/null
}

build() {
  local preset=$1
  shift
  [ -f "build/$preset/build.ninja" ] || cmake --preset "$preset" >/dev/null
  cmake --build --preset "$preset" "$@" -- --quiet
}

run_tests() {
  install_missing run test
  echo "== Building with gcc and sanitizers, then with clang"
  build dev
  build clang
  ctest --preset dev --parallel "$(nproc)"
}

run_sweeps() {
  local status=0 sweep
  install_missing run
  echo "== Building"
  build release --target springbench
  for sweep in experiments/*.yaml; do
    echo "== $sweep"
    build/release/springbench/springbench run "$sweep" "$@" || status=$?
    [ "$status" -le 1 ] || exit "$status"
  done
  echo "== Published findings against these results: results/REPRODUCED.md; tables and figures: results/index.md"
  build/release/springbench/springbench verify results || [ $? -eq 3 ]
  echo "== All of it on one page:"
  build/release/springbench/springbench report results || status=$?
  exit "$status"
}

case "${1:-}" in
test) run_tests ;;
--quick) run_sweeps --quick ;;
"") run_sweeps ;;
*) sed -n '2,5s/^# \{0,1\}//p' "$0" >&2; exit 2 ;;
esac
