# SPDX-License-Identifier: GPL-3.0-or-later
"""The command `case` from outside: exit statuses, messages, ranks, what is printed and what is left behind.
Argument: an executable that runs `case` with the drivers of fixture.c."""
import json
import os
import pathlib
import pty
import re
import shlex
import signal
import subprocess
import sys
import tempfile

import h5py

sys.path.insert(0, str(pathlib.Path(__file__).parents[1]))
from program import BOUND, author
from side_car import side_car

PROBE = sys.argv[1]
CASE = ["scene=cloth", "grid=2", "stiffness=10", "h=0.5", "duration=3.5", "save=final"]
OPEN = CASE[:-1]  # the choice of saved frames is open
CLEAN = {name: value for name, value in os.environ.items() if not name.startswith(("OMPI_", "PMIX_", "PETSC_"))}
CLEAN.update(OPENBLAS_NUM_THREADS="1", OMP_NUM_THREADS="1", OMP_THREAD_LIMIT="1",
             GOMP_SPINCOUNT="3000")  # else every case is executed twice


def run(*arguments, before=(), environment=None, status=0):
    done = subprocess.run([*before, PROBE, "case", *arguments], capture_output=True, text=True, timeout=100,
                          env={**CLEAN, **(environment or {})})
    assert done.returncode == status, (arguments, done.returncode, done.stdout, done.stderr)
    return done


def terminal(*arguments):
    """Returns the output on a terminal."""
    ours, theirs = pty.openpty()
    assert subprocess.run([PROBE, "case", *arguments], stdout=theirs, timeout=100, env=CLEAN).returncode == 0
    os.close(theirs)
    with open(ours, "rb", buffering=0) as stream:
        return stream.read(1 << 16).decode().replace("\r", "")


def row(*arguments, **more):
    done = run("--json", *arguments, **more)
    assert done.stdout.count("\n") == 1, done.stdout
    return json.loads(done.stdout)


def one_message(done, *words):
    """And Open MPI 5's notice that a rank failed."""
    said = re.sub(r"(?s)-{74}\nprterun .*?\n-{74}\n", "", done.stderr)
    assert done.stdout == "" and said.count("\n") == 1, (done.stdout, done.stderr)
    for word in words:
        assert word in said, (word, done.stderr)


def left_and_removed(*names):
    assert sorted(os.listdir(".")) == sorted(names), os.listdir(".")
    for name in names:
        os.remove(name)


def results_end_with_0():
    assert row(*CASE)["status"] == "ok"
    diverged = row(*CASE, "driver=diverging", "-o", "d.h5")
    assert diverged["status"] == "diverged" and diverged["reason"] == "vertex 3 left at step 12"
    assert row(*CASE, "driver=failing", status=1)["status"] == "error"
    left_and_removed("d.h5", "d.xdmf")


def the_summary_names_everything():
    done = run(*CASE, "-o", "a.h5")
    for line in ("status                     ok", "accuracy_ok                yes", "distance                   "
                 "0.3333333333333333 m", "unknown                    -\n", "verdict                    h\u00e4lt",
                 "file                       a.h5", "side_car                   a.xdmf",
                 "command                    springbench case driver=trajectory"):
        assert line in done.stdout, (line, done.stdout)
    assert done.stderr == ""
    left_and_removed("a.h5", "a.xdmf")
    shown = terminal(*CASE)
    assert "0.333333 m\n" in shown and "unknown " not in shown, shown


def the_command_stored_repeats_the_digest():
    first = row(*CASE, "perturbation=1/3", "integrator=implicit_euler", "petsc=-ksp_type cg -pc_type jacobi", "-o", "a.h5")
    with h5py.File("a.h5") as file:
        command = file["parameters"].attrs["command"].decode()
    assert command.startswith("springbench ")
    again = subprocess.run(f"{shlex.quote(PROBE)} {command.split(' ', 1)[1]} --json", shell=True, capture_output=True, text=True,
                           env=CLEAN, check=True)
    again = json.loads(again.stdout)
    assert (again["digest"], again["key"]) == (first["digest"], first["key"])
    left_and_removed("a.h5", "a.xdmf")


def usage_ends_with_2():
    one_message(run(*CASE, "stifness=3", status=2), "command line:7: error: unknown option 'stifness'", "'stiffness'")
    one_message(run(*CASE, "driver=trajectry", status=2), "command line:7: error:", "trajectory")
    one_message(run(*CASE, "--warm-up", "few", status=2), "command line:8: error: --warm-up", "few")
    one_message(run("scene=cloth", "stiffness=-1", status=2), "command line:2: error:", "-1")
    assert "--nonsense" in run("--nonsense", status=2).stderr
    assert "KEY=VALUE" in run("--help").stdout
    one_message(run(*CASE, "driver=nameless", "-o", "a.h5", status=2), "springbench: error: this option is of no use")
    one_message(run(*CASE, "--samples-from", PROBE, status=2), "samples of", PROBE)
    assert os.listdir(".") == []


def errors_end_with_1():
    one_message(run(*CASE, "driver=broken", "-o", "a.h5", status=1), "a bug of ours", "fixture.c:")
    one_message(run(*CASE, "driver=not_finite", "-o", "a.h5", status=1), "frame 1 (step 10) is not finite")
    assert os.listdir(".") == []


def what_standard_error_does_not_take_goes_to_standard_output():
    with open("/dev/full", "w") as full:
        done = subprocess.run([PROBE, "case", *CASE, "driver=broken"], stdout=subprocess.PIPE, stderr=full, text=True,
                              env=CLEAN)
    assert done.returncode == 1 and "a bug of ours" in done.stdout, done


def a_crash_is_the_signal_it_is():
    done = subprocess.run([PROBE, "case", *CASE, "driver=aborting"], capture_output=True, env=CLEAN)
    assert done.returncode == -signal.SIGQUIT and done.stdout == done.stderr == b"", done


def storage_errors_end_with_5():
    one_message(run(*CASE, "-o", "no/folder/a.h5", status=5), "cannot write 'no/folder/a.h5': No such file")
    os.mkdir("closed", 0o555)
    done = run(*CASE, "-o", "closed/a.h5", before=BOUND, status=5)
    one_message(done, "cannot write 'closed/a.h5': Permission denied")
    assert os.listdir("closed") == []
    os.rmdir("closed")


def an_older_file_survives_a_failure():
    run(*CASE, "-o", "a.h5")
    with open("a.h5", "rb") as file:
        before = file.read()
    run(*CASE, "driver=broken", "-o", "a.h5", status=1)
    with open("a.h5", "rb") as file:
        assert file.read() == before
    left_and_removed("a.h5", "a.xdmf")


def side_cars_come_and_go_with_their_files():
    """A file that no case has written stays; one that a case has written is replaced, and removed with the states."""
    run(*OPEN, "save=every:1", "-o", "a.h5")
    every = side_car("a.h5")
    run(*CASE, "-o", "a.h5")
    assert side_car("a.h5") != every and len(side_car("a.h5")["times"]) == 1 < len(every["times"])
    run(*OPEN, "save=none", "-o", "a.h5")
    left_and_removed("a.h5")
    run(*CASE, "--no-side-car", "-o", "a.h5")
    left_and_removed("a.h5")
    run(*OPEN, "save=every:1", "-o", "a.h5")
    run(*CASE, "--no-side-car", "-o", "a.h5")
    left_and_removed("a.h5")  # that of the older file is gone with it
    run(*CASE, "-o", "a")
    left_and_removed("a", "a.xdmf")
    for content in ("<Xdmf/>", ""):
        with open("a.xdmf", "w", encoding="ascii") as file:
            file.write(content)
        side_car_is_refused()
        with open("a.xdmf", encoding="ascii") as file:
            assert file.read() == content
    run(*CASE, "--no-side-car", "-o", "a.h5")
    left_and_removed("a.h5", "a.xdmf")


def side_car_is_refused():
    one_message(run(*CASE, "-o", "a.h5", status=2), "-o a.h5: its side-car would replace a.xdmf, which is not a side-car", "E109")


def what_is_no_file_is_not_opened():
    """A pipe would never end, and what a link leads to is another's. If a folder is missing, the message says that."""
    run(*CASE, "-o", "b.h5")
    for make in (os.mkfifo, os.mkdir, lambda name: os.symlink("b.xdmf", name), lambda name: os.symlink("nowhere", name)):
        make("a.xdmf")
        kind = os.lstat("a.xdmf").st_mode
        side_car_is_refused()
        run(*CASE, "--no-side-car", "-o", "a.h5")
        assert os.lstat("a.xdmf").st_mode == kind
        os.remove("a.h5")
        (os.rmdir if os.path.isdir("a.xdmf") else os.remove)("a.xdmf")
    one_message(run(*CASE, "-o", "b.h5/a.h5", status=5), "cannot write 'b.h5/a.h5': Not a directory")
    left_and_removed("b.h5", "b.xdmf")


def names_given_and_taken(*strace, status=0):
    """The calls that give or take a name in a case that is stored as a.h5, by strace: [(call, its number in its
    process)]. LeakSanitizer does not run under strace."""
    environment = {**CLEAN, "ASAN_OPTIONS": CLEAN.get("ASAN_OPTIONS", "") + ":detect_leaks=0"}
    done = subprocess.run(["strace", "-f", "-o", "calls", "-e", "trace=/^(rename|unlink)", *strace, PROBE, "case", *OPEN,
                           "save=every:1", "-o", "a.h5"], capture_output=True, text=True, env=environment)
    with open("calls", encoding="utf-8") as file:
        calls = re.findall(r"^(\d+) +((?:rename|unlink)\w*)\((.*)", file.read(), re.M)
    os.remove("calls")
    assert done.returncode == status, (strace, done)
    return [(call, sum(one[:2] == (process, call) for one in calls[:i + 1]))
            for i, (process, call, names) in enumerate(calls) if '"a.' in names]


def killed_anywhere_no_side_car_is_another_s():
    """At every call that gives or takes a name. A new file has its side-car before it has its name itself."""
    def begin(before):
        for name in os.listdir("."):
            os.remove(name)
        if before:
            run(*CASE, "-o", "a.h5")

    for before in (False, True):
        begin(before)
        calls = names_given_and_taken()
        side_car("a.h5")
        assert len(calls) >= (3 if before else 2), calls  # the older side-car goes first
        for call, number in calls:
            begin(before)
            names_given_and_taken("-e", f"inject={call}:signal=KILL:when={number}", status=-signal.SIGKILL)
            if os.path.exists("a.h5") and os.path.exists("a.xdmf"):
                side_car("a.h5")
            assert before or os.path.exists("a.xdmf") or not os.path.exists("a.h5"), (call, number)
    begin(False)


def strace_works():
    try:
        return subprocess.run(["strace", "-o", "/dev/null", "true"], capture_output=True).returncode == 0
    except FileNotFoundError:
        return False


def the_author_is_whom_the_machine_knows():
    for variable, name in (("", author()), ("Émilie du Châtelet",) * 2):
        run(*CASE, "-o", "a.h5", environment={"SPRINGBENCH_AUTHOR": variable})
        with h5py.File("a.h5") as file:
            assert file["h5md/author"].attrs["name"].decode() == name
    left_and_removed("a.h5", "a.xdmf")


def ranks_are_started_by_mpiexec():
    one, two = row(*CASE), row(*CASE, "--ranks", "2", "-o", "a.h5")
    assert one["digest"] == two["digest"] and one["key"] != two["key"]
    with h5py.File("a.h5") as file:
        assert file["provenance"].attrs["ranks"] == 2 and file["parameters"].attrs["ranks"] == 2
    left_and_removed("a.h5", "a.xdmf")
    one_message(run(*CASE, "ranks=2", "driver=nameless", status=2), "this option is of no use")
    one_message(run(*CASE, "ranks=2", "-o", "no/folder/a.h5", status=5), "cannot write 'no/folder/a.h5'")


def started_by_mpiexec_ranks_follow():
    mpiexec = ["mpiexec", "--oversubscribe", "--allow-run-as-root", "-n", "2"]
    assert row(*CASE, before=mpiexec)["key"] == row(*CASE, "ranks=2")["key"]
    quiet = {"OMPI_MCA_orte_execute_quiet": "1"}
    wrong = run(*CASE, "ranks=3", before=mpiexec, status=2, environment=quiet)
    one_message(wrong, "command line:7: error: ranks=3, but mpiexec")


def petsc_options_are_part_of_the_case():
    case = [*CASE, "integrator=implicit_euler"]
    plain, after = row(*case), row(*case, "--", "-ksp_type", "cg")
    assert plain["key"] != after["key"] and after["key"] == row(*case, "petsc=-ksp_type cg")["key"]
    both = row(*case, "petsc=-ksp_type cg", "--", "-pc_type", "jacobi")
    assert both["key"] == row(*case, "petsc=-ksp_type cg -pc_type jacobi")["key"]
    done = run("--json", *case, environment={"PETSC_OPTIONS": "-ksp_type cg"})
    assert json.loads(done.stdout)["key"] == plain["key"] and "PETSC_OPTIONS" in done.stderr and "W112" in done.stderr
    assert done.stderr.count("springbench: ") == 1  # PETSc 3.22 adds that no object read the option
    with open(".petscrc", "w", encoding="ascii") as file:
        file.write("-help\n")
    assert row(*case)["digest"] == plain["digest"]
    os.remove(".petscrc")


def threads_are_what_was_asked_for():
    for threads in (1, 2):
        row(*CASE, f"threads={threads}", "-o", "a.h5", environment={"OPENBLAS_NUM_THREADS": str(3 - threads)})
        with h5py.File("a.h5") as file:
            told = file["provenance"].attrs
            assert told["threads"] == threads
            assert b"OpenBLAS" not in told["blas"] or told["blas_threads"] == min(threads, len(os.sched_getaffinity(0)))
        left_and_removed("a.h5", "a.xdmf")


def repetitions_join():
    row(*CASE, "-o", "a.h5")
    again = row(*CASE, "--repetition", "1", "--samples-from", "a.h5", "-o", "b.h5")
    with h5py.File("b.h5") as file:
        assert list(file["timing/samples"]["repetition"]) == [0, 0, 0, 1, 1, 1]
    assert again["columns"]["step_median_s"] == 10.5
    left_and_removed("a.h5", "a.xdmf", "b.h5", "b.xdmf")


def main():
    with tempfile.TemporaryDirectory() as folder:
        os.chdir(folder)
        for check in (results_end_with_0, the_summary_names_everything, the_command_stored_repeats_the_digest,
                      usage_ends_with_2, errors_end_with_1, what_standard_error_does_not_take_goes_to_standard_output,
                      a_crash_is_the_signal_it_is, storage_errors_end_with_5, an_older_file_survives_a_failure,
                      side_cars_come_and_go_with_their_files, what_is_no_file_is_not_opened,
                      the_author_is_whom_the_machine_knows, ranks_are_started_by_mpiexec, started_by_mpiexec_ranks_follow, petsc_options_are_part_of_the_case,
                      threads_are_what_was_asked_for, repetitions_join, killed_anywhere_no_side_car_is_another_s):
            if check is killed_anywhere_no_side_car_is_another_s and not strace_works():
                sys.exit(77)  # all else is well
            check()
            print(check.__name__)
        os.chdir("/")


main()
