#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-3.0-or-later
# From a fresh machine to the tables and figures.
#   ./run_all.sh              install what is missing, build, run the core into results/: the sweeps that test the
#                             findings of the reports and of Liu et al.
#   ./run_all.sh --quick      a small part of most sweeps: a look in some minutes
#   ./run_all.sh all          every sweep
#   ./run_all.sh WORD …       these topics or sweeps, such as: minimizers fluids rope_blowup
#   ./run_all.sh test         build with sanitizers, run all tests
#   ./run_all.sh --help       show this text
# What is done already is not run again. Other options go to `springbench run`: -v lists the cases.
set -euo pipefail
cd "$(dirname "$0")"

usage() { sed -n '3,/^set /{s/^# \{0,1\}//p}' "$0"; }

# The words that stand for sweeps: the core, all of them, topics, sweeps.
words() {
  local path
  printf '%s\n' core all
  for path in experiments/*/ experiments/*/*.yaml; do basename "$path" .yaml; done
}

# The word of standard input with the fewest letters to change, insert or remove; nothing if all are far away.
nearest() {
  awk -v wanted="$1" '
    function least(a, b) { return a < b ? a : b }
    function distance(one, other,   i, j, row, before, above) {
      for (j = 0; j <= length(other); j++) row[j] = j
      for (i = 1; i <= length(one); i++) {
        before = row[0]
        row[0] = i
        for (j = 1; j <= length(other); j++) {
          above = row[j]
          row[j] = least(least(above, row[j - 1]) + 1, before + (substr(one, i, 1) != substr(other, j, 1)))
          before = above
        }
      }
      return row[length(other)]
    }
    BEGIN { best = 1 + length(wanted) / 3 }
    { d = distance(wanted, $0) }
    d < best { best = d; found = $0 }
    END { print found }'
}

fail() {
  echo "run_all.sh: $1" >&2
  echo "./run_all.sh --help says what there is." >&2
  exit 2
}

# The line of an option in the table of `springbench run`; fails if there is none.
option_line() {
  local name=${1%%=*}
  case $1 in
  --?*) grep -F "    {\"${name#--}\", " harness/commands/command_sweeps.c ;;
  *) grep -F "\", '${1:1:1}', " harness/commands/command_sweeps.c ;;
  esac
}

# Sets `sweeps` and `options`, so that a mistake is found before anything is installed.
read_arguments() {
  local near line quick=false
  sweeps=() options=()
  while [ $# -gt 0 ]; do
    if [ "$1" = --quick ]; then quick=true; fi
    case $1 in
    -?*)
      line=$(option_line "$1") || fail "there is no option '$1'"
      options+=("$1")
      if [[ $line != *", NULL, 0, "* && ($1 == -? || $1 == --*) && $1 != *=* ]]; then
        [ $# -gt 1 ] || fail "$1 needs a value"
        options+=("$2")
        shift
      fi
      ;;
    test) fail "'test' takes nothing beside it" ;;
    *)
      if ! [[ -f $1 || ($1 == */* && -d $1) ]] && ! words | grep -xF -- "$1" >/dev/null; then
        near=$(words | nearest "$1")
        [ -z "$near" ] || near="; did you mean '$near'?"
        fail "there is no topic or sweep '$1'$near"
      fi
      sweeps+=("$1")
      ;;
    esac
    shift
  done
  if [ ${#sweeps[@]} -eq 0 ] && $quick; then sweeps=(all); fi
  if [ ${#sweeps[@]} -eq 0 ]; then sweeps=(core); fi
}

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
  install_missing run test
  echo "== Building with sanitizers"
  build dev
  ctest --preset dev --parallel "$(nproc)" --label-exclude long
}

run_sweeps() {
  install_missing run
  echo "== Building"
  build release --target springbench
  exec build/release/springbench/springbench run "${sweeps[@]}" "${options[@]}"
}

for word in "$@"; do
  case $word in -h | --help | -\?) usage && exit ;; esac
done
if [ "${1:-}" = test ] && [ $# -eq 1 ]; then run_tests; else
  read_arguments "$@"
  run_sweeps
fi
