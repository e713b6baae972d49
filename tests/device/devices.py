# SPDX-License-Identifier: GPL-3.0-or-later
"""Devices by the program, beside what else it does: digests and keys, refusals, a stop by SIGUSR1, what is listed, and the
PTX that clang makes of the kernels, which has no fused multiply-add. Arguments: the program, the folder of the sources."""
import json
import os
import pathlib
import signal
import subprocess
import sys
import time

sys.path.insert(0, str(pathlib.Path(__file__).parents[1]))
root = pathlib.Path(sys.argv.pop(2))
from program import PROGRAM, Program, main

SHEET = ["scene=cloth", "grid=9", "springs=crossed+bending", "h=1e-4", "duration=0.02", "save=every:3"]
IMPLICIT = ["max_iterations=5", "visits=colours"]
METHODS = {"explicit_euler": [], "symplectic_euler": ["spring_damping=1e-3"], "velocity_verlet": ["drag=0.01"],
           "stoermer_verlet": ["damping_rate=0.1"], "position_verlet": ["passes=3", "drag=0"],
           "implicit_euler": ["minimizer=vertex_block_descent", "vbd_rho=0.5", *IMPLICIT]}
REFUSED = {"minimizer=newton": "devices do not support its matrices", "minimizer=local_global": "devices do not support its matrices",
           "minimizer=newton_cg preconditioner=aggregates": "devices do not support its matrices",
           "minimizer=xpbd visits=numbered": "give visits=colours",
           "minimizer=xpbd visits=colours xpbd_momentum=restored": "give xpbd_momentum=kept",
           "minimizer=gradient_descent pin_method=penalty": "give pin_method=reduce",
           "minimizer=chebyshev": "with linear 'cholesky', which devices do not support; choices: ",
           "minimizer=chebyshev linear=jacobi": "give linear_tolerance=0",
           "minimizer=chebyshev linear=chebyshev chebyshev_over=sor linear_tolerance=0": "give chebyshev_over=jacobi"}
NO_DRIVER = {"OCL_ICD_VENDORS": "/nonexistent"}


class Devices(Program):
    def row(self, *options, **more):
        return json.loads(self.call("case", "--json", *options, **more).stdout)

    def test_digests_and_keys(self):
        for name, own in METHODS.items():
            rows = [self.row(*SHEET, f"integrator={name}", *own, *device)
                    for device in ([], ["device=none", "precision=double"], ["device=host"], ["device=opencl"])]
            self.assertEqual(len({row["digest"] for row in rows}), 1, name)
            self.assertEqual({row["status"] for row in rows}, {"ok"})
            self.assertEqual(rows[0]["key"], rows[1]["key"])
            self.assertEqual(len({row["key"] for row in rows}), 3)
            self.assertIsNone(rows[0]["columns"]["device_used"])
            self.assertEqual(rows[2]["columns"]["device_used"], "host")
            self.assertRegex(rows[3]["columns"]["device_used"], r", driver .+, OpenCL .+, has double precision.*, \d+ threads?$")
            self.assertGreater(rows[3]["columns"]["launches"], 0)
            self.assertGreater(rows[3]["columns"]["kernels_s"], 0)
            timed = self.row("driver=timing", *SHEET, f"integrator={name}", *own, "device=opencl")["columns"]
            self.assertLessEqual(timed["launches"], rows[3]["columns"]["launches"])  # without those of the bandwidth
            self.assertEqual(timed["bound_s"] is None, name == "implicit_euler")
            self.assertGreater(timed["bound_s"] or 1, 0)
        single = [self.row(*SHEET, f"device={device}", "precision=single")["digest"] for device in ("host", "opencl")]
        self.assertEqual(single[0], single[1])
        self.assertNotEqual(single[0], rows[0]["digest"])

    def test_refusals(self):
        for more, said in ((["precision=single"], "precision=single needs a device"),
                           (["device=host", "integrator=rk4"], "no device has the steps of this case"),
                           (["device=host", "contact=penalty", "collider=plane:"], "contact=penalty"),
                           (["device=host", "wind=uniform:acceleration=[1,0,0]"], "devices do not support it"),
                           (["device=host", "pin_path=linear:velocity=[0,0,1]"], "devices do not support it"),
                           (["device=host", "ranks=2"], "ranks=2"),
                           (["device=opencl:99"], "there is no device opencl:99"),
                           (["device=opencl:0"], "opencl:0")):
            self.assertIn(said, self.call("case", *SHEET, *more, status=2).stderr)
        self.assertIn("device=host", self.call("case", "driver=statics", "scene=cloth", "grid=3", "device=host", status=2).stderr)

    def test_refusals_of_minimisers(self):
        for options, said in REFUSED.items():
            told = self.call("case", *SHEET, "integrator=implicit_euler", "device=host", *options.split(), status=2).stderr
            self.assertIn(said, told)

    def test_residuals_that_nobody_measured_are_blank(self):
        solving = [*SHEET, "integrator=implicit_euler", "minimizer=chebyshev", "linear=jacobi", "linear_tolerance=0",
                   "linear_max_iterations=2", "max_iterations=3"]
        for device in ("none", "host"):
            worst = self.row(*solving, f"device={device}")["columns"]["residual_worst"]
            self.assertEqual(worst is None, device == "host")

    def test_convergence(self):
        """Errors of iterates on a device are those of the processor, with a reference in double precision."""
        sheet = ["driver=convergence", "scene=cloth", "grid=9", "h=0.01", "minimizer=vertex_block_descent", "visits=colours",
                 "max_iterations=200"]
        rows = [self.row(*sheet, *device) for device in
                ([], ["device=opencl"], ["device=host", "precision=single"], ["device=opencl", "precision=single"])]
        self.assertEqual(rows[0]["digest"], rows[1]["digest"])
        self.assertEqual(rows[2]["digest"], rows[3]["digest"])
        force = [row["columns"]["force_final"] for row in rows]
        self.assertLess(100 * force[0], force[2])
        self.assertEqual(len({row["columns"]["reference_gradient"] for row in rows}), 1)
        self.assertGreater(rows[1]["columns"]["launches"], 200)

    def test_without_a_driver(self):
        env = {**os.environ, **NO_DRIVER}
        self.assertIn("pocl-opencl-icd", self.call("case", *SHEET, "device=opencl", status=2, env=env).stderr)
        self.assertIn("pocl-opencl-icd", self.call("list", "devices", env=env).stdout)
        self.assertEqual(json.loads(self.call("list", "devices", "--json", env=env).stdout), {"devices": []})
        self.assertEqual(self.row(*SHEET, env=env)["digest"], self.row(*SHEET, "device=host", env=env)["digest"])
        (self.folder / "one.yaml").write_text("springbench: 1\nname: one\nquestion: Is there a driver?\ndriver: trajectory\n"
                                              "defaults: {scene: cloth, grid: 9, h: 1e-4, duration: 1e-3}\n"
                                              "sweep: [{grid: {device: [opencl]}}]\n")
        self.call("run", "one.yaml", "-o", "none", status=1, env=env)
        self.call("run", "one.yaml", "-o", "there")

    def test_list(self):
        found = json.loads(self.call("list", "devices", "--json").stdout)["devices"]
        self.assertGreater(len(found), 0, "install pocl-opencl-icd")
        self.assertEqual(found[0]["name"], "opencl:1")

    def test_a_stop_and_its_continuation(self):
        """SIGUSR1 ends a case on a device with 75, though PoCL replaces its handlers."""
        for name, duration in (("stoermer_verlet", 2), ("implicit_euler", 0.2)):
            self.stop_and_continue([*SHEET[:-2], f"duration={duration}", "save=every:200", f"integrator={name}",
                                    *METHODS[name]])

    def stop_and_continue(self, sheet):
        self.prepared = getattr(self, "prepared", 0) + 1
        case = ["case", "--json", *sheet, "device=opencl", "-o"]
        whole = json.loads(self.call(*case, f"whole{self.prepared}.h5").stdout)
        codes = []
        for attempt in range(40):
            process = subprocess.Popen([PROGRAM, *case, f"parts{self.prepared}.h5"], cwd=self.folder, text=True, stdout=subprocess.PIPE,
                                       stderr=subprocess.DEVNULL)
            time.sleep(0.5 * 1.5 ** attempt)
            process.send_signal(signal.SIGUSR1)
            out = process.communicate(timeout=300)[0]
            codes.append(process.returncode)
            if process.returncode == 0:
                break
        self.assertLessEqual(set(codes), {0, 75, -signal.SIGUSR1})
        self.assertIn(75, codes)
        row = json.loads(out)
        self.assertEqual(row["digest"], whole["digest"])
        self.assertGreater(row["continued"], 0)

    def fused(self, contract, real, kernels, entry, *more):
        """Fused multiply-adds in PTX."""
        text = "".join((root / "solvers/device" / name).read_text() for name in ("kernel_parameters.h", "kernel_common.h", kernels))
        self.assertIn("#pragma OPENCL FP_CONTRACT OFF", text)
        (self.folder / "kernels.cl").write_text(text.replace("FP_CONTRACT OFF", f"FP_CONTRACT {contract}"))
        done = subprocess.run(["clang", "-x", "cl", "-cl-std=CL1.2", "-target", "nvptx64-nvidia-nvcl", "-O3", f"-D{real}", *more,
                               "-Xclang", "-finclude-default-header", "-S", "-o", "-", "kernels.cl"],
                              cwd=self.folder, capture_output=True, text=True, check=True).stdout
        self.assertIn("mul.rn", done)
        self.assertIn(f".entry {entry}", done)
        return done.count("fma.")

    def test_no_fused_multiply_add(self):
        for of in (("step_kernels.h", "position_move"), ("net_kernels.h", "visit_vertex", "-DSB_BY_VERTEX")):
            for real in ("SB_DOUBLE", "SB_SINGLE"):
                self.assertEqual(self.fused("OFF", real, *of), 0)
                self.assertGreater(self.fused("ON", real, *of), 50)


main()
