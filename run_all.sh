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
#   ./run_all.sh packages     as root: install the missing Debian packages (packages.txt), and nothing else
#   ./run_all.sh --help       show this text
# What is done already is not run again. Other options go to `springbench run`: -v lists the cases.
set -euo pipefail
cd "$(dirname "$0")"

# Shows what a command says as one line that moves on a terminal, and keeps it in a log otherwise and on failure.
logged() {
  local log=$1
  shift
  mkdir -p build
  # What root makes in the clone of a user is the user's: `sudo ./run_all.sh packages`.
  [ "$(id -u)" -ne 0 ] || { touch "$log" && chown --reference=. build "$log"; }
  if [ -t 1 ]; then
    "$@" 2>&1 | tee "$log" | while IFS= read -r line; do printf '\r\033[K%.78s' "   $line"; done && printf '\r\033[K'
  else
    echo "   (log: $PWD/$log)"
    "$@" >"$log" 2>&1
  fi || { tail -n 25 "$log" >&2 && echo "run_all.sh: this failed; $PWD/$log has all that was said" >&2 && exit 1; }
}

# The packages of these groups of packages.txt.
install_missing() {
  local group name missing=() said size
  for group in "$@"; do
    while read -r name; do
      dpkg-query -W -f='${Status}' "$name" 2>/dev/null | grep -q 'ok installed' || missing+=("$name")
    done < <(sed -n "/^\[$group\]/,/^\[/{/^[a-z0-9]/p}" packages.txt)
  done
  [ ${#missing[@]} -eq 0 ] && return
  if [ "$(id -u)" -ne 0 ]; then
    printf '%d Debian packages are missing; please run this line once as root, then this script again:\n' \
      ${#missing[@]} >&2
    printf '  sudo %q packages %s\n' "$PWD/run_all.sh" "$*" >&2
    exit 2
  fi
  echo "== Asking for ${#missing[@]} packages"
  # A fresh machine upgrades itself meanwhile: apt-get waits until it has finished.
  local apt=(env LC_ALL=C DEBIAN_FRONTEND=noninteractive RES_OPTIONS='timeout:3 attempts:1' apt-get
    -o DPkg::Lock::Timeout=600 -o Acquire::Retries=1 -o Acquire::http::Timeout=15 -o Acquire::https::Timeout=15)
  said=$("${apt[@]}" update 2>&1) || true # one archive of several may fail
  if ! grep -qE '^(Get|Hit):' <<<"$said"; then
    echo "run_all.sh: no package archive answers: connect to the network, then run this script again" >&2
    exit 1
  fi
  size=$("${apt[@]}" install --assume-no --no-install-recommends "${missing[@]}" 2>&1 | sed -n \
    's/.* \([0-9]*\) newly installed.*/\1 packages/p; s/^Need to get \(.*\) of archives.*/, \1 to download/p
     s/^After this operation, \(.*\) of additional.*/, \1 on disk/p' | tr -d '\n') || true
  echo "== Installing $size"
  logged build/packages.log "${apt[@]}" install -y --no-install-recommends "${missing[@]}"
}

build() {
  local preset=$1 made steps
  shift
  made=$(sed -n 's/^CMAKE_HOME_DIRECTORY:INTERNAL=//p' "build/$preset/CMakeCache.txt" 2>/dev/null) || true
  if [ -n "$made" ] && ! [ "$made" -ef . ]; then
    echo "== build/$preset was made in $made; making it anew"
    rm -rf "build/$preset"
  fi
  if ! [ -f "build/$preset/build.ninja" ]; then
    echo "== Configuring build/$preset"
    logged "build/$preset.log" cmake --preset "$preset"
  fi
  steps=$(ninja -C "build/$preset" -n "${@:2}" 2>/dev/null | sed -n '$s/^\[\([1-9][0-9]*\).*/ \1 steps/p') || true
  echo "== Building${steps:+,$steps}"
  logged "build/$preset.log" cmake --build --preset "$preset" "$@"
}

run_tests() {
  unset SPRINGBENCH_PLUGINS SPRINGBENCH_SIMULATORS # they would be part of every command that is tested
  install_missing run test
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
  build release --target installed # so that cmake --install works afterwards
  exec build/release/springbench/springbench run --default "$default" "$@"
}

for word in "$@"; do
  case $word in -h | --help | -\?) sed -n '3,/^set /{s/^# \{0,1\}//p}' "$0" && exit ;; esac
done
if [ "${1:-}" = packages ]; then
  shift
  install_missing "${@:-run}"
elif [ "${1:-}" != test ]; then
  run_sweeps "$@"
elif [ $# -eq 1 ]; then
  run_tests
else
  printf "run_all.sh: 'test' takes nothing beside it\n./run_all.sh --help says what there is.\n" >&2
  exit 2
fi
