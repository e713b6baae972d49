#!/usr/bin/env bash
# From a fresh machine to the tables and figures.
#   ./run_all.sh            install what is missing, build, run every sweep of experiments/ into results/
#   ./run_all.sh --quick    the same with the part that each sweep calls quick: a look in some minutes
#                           (both take further options of `springbench run`: -v lists the cases)
#   ./run_all.sh test       build with sanitizers, run all tests
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
  echo "== Building with sanitizers"
  build dev
  ctest --preset dev --parallel "$(nproc)"
}

run_sweeps() {
  install_missing run
  echo "== Building"
  build release --target springbench
  exec build/release/springbench/springbench run experiments/*/*.yaml "$@"
}

case "${1:-}" in
test) run_tests ;;
"" | -*) run_sweeps "$@" ;;
*) sed -n '2,6s/^# \{0,1\}//p' "$0" >&2; exit 2 ;;
esac
