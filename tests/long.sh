#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-3.0-or-later
# What takes longer than ./run_all.sh test may: most of a day on two cores. A part that fails does not stop the others;
# status 1 when one did, and its name at the end.
#   tests/long.sh [PART…]           all parts, or these
#   tests/long.sh --quick [PART…]   each part as short as it still says something
#   tests/long.sh --list            the parts
set -euo pipefail
cd "$(dirname "$0")/.."
readonly build=$PWD/build/fault
readonly program=$build/springbench/springbench faults=$build/tests/fault
readonly parts=(tests sanitized valgrind methods ways simulators storing allocations noise overhead pages paraview fuzzing judging claims mutations coverage tidy packages)
export PYTHONDONTWRITEBYTECODE=1
quick=false

# In a quick look the second, otherwise the first.
length() { if $quick; then echo "$2"; else echo "$1"; fi; }

install_missing() {
  local name missing=() packages
  mapfile -t packages < <(sed -n '/^\[slurm\]/q; /^[a-z0-9]/p' packages.txt)
  for name in "${packages[@]}"; do
    dpkg-query -W -f='${Status}' "$name" 2>/dev/null | grep -q 'ok installed' || missing+=("$name")
  done
  [ ${#missing[@]} -eq 0 ] && return
  [ "$(id -u)" -eq 0 ] || { echo "please install: ${missing[*]}" >&2; exit 2; }
  apt-get update >/dev/null
  DEBIAN_FRONTEND=noninteractive apt-get install -y --no-install-recommends "${missing[@]}" >/dev/null
}

# Runs the script tests/fault/$1.py; remembers in $failed that one failed. 77: this machine does not permit it.
failed=false
fault() {
  local status=0
  OPENBLAS_NUM_THREADS=1 /usr/bin/python3 "tests/fault/$1.py" "$program" "${@:2}" || status=$?
  [ $status -eq 0 ] || [ $status -eq 77 ] || { failed=true; echo "$1: status $status"; }
}

# The same on every processor: each takes its share of the trials, $1 apart.
shared_fault() {
  local apart=$1 processors share jobs=() job
  processors=$(nproc)
  shift
  for ((share = 0; share < processors; ++share)); do
    (fault "$@" --stride $((apart * processors)) --offset $((apart * share)) && ! $failed) &
    jobs+=($!)
  done
  for job in "${jobs[@]}"; do wait "$job" || failed=true; done
}

# On 1, 2 and 4 ranks, with assertions, and samples of the faults below.
part_tests() {
  if $quick; then
    ctest --preset fault --parallel "$(nproc)" --label-exclude 'long|house|drivers'
  else
    ctest --preset fault --parallel "$(nproc)"
  fi
}

# The tests that ./run_all.sh test makes by the program without sanitizers.
part_sanitized() {
  cmake --preset dev -B build/sanitized -DSB_SANITIZED_DRIVERS=ON >/dev/null
  cmake --build build/sanitized -- --quiet
  (cd build/sanitized && ctest --output-on-failure --parallel "$(nproc)" --label-regex measured)
}

part_valgrind() {
  local test
  for test in test_options test_time_grid test_expression; do
    find "$build/tests" -name "$test" -type f | grep -q . || { echo "no $test"; return 1; }
    valgrind --quiet --error-exitcode=1 --leak-check=full "$(find "$build/tests" -name "$test" -type f)" >/dev/null
    echo "$test: no error, no leak"
  done
}

# Every Krylov method with every preconditioner of PETSc at their defaults, under both minimisers, on 1, 2 and 4 ranks.
part_methods() {
  local all=--all
  if $quick; then all=; fi
  python3 tests/linear/every_method.py "$program" ${all:+"$all"}
}

# Some 200 cases over all methods have the same bits by a worker, by --exec and by hand.
part_ways() { /usr/bin/python3 tests/equal_ways.py "$program"; }

# Each simulator of examples/simulators against theory. It is installed first, which needs a network.
part_simulators() {
  examples/simulators/install.sh >/dev/null
  /usr/bin/python3 tests/drivers/simulators.py "$program" Adapters.test_others
}

# docs/robustness/storing.md: faults at every call, kills, decay, full disks, signals.
part_storing() {
  local preload=$faults/preload.so stand_in=$faults/replay bits cuts
  bits=$(length 1000 20) cuts=$(length 200 5)
  shared_fault "$(length 1 100)" every_call "$preload" "$stand_in"
  shared_fault "$(length 40 400)" every_call "$preload" "$stand_in" --real
  fault every_case_call "$preload" --stride "$(length 1 41)"
  fault random_kills "$(length 200 10)"
  fault damage "$preload" "$bits" "$cuts" "$cuts"
  fault full_disk "$(length 60 4)"
  fault two_runs "$(length 10 2)"
  fault stop_signals "$(length 200 10)"
  fault dead_rank
  fault left_alone
  fault many_cases "$preload" "$stand_in" "$(length 10000 500)"
  ! $failed
}

# docs/robustness/coverage.md: no memory at each place where own code asks for it.
part_allocations() {
  shared_fault "$(length 1 20)" allocations "$faults/allocations.so" --places
  ! $failed
}

# A busy loop beside a timed case is noticed; what is flagged without one has a cause.
part_noise() { /usr/bin/python3 tests/noise.py "$program" "$(length 20 2)"; }

# What the harness costs beside its cases.
part_overhead() { python3 tests/overhead.py "$program" "$(length 100000 2000)"; }

# Reports, players and the page of live in a browser, where chromium is installed.
part_pages() {
  local folder name page
  folder=$(mktemp -d)
  for name in rope_blowup frame_cost; do
    "$program" run "$name" --quick -o "$folder/$name" >/dev/null 2>&1
  done
  "$program" report "$folder" >/dev/null
  for page in "$folder/report.html" "$folder"/*/report.html; do
    python3 tests/report/html_browser.py "$page" || [ $? -eq 77 ] || failed=true
  done
  /usr/bin/python3 tests/report/player_browser.py "$program" || [ $? -eq 77 ] || failed=true
  /usr/bin/python3 tests/live/live_browser.py "$program" || [ $? -eq 77 ] || failed=true
  rm -r "$folder"
  ! $failed
}

# Side-cars in each reader of ParaView; the picture it draws is left beside the program.
part_paraview() { /usr/bin/python3 tests/store/paraview_shows.py "$program" "$build/paraview.png"; }

# Random claims on random statuses, by both judges.
part_judging() {
  /usr/bin/python3 tests/judge/agree.py "$program" --statuses "$build/tests/report/write_made_up" 100 "$(length 200 5)"
}

# Each claim that quick results test, against the change of them that refutes it.
part_claims() {
  local folder
  folder=$(mktemp -d)
  "$program" run "$(length all ropes)" --quick -o "$folder" >/dev/null 2>&1
  /usr/bin/python3 tests/judge/refute.py "$program" "$folder" || failed=true
  rm -r "$folder"
  ! $failed
}

# What tests/fuzz.sh has gathered, and what has had less than an hour of a processor; a quick look fuzzes none.
part_fuzzing() {
  tests/fuzz.sh --summary
  echo "less than an hour: $(tests/fuzz.sh --missing 60 | xargs)"
}

# Faults seeded into the numerics and into the harness.
part_mutations() { if $quick; then tests/mutations.sh grid; else tests/mutations.sh; fi; }

part_coverage() { if $quick; then bash -n tests/coverage.sh; else tests/coverage.sh; fi; }

part_tidy() {
  git ls-files "$(length '*.c' 'base/*.c')" | grep -v '^tests/' |
    xargs -P "$(nproc)" -n 8 clang-tidy --quiet -p "$build" 2>/dev/null
}

# The packages in clean chroots, and the image of them. The wheel is among the tests.
part_packages() {
  if $quick || [ "$(id -u)" -ne 0 ]; then bash -n tests/package.sh tests/image.sh && return; fi
  tests/package.sh "$build/packages" && tests/image.sh "$build/packages/user/packages"
}

chosen=()
for word in "$@"; do
  case $word in
  --quick) quick=true ;;
  --list) printf '%s\n' "${parts[@]}" && exit ;;
  *)
    [[ " ${parts[*]} " == *" $word "* ]] || { echo "no part '$word'; parts: ${parts[*]}" >&2; exit 2; }
    chosen+=("$word")
    ;;
  esac
done
[ ${#chosen[@]} -gt 0 ] || chosen=("${parts[@]}")

install_missing
echo "== Building: release with assertions"
cmake --preset fault >/dev/null
cmake --build --preset fault -- --quiet
wrong=()
for part in "${chosen[@]}"; do
  echo "== $part, at $(git describe --always --dirty)"
  began=$SECONDS
  # Not as a condition: in one, bash does not stop at a command that fails.
  set +e
  (set -e && "part_$part")
  status=$?
  set -e
  outcome="as promised"
  [ $status -eq 0 ] || { wrong+=("$part"); outcome=FAILED; }
  echo "== $part: $outcome, $((SECONDS - began)) s"
done
[ ${#wrong[@]} -eq 0 ] || { echo "failed: ${wrong[*]}" >&2; exit 1; }
