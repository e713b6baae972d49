# SPDX-License-Identifier: GPL-3.0-or-later
"""`check` of hostile texts of PETSc's options, under strace: it writes nothing, connects nowhere and starts nothing but the
program. Argument: the program."""
import json
import os
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile

PROGRAM = os.path.realpath(sys.argv[1])
CLEAN = {name: value for name, value in os.environ.items() if not name.startswith(("OMPI_", "PMIX_", "PETSC_"))}
CLEAN["ASAN_OPTIONS"] = CLEAN.get("ASAN_OPTIONS", "") + ":detect_leaks=0"  # LeakSanitizer does not run under strace
CASES = {"petsc": "integrator: implicit_euler, minimizer: newton, linear: petsc",
         "petsc_nonlinear": "integrator: implicit_euler, minimizer: petsc_nonlinear", "petsc_ts": "integrator: petsc_ts"}
# Options that open, draw, connect, load, run, print, test or change the process.
HARMFUL = {
    "petsc": ["ksp_view binary", "ksp_view socket", "ksp_view_mat binary:pwned", "ksp_monitor draw", "ksp_monitor ascii:pwned",
              "ksp_monitor_solution", "ksp_converged_reason :pwned", "pc_view saws", "mat_view hdf5:pwned", "log_view :pwned",
              "log_view", "info pwned", "options_file pwned", "options_file_yaml pwned", "options_view", "options_left",
              "prefix_push ksp_", "prefix_pop", "help", "version", "malloc_dump", "malloc_view pwned", "dll_append pwned.so",
              "library_preload", "start_in_debugger", "on_error_attach_debugger gdb", "debugger_pause 9", "petsc_sleep 99",
              "ksp_python_type a.b", "pc_type shell", "pc_type python", "ksp_type python", "pc_composite_pcs jacobi,shell",
              "mat_mumps_icntl_1 91", "mat_mumps_icntl_2 92", "mat_mumps_icntl_3 93", "mat_mumps_icntl_4 4",
              "mat_mumps_icntl_22 1", "mat_mumps_ooc_tmpdir pwned", "mat_superlu_dist_statprint", "mat_umfpack_prl 6",
              "pc_hypre_boomeramg_print_statistics", "pc_bddc_check_level 9", "pc_mg_log", "pc_ml_PrintLevel 9",
              "ksp_plot_eigenvalues", "ksp_test_null_space", "ksp_error_if_not_converged", "viewer_binary_filename pwned",
              "vec_type cuda", "dm_view", "saws_options", "ksp_saws_block", "draw_save pwned", "fp_trap", "history pwned"],
    "petsc_nonlinear": ["snes_fd", "snes_fd_color", "snes_mf", "snes_mf_noise_file pwned", "npc_snes_fd", "npc_snes_mf_operator",
                        "snes_test_jacobian", "snes_compare_explicit", "snes_monitor draw", "snes_view socket", "tao_fd_gradient",
                        "tao_mf_hessian", "tao_test_gradient", "tao_view binary", "tao_draw_solution", "tao_type shell",
                        "snes_type python", "snes_composite_sneses newtonls,python"],
    "petsc_ts": ["ts_save_trajectory", "ts_trajectory_dirname pwned", "ts_monitor_solution binary:pwned", "ts_view socket",
                 "ts_monitor_draw_solution", "ts_fd_color", "ts_rhs_jacobian_test_mult", "ts_type python", "ts_type DISCGRAD",
                 "ts_event_tol 1"],
}
# Texts that split, repeat or disguise options.
ODD = ["--ksp_view binary", "-KSP_VIEW BINARY", "-ksp_max_it 3 --ksp_view_mat", "-ksp_type cg -KSP_type cr", "-ksp_rtol 1e-3 -Ksp_Rtol 1e-4",
       "-ksp_view\nbinary", "-ksp_type cg\n-ksp_view binary", "-ksp_type\tcg\t-ksp_VIEW\tbinary", "-ksp_type cg\r-help",
       "@pwned", "-ksp_type @pwned", "{-ksp_view binary}", "-ksp_type {cg}", "'-ksp_view binary'", "\"-ksp_view\" binary",
       "-ksp_type 'cg -ksp_view binary'", "-ksp_type cg,-ksp_view", "-ksp_view,binary", "-ksp_type=cg", "-ksp_type `cg`",
       "-ksp_type $(touch pwned)", "-ksp_type ../pwned", "-ksp_type /tmp/pwned", "-\u212asp_view binary", "-ksp_v\u0131ew binary",
       "\uff0dksp_view binary", "-ksp_view\u00a0binary", "\u2028-ksp_view binary", "-ksp_type\u00e9 cg", "#-ksp_view binary",
       "-no_ksp_view binary", "-sub_log_view", "-" + "sub_" * 4000 + "ksp_type cg", "-ksp_" + "x" * 9000 + " 1", "-", "--", "-1 2",
       "-ksp_view " * 300, "cg_gamg -KSP_view binary", "CG_GAMG", "cg_icc,-ksp_view", "-pc_type jacobi,shell", "-pc_type ,shell"]
# These pass, and PETSc reads them.
GOOD = [("petsc", "-KSP_Type minres -pc_TYPE jacobi"), ("petsc", "-KSP_VIEW -Ksp_Monitor"),
        ("petsc", "-ksp_type preonly -pc_type lu -pc_factor_mat_solver_type mumps -mat_MUMPS_icntl_14 30"),
        ("petsc", "-pc_type gamg -MG_levels_1_ksp_type chebyshev -mg_levels_pc_type sor"),
        ("petsc_nonlinear", "-TAO_type lmvm"), ("petsc_ts", "-ts_TYPE theta")]


def spellings(option):
    """As it is; in capitals but for its first word; in turns, behind the name of a solver inside."""
    name, _, value = option.partition(" ")
    first, line, rest = name.partition("_")
    turns = "".join(letter.upper() if i % 2 else letter for i, letter in enumerate(name))
    for text in ("-" + name, "-" + first + line + rest.upper(), "-MG_levels_1_" + turns):
        yield f"{text} {value}".rstrip()


def sweep(option, text):
    return ("springbench: 1\nname: hostile\ntimed: false\ndriver: trajectory\ndefaults: {scene: curtain, grid: 3, h: 0.01, "
            f"duration: 0.01, {CASES[option]}, {option}: {json.dumps(text)}}}\nsweep: [{{grid: {{stiffness: [100]}}}}]\n")


def judge(log, home):
    for line in log.splitlines():
        if " = -1 " in line or f'"{home}/.cache' in line:  # of a driver of OpenCL, which MPI may load
            continue
        place = re.search(r'"([^"]*)"', line)
        place = place[1] if place else ""
        if re.search(r" open(at)?\(", line) and re.search("O_WRONLY|O_RDWR|O_CREAT", line):
            assert place == "/dev/null" or place.startswith("/dev/shm/"), line  # of MPI, removed at once
        elif re.search(r" (connect|bind|sendto)\(", line):
            assert "AF_INET" not in line, line
        elif " execve(" in line:
            assert place in (PROGRAM, PROGRAM + "-cases") or place.startswith("/proc/self/fd/"), line
        else:
            assert not re.search(r" (creat|rename\w*|mkdir\w*|symlink\w*|link\w*|truncate|mknod\w*)\(", line) or "/dev/shm/" in line, line


texts = [(option, text) for option, names in HARMFUL.items() for name in names for text in spellings(name)
         if name != "log_view" or "levels" in text]  # alone it prints into the log
texts += [("petsc", text) for text in ODD]
assert len(texts) >= 200, len(texts)
with tempfile.TemporaryDirectory() as made, tempfile.TemporaryDirectory() as home:
    folder = pathlib.Path(made)
    for number, (option, text) in enumerate(texts + GOOD):
        (folder / f"{number:03}.yaml").write_text(sweep(option, text), encoding="utf-8")
    (folder / "pwned").write_text("-ksp_view binary\n")
    names = sorted(path.name for path in folder.iterdir())
    before = {path.name: path.read_bytes() for path in folder.iterdir()}
    watched = tempfile.NamedTemporaryFile()  # pylint: disable=consider-using-with
    trace = [] if not shutil.which("strace") else [
        "strace", "-f", "-qq", "-e", "signal=none", "-s", "300", "-o", watched.name, "--seccomp-bpf", "-e",
        "trace=execve,open,openat,creat,rename,renameat,renameat2,mkdir,mkdirat,symlink,symlinkat,link,linkat,truncate,mknod,"
        "mknodat,connect,bind,sendto"]
    done = subprocess.run([*trace, PROGRAM, "check", *(name for name in names if name.endswith(".yaml"))], cwd=folder,
                          capture_output=True, text=True, timeout=300, env={**CLEAN, "HOME": home})
    assert {path.name: path.read_bytes() for path in folder.iterdir()} == before, sorted(path.name for path in folder.iterdir())
    judge(pathlib.Path(watched.name).read_text(encoding="utf-8", errors="replace"), home)
    assert done.returncode == 2, (done.returncode, done.stderr[-2000:])
    for number, (option, text) in enumerate(texts + GOOD):
        said = [line for line in done.stderr.splitlines() if line.startswith(f"{number:03}.yaml")]
        good = number >= len(texts)
        assert bool(said) != good, (option, text, said)
        assert (f"{number:03}.yaml: 1 case" in done.stdout) == good, (option, text, done.stdout)
print(f"{len(texts)} texts refused, {len(GOOD)} read", "" if trace else "(without strace)")
