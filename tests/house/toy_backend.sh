#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-3.0-or-later
# A backend is one file and one line: the example of CONTRIBUTING.md is put into a copy of the tree, built, listed, used,
# and run through the conformance suite; a copy of it that lies is caught there. consumer.sh goes on with what is installed.
set -euo pipefail
source=$1
work=$2
rm -rf "$work"
mkdir -p "$work/copy"
tar -C "$source" --mode=u+w -cf - CMakeLists.txt packages.txt README.md CONTRIBUTING.md SECURITY.md CHANGELOG.md \
  CITATION.cff LICENSE cmake base model solvers cases drivers library python examples harness experiments springbench tests plots docs results/README.md results/published | tar -C "$work/copy" -xf -
cd "$work/copy"
# shellcheck disable=SC2016 # the backquotes are Markdown
sed -n '/^```c$/,/^```$/{/^```/d;p}' CONTRIBUTING.md >solvers/linear/plain_cg.c
echo 'SB_ENTRY(plain_cg)' >>solvers/linear/backends.def
cmake -S . -B build -G Ninja -DCMAKE_BUILD_TYPE=Debug -DCMAKE_C_FLAGS_DEBUG=-O1 -DCMAKE_INSTALL_PREFIX=/opt/spring >/dev/null
cmake --build build --target installed test_linear_conformance -- --quiet
DESTDIR="$work/a root" cmake --install build >/dev/null
springbench=build/springbench/springbench
listed=$($springbench list linear)
grep -A 1 '^plain_cg$' <<<"$listed" | grep -q 'conjugate gradients'
# Option values and their suggestions know it.
refused=$($springbench case scene=cloth grid=2 integrator=implicit_euler linear=plan_cg 2>&1 || true)
grep -q "did you mean 'plain_cg'" <<<"$refused"
# It works under every minimiser.
for minimizer in newton local_global; do
  ran=$($springbench case scene=cloth grid=4 integrator=implicit_euler minimizer=$minimizer max_iterations=2 \
    linear=plain_cg h=0.01 duration=0.02)
  grep -q 'status  *ok' <<<"$ran"
done
build/tests/linear/test_linear_conformance >conformance.txt 2>&1 || { cat conformance.txt; exit 1; }
# The same with a wrong sign is refused by the suite: it looked.
sed -i 's/PetscCall(VecAXPY(x, rr/PetscCall(VecAXPY(x, -rr/' solvers/linear/plain_cg.c
cmake --build build --target test_linear_conformance -- --quiet
if build/tests/linear/test_linear_conformance >/dev/null 2>&1; then
  echo "a backend with a wrong sign passed the conformance suite"
  exit 1
fi
