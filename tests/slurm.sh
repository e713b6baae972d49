#!/bin/sh
# SPDX-License-Identifier: GPL-3.0-or-later
# Scripts of `plan --slurm` on a real Slurm, of two nodes on this machine: an array of four tasks, of which one is
# cancelled and one is stopped within a case and requeued; merged, then the cancelled task again. All cases equal those
# of an undivided run, key by key and digest by digest. Needs root, who gets the packages; takes a minute or two.
#
# usage: tests/slurm.sh [PROGRAM]
set -eu
root=$(cd "$(dirname "$0")/.." && pwd)
program=${1:-$root/build/release/springbench/springbench}
packages=$(sed -n '/^\[slurm\]/,/^\[/{/^[a-z]/p;}' "$root/packages.txt")
if ! command -v slurmctld >/dev/null || ! command -v munged >/dev/null; then
  # shellcheck disable=SC2086 # words
  apt-get install -y --no-install-recommends $packages
fi

D=$(mktemp -d)
pids=
finish() {
  status=$?
  for pid in $pids; do kill "$pid" 2>/dev/null || true; done
  wait
  [ "$status" -eq 0 ] || tail -n 40 "$D"/log/*.log "$D"/a*/results.slurm/*.txt 2>/dev/null || true
  rm -rf "$D"
  exit "$status"
}
trap finish EXIT
trap 'exit 1' INT TERM

# ---- the cluster ----
mkdir "$D/state" "$D/spool.n1" "$D/spool.n2" "$D/run" "$D/log"
host=$(hostname -s)
cat >"$D/slurm.conf" <<END
ClusterName=sb
SlurmctldHost=$host(127.0.0.1)
SlurmUser=root
SlurmdUser=root
AuthType=auth/munge
AuthInfo=socket=$D/run/munge.socket
CryptoType=crypto/munge
StateSaveLocation=$D/state
SlurmdSpoolDir=$D/spool.%n
SlurmctldPidFile=$D/run/slurmctld.pid
SlurmdPidFile=$D/run/slurmd.%n.pid
SlurmctldLogFile=$D/log/slurmctld.log
SlurmdLogFile=$D/log/slurmd.%n.log
SlurmctldPort=16817
ProctrackType=proctrack/linuxproc
TaskPlugin=task/none
JobAcctGatherType=jobacct_gather/none
SelectType=select/cons_tres
SelectTypeParameters=CR_Core
SchedulerType=sched/backfill
SchedulerParameters=sched_interval=1,batch_sched_delay=1
ReturnToService=2
SlurmdParameters=config_overrides
MpiDefault=none
KillWait=5
MinJobAge=3600
NodeName=n1 NodeHostname=$host NodeAddr=127.0.0.1 Port=17001 CPUs=2 RealMemory=4000 State=UNKNOWN
NodeName=n2 NodeHostname=$host NodeAddr=127.0.0.1 Port=17002 CPUs=1 RealMemory=4000 State=UNKNOWN
PartitionName=all Nodes=ALL Default=YES MaxTime=INFINITE State=UP
END
dd if=/dev/urandom of="$D/munge.key" bs=128 count=1 2>/dev/null
chmod 400 "$D/munge.key"
chmod 755 "$D" "$D/run"
munged --foreground --force --socket="$D/run/munge.socket" --key-file="$D/munge.key" --pid-file="$D/run/munged.pid" \
  --log-file="$D/log/munged.log" --seed-file="$D/run/munged.seed" 2>/dev/null &
pids="$!"
export SLURM_CONF="$D/slurm.conf"
sleep 1
slurmctld -D -i -f "$SLURM_CONF" >"$D/log/slurmctld.out" 2>&1 &
pids="$pids $!"
for node in n1 n2; do
  slurmd -D -N $node -f "$SLURM_CONF" >"$D/log/$node.out" 2>&1 &
  pids="$pids $!"
done

# Waits for something to be true.
await() {
  what=$1
  shift
  tries=0
  until "$@" >/dev/null 2>&1; do
    tries=$((tries + 1))
    [ $tries -lt 600 ] || { echo "slurm.sh: no $what after a minute" >&2; exit 1; }
    sleep 0.1
  done
}
nodes_are_idle() { [ "$(sinfo -h -N -o %T | grep -c idle)" -eq 2 ]; }
await "idle nodes" nodes_are_idle
echo "== the cluster"
sinfo -N -o '%N %c %T'

# ---- the sweep ----
odd="a #b'c\"d%e" # a folder whose name no script may take apart
mkdir "$D/$odd"
cd "$D/$odd"
cat >sheets.yaml <<END
springbench: 1
name: sheets
question: Are cases of an array those of one run?
source: this test
driver: trajectory
timed: false
defaults: {scene: cloth, h: 0.0001, duration: 2, integrator: velocity_verlet, save: "every:50"}
sweep:
  - grid: {grid: [8, 9, 10, 11, 12, 14, 50]}
END
echo "== the undivided run"
"$program" run sheets.yaml -o whole
"$program" plan sheets.yaml --slurm 4 -o results
grep -v '^#!' results.slurm/array.sh

# The longest case is a shard of its own. Which task has it is the first that begins, as the longest case comes first.
echo "== the array"
array=$(sbatch --parsable --time=5 results.slurm/array.sh)
merge=$(sbatch --parsable --dependency="afterany:$array" results.slurm/merge.sh)
scancel "${array}_4" # before it begins, or while it runs
case_began() { [ -s results.slurm/part-1/journal.jsonl ] && ls results.slurm/part-1/tmp/*.part; }
await "case of task 1" case_began
sleep 1
echo "== USR1 to the batch script of task 1, as Slurm sends it before the end of an allocation"
scancel --batch --signal=USR1 "${array}_1"
requeued() { [ "$(scontrol show job "${array}_1" | sed -n 's/.*Restarts=\([0-9]*\).*/\1/p')" -ge 1 ]; }
await "requeue of task 1" requeued
ls -l results.slurm/part-1/tmp/*.checkpoint
requeued_job=$(scontrol show job "${array}_1" | sed -n 's/^JobId=\([0-9]*\).*/\1/p')
scontrol update JobId="$requeued_job" StartTime=now # Slurm waits two minutes else
merged() { squeue -h -j "$merge" -t all -o %T | grep -q 'COMPLETED\|FAILED'; }
await "merge" merged
squeue -t all -o '%i %j %T %r'
cat results.slurm/*.txt

echo "== the cancelled task again, merged"
again=$(sbatch --parsable --array=4 results.slurm/array.sh)
merge=$(sbatch --parsable --dependency="afterany:$again" results.slurm/merge.sh)
await "second merge" merged
cat results.slurm/merge.txt

echo "== compared"
"$program" compare whole results
/usr/bin/python3 - <<'END'
import json


def rows(folder):
    events = [json.loads(line) for line in open(f"{folder}/journal.jsonl")]
    return {event["key"]: event["row"] for event in events if event["event"] == "publish"}


whole, parts = rows("whole"), rows("results")
assert whole.keys() == parts.keys(), (len(whole), len(parts))
assert len(whole) == 7
for key, row in whole.items():
    other = parts[key]
    assert (row["digest"], row["columns"]) == (other["digest"], other["columns"]), key
    print(key, row["digest"], "continued" if other.get("continued") else "")
continued = [key for key, row in parts.items() if row.get("continued")]
assert len(continued) == 1 and parts[continued[0]]["wall_s"] is None, continued
END
echo "slurm.sh: all cases equal"
