#!/usr/bin/env bash
# What takes longer than ./run_all.sh test may: the tests without sanitizers on 1, 2 and 4 ranks, with assertions on and
# with faults injected into the runner's disk calls; valgrind on a sample; clang-tidy over everything.
set -euo pipefail
cd "$(dirname "$0")/.."
mapfile -t packages < <(sed -n '/^[a-z0-9]/p' packages.txt)
for name in "${packages[@]}"; do
  dpkg-query -W -f='${Status}' "$name" 2>/dev/null | grep -q 'ok installed' || missing+=("$name")
done
if [ -n "${missing[*]:-}" ]; then
  [ "$(id -u)" -eq 0 ] || { echo "please install: ${missing[*]}" >&2; exit 2; }
  apt-get update >/dev/null
  DEBIAN_FRONTEND=noninteractive apt-get install -y --no-install-recommends "${missing[@]}" >/dev/null
fi

echo "== Release with assertions: 1, 2 and 4 ranks, injected faults"
cmake --preset fault >/dev/null
cmake --build --preset fault -- --quiet
ctest --preset fault --parallel "$(nproc)"

echo "== valgrind on the unit tests of base and on the expression language"
for test in base/test_options base/test_time_grid harness/test_expression; do
  valgrind --quiet --error-exitcode=1 --leak-check=full "build/fault/tests/$test" >/dev/null
done

echo "== Storing: faults at every call, kills, decay, full disks, signals (docs/robustness/storing.md)"
faults() {
  /usr/bin/python3 "tests/fault/$1.py" build/fault/springbench/springbench "${@:2}" || [ $? -eq 77 ]
}
preload=$PWD/build/fault/tests/fault/preload.so stand_in=$PWD/build/fault/tests/fault/replay
faults every_call "$preload" "$stand_in"
faults every_call "$preload" "$stand_in" --real --stride 40
faults every_case_call "$preload"
faults allocations "$PWD/build/fault/tests/fault/allocations.so" --places
faults random_kills 200
faults damage "$preload" 1000 200 200
faults full_disk 60
faults two_runs 10
faults stop_signals 200
faults dead_rank
faults many_cases "$preload" "$stand_in" 10000

echo "== A busy loop beside a timed case is noticed; an idle machine raises no alarm (asked for where it is idle)"
tests/noise.py build/fault/springbench/springbench 20 || [ $? -eq 77 ]

echo "== Reports in a browser, where chromium is installed"
folder=$(mktemp -d)
for name in rope_blowup frame_cost; do
  build/fault/springbench/springbench run "experiments/$name.yaml" --quick -o "$folder/$name" >/dev/null 2>&1
done
build/fault/springbench/springbench report "$folder" >/dev/null
for page in "$folder/report.html" "$folder"/*/report.html; do
  python3 tests/report/html_browser.py "$page" || [ $? -eq 77 ]
done
rm -r "$folder"

echo "== Faults seeded into the numerics"
tests/mutations.sh

echo "== clang-tidy"
cmake --preset clang >/dev/null
git ls-files '*.c' | grep -v '^tests/' | xargs -P "$(nproc)" -n 8 clang-tidy --quiet -p build/clang 2>/dev/null
