#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-3.0-or-later
# From a fresh machine to the tables and figures.
#   ./run_all.sh              install what is missing, build, run the core into results/: the sweeps that test the
#                             findings of the reports and of Liu et al.
#   ./run_all.sh --quick      a small part of one or two sweeps per topic: a look in some minutes
#   ./run_all.sh --quick all  a small part of every sweep
#   ./run_all.sh all          every sweep
#   ./run_all.sh WORD …       these topics or sweeps, such as: minimizers fluids rope_blowup
#   ./run_all.sh test         build with sanitizers, run all tests
#   ./run_all.sh --help       show this text
# What is done already is not run again. Other options go to `springbench run`: -v lists the cases.
set -euo pipefail
cd "$(dirname "$0")"

# The packages of these groups of packages.txt.
install_missing() {
  local group name missing=() install
  for group in "$@"; do
    while read -r name; do
      dpkg-query -W -f='${Status}' "$name" 2>/dev/null | grep -q 'ok installed' || missing+=("$name")
    done < <(sed -n "/^\[$group\]/,/^\[/{/^[a-z0-9]/p}" packages.txt)
  done
  [ ${#missing[@]} -eq 0 ] && return
  # A fresh machine upgrades itself meanwhile: apt-get waits until it has finished.
  install="apt-get -o DPkg::Lock::Timeout=600 update &&"
  install+=" apt-get -o DPkg::Lock::Timeout=600 install -y --no-install-recommends ${missing[*]}"
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
  unset SPRINGBENCH_PLUGINS SPRINGBENCH_SIMULATORS # they would be part of every command that is tested
  install_missing run test
  echo "== Building with sanitizers"
  build dev
  ctest --preset dev --parallel "$(($(nproc) + 1))" # some of them wait most of their time
}

# The program reads the words and options, and has the messages about them.
run_sweeps() {
  local default=core word
  for word in "$@"; do
    if [ "$word" = --quick ]; then default=tour; fi
  done
  install_missing run
  echo "== Building"
  build release --target installed # so that cmake --install works afterwards
  exec build/release/springbench/springbench run --default "$default" "$@"
}

for word in "$@"; do
  case $word in -h | --help | -\?) sed -n '3,/^set /{s/^# \{0,1\}//p}' "$0" && exit ;; esac
done
if [ "${1:-}" != test ]; then
  run_sweeps "$@"
elif [ $# -eq 1 ]; then
  run_tests
else
  printf "run_all.sh: 'test' takes nothing beside it\n./run_all.sh --help says what there is.\n" >&2
  exit 2
fi
