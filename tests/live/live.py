# SPDX-License-Identifier: GPL-3.0-or-later
"""`springbench live` without a browser: live.py PROGRAM [TEST ...]. Its tests: who may come in; knobs, hands, files and
two sides; the bits of untouched steps; pages that are wrong, slow or gone; processes that end. SB_HOSTILE: messages of
the noise (10000)."""
import json
import os
import pathlib
import random
import resource
import signal
import socket
import struct
import sys
import time

import h5py
import numpy

sys.path.insert(0, __file__.rsplit("/", 2)[0])
sys.path.insert(0, __file__.rsplit("/", 1)[0])
from client import Live, Page, Picture, Refused
from program import PROGRAM, Program, main

CLOTH = ["scene=cloth", "grid=6", "integrator=implicit_euler", "h=0.01"]


def about(pid, what):
    return pathlib.Path(f"/proc/{pid}/{what}").read_text()


def heard_until_closed(s):
    """Returns the bytes that arrive before the other side closes, which it may do with unread data (a reset)."""
    heard = b""
    try:
        while some := s.recv(1000):
            heard += some
    except ConnectionError:
        pass
    return heard


def children(pid):
    return [int(word) for word in about(pid, f"task/{pid}/children").split()]


def ticks(pid):
    """Processor time of a process."""
    return sum(int(word) for word in about(pid, "stat").rsplit(")", 1)[1].split()[11:13])


def resident(pid):
    return next(int(line.split()[1]) for line in about(pid, "status").splitlines() if line.startswith("VmRSS"))


class Hands(Program):
    def live(self, *words, environment=None):
        live = Live(PROGRAM, *words, folder=self.folder, environment=environment)
        self.addCleanup(live.close)
        self.addCleanup(live.process.wait)
        self.addCleanup(live.process.kill)
        self.ends = lambda: self.assertEqual(live.end(), (0, ""))
        return live

    def answer(self, page, do, **more):
        """Returns the answer to a change, or to any other request that has one."""
        page.say(do, **more)
        return page.until(lambda m: isinstance(m, dict) and m["type"] in ("changed", "refused", "result"))

    # ---- who may come in ----

    def test_the_door(self):
        live = self.live(*CLOTH)
        self.assertEqual([live.get("/")[0], live.get("/", token="0" * 32)[0], live.get("/", token="")[0],
                          live.get("/", host="attacker.example")[0], live.get("/../etc/passwd")[0], live.get("/x")[0]],
                         [200, 403, 403, 403, 404, 404])
        status, head, page = live.get("/", host="localhost:8000")
        self.assertEqual(status, 200)
        for line in ("frame-ancestors 'none'", "nosniff", "no-referrer", "no-store"):
            self.assertIn(line, head)
        self.assertIn("</html>", page)
        self.assertNotIn(live.token, page)
        home = f"http://127.0.0.1:{live.port}"
        for wrong in [{"token": "0" * 32}, {"token": ""}, {"token": live.token[:-1]}, {"host": "attacker.example"},
                      {"host": "127.0.0.1.attacker.example"}, {"origin": "http://attacker.example"}, {"origin": ""},
                      {"origin": "null"}, {"origin": home + "0"}, {"origin": home.replace("http", "https")},
                      {"subprotocol": ""}, {"subprotocol": "chat"},
                      {"subprotocol": "descriptor"}, {"subprotocol": "http-only"}, {"host": "localhost:1", "origin": home}]:
            with self.assertRaises((Refused, ConnectionError), msg=wrong):
                live.page(**wrong)
        with socket.create_connection(("127.0.0.1", live.port), timeout=20) as s:
            s.sendall(b"GET / HTTP/1.1\r\nHost: attacker.example\r\nUpgrade: h2c\r\nConnection: Upgrade, HTTP2-Settings\r\n"
                      b"HTTP2-Settings: AAMAAABkAAQAAP__\r\n\r\n")
            self.assertNotIn(b" 101 ", heard_until_closed(s))
        for right in [{}, {"host": "localhost:8000"}, {"host": "[::1]:9"}, {"host": "127.0.0.1"}]:
            live.page(**right).close()
        self.assertEqual([live.get("/", method=m)[0] for m in ("HEAD", "POST", "PUT", "DELETE", "OPTIONS", "PATCH")], [405] * 6)
        self.assertEqual(live.get("/", host="127.0.0.1\0.attacker.example")[0], 403)
        with self.assertRaises(Refused):
            live.page(host="127.0.0.1\0.attacker.example")
        command = about(live.process.pid, "cmdline") + "".join(
            about(child, "cmdline") for child in children(live.process.pid))
        self.assertNotIn(live.token, command)
        self.ends()

    def test_it_listens_on_the_loopback_address_alone(self):
        live = self.live(*CLOTH)
        listening = [line.split()[1] for name in ("tcp", "tcp6") for line in about(live.process.pid, f"net/{name}").splitlines()
                     if line.split()[3] == "0A" and line.split()[1].endswith(f":{live.port:04X}")]
        self.assertEqual(listening, [f"0100007F:{live.port:04X}"])
        with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as s:
            try:
                s.connect(("192.0.2.1", 9))  # sends nothing; tells this machine's other address
                other = s.getsockname()[0]
            except OSError:
                other = None
        if other and not other.startswith("127."):
            with self.assertRaises(ConnectionRefusedError):
                Page(live, address=other)
        self.ends()

    def test_half_open_connections_are_closed(self):
        live = self.live(*CLOTH)
        sockets = [socket.create_connection(("127.0.0.1", live.port), timeout=30) for _ in range(4)]
        for s, text in zip(sockets, [b"", b"GET / HT", b"GET / HTTP/1.1\r\nHost: 127.0.0.1\r\n", b"\0" * 9], strict=True):
            s.sendall(text)
        for s in sockets:
            heard_until_closed(s)
        page = live.page()
        page.see()
        page.socket.sendall(b"\x81\xfe\x01\x00abcd" + b"half a message")
        with self.assertRaisesRegex(EOFError, "half a message"):
            page.until(lambda m: False)
        self.ends()

    def test_a_crowd_of_tunnels_does_not_lock_out(self):
        """CONNECT, with which libwebsockets begins a raw connection."""
        live = self.live(*CLOTH)
        for _ in range(80):
            with socket.create_connection(("127.0.0.1", live.port), timeout=30) as s:
                s.sendall(b"CONNECT /?token=x HTTP/1.1\r\nHost: localhost\r\n\r\n")
                self.assertNotIn(b"200", heard_until_closed(s))
        live.page().see()
        self.ends()

    # ---- knobs ----

    def test_the_knobs_are_the_options(self):
        page = self.live(*CLOTH, "linear=petsc", "petsc=-ksp_type cg").page()
        options = {o["name"]: o for o in page.hear("knobs")["options"]}
        values = page.hear("values")["options"]
        self.assertEqual((options["stiffness"]["unit"], options["stiffness"]["range"]), ("N/m", "[0,1e15]"))
        self.assertIn(["newton", next(s for n, s in options["minimizer"]["choices"] if n == "newton")],
                      options["minimizer"]["choices"])
        first = [o["name"] for o in sorted(options.values(), key=lambda o: o["first"]) if o["first"] and o["name"] in values]
        self.assertGreater(len(first), 10)
        self.assertEqual(first[:3], ["integrator", "minimizer", "linear"])
        locked = {name for name, o in options.items() if o["locked"]}
        self.assertEqual(locked, {name for name, o in options.items() if o["kind"] == "TEXT"})
        self.assertTrue({"mesh", "vertex_data", "spring_data", "petsc", "plugin_options"} < locked)
        self.assertFalse({"duration", "restart", "driver", "ranks", "save"} & set(options))
        self.assertEqual((values["grid"], values["h"], values["petsc"]), ("6", "0.01", "-ksp_type cg"))
        self.assertNotIn("nodes", {name for name in values if values[name]})
        self.ends()

    def test_changes(self):
        page = self.live(*CLOTH).page()
        page.see(lambda p: p.step >= 3)
        page.say("run", value=False)
        page.hear("state", running=False)
        self.assertFalse(self.answer(page, "set", side=0, option="stiffness", value="50")["anew"])
        kept = page.see()
        self.assertGreaterEqual(kept.step, 3)
        self.assertEqual(self.answer(page, "set", side=0, option="h", value="5 ms")["anew"], False)
        half = page.see(lambda p: p.h == 0.005)
        self.assertEqual((half.step, half.position), (2 * kept.step, kept.position))
        for option, value, why in [("stiffness", "-1", "out of range"), ("stiffness", "a", "E10"), ("minimizer", "newtn", "did you mean"),
                                   ("mesh", "/etc/passwd", "only the command line"), ("petsc", "-help", "only the command line"),
                                   ("restart", "a.h5", "no meaning"), ("nothing", "1", "no such option"),
                                   ("h", '1" petsc="-x', "no quotes"), ("duration", "1", "no meaning")]:
            said = self.answer(page, "set", side=0, option=option, value=value)
            self.assertEqual((said["type"], said["option"]), ("refused", option))
            self.assertIn(why, said["message"])
        self.assertEqual(page.see().position, half.position)
        said = self.answer(page, "set", side=0, option="pins", value="none")
        self.assertEqual((said["anew"], page.see().position), (False, half.position))
        said = self.answer(page, "set", side=0, option="grid", value="4")
        self.assertTrue(said["anew"] and said["note"])
        self.assertEqual((page.see(lambda p: p.vertices == 25).time), 0)
        self.ends()

    def test_an_earlier_choice_is_no_obstacle(self):
        """A run that begins again, or beside another, leaves out options that its law or method does not read."""
        page = self.live(*CLOTH).page()
        change = lambda option, value: self.answer(page, "set", side=0, option=option, value=value)  # noqa: E731
        first = [knob["name"] for knob in page.hear("knobs")["options"] if knob["first"]]
        self.assertLess({"law", "law_cubic", "law_exponent", "damping_in_step"}, set(first))
        for option, value in (("law", "cubic"), ("law_cubic", "5"), ("damping_in_step", "0.01"), ("stiffness_warp", "90")):
            self.assertEqual(change(option, value)["type"], "changed")
        self.assertIn("upper bound", change("minimizer", "local_global")["message"])
        self.assertEqual(change("law", "tension")["type"], "changed")
        for request, side in (("again", 0), ("beside", 1)):
            page.say(request, **({"value": True} if side else {}))
            said = page.until(lambda m: isinstance(m, dict) and m["type"] in ("net", "refused") and m["side"] == side)
            self.assertEqual(said["type"], "net", said.get("message"))
        change("minimizer", "newton_cg")
        self.assertTrue(change("grid", "5")["anew"])
        self.assertEqual(change("integrator", "rk4")["type"], "changed")
        self.ends()

    def test_a_change_of_h_says_where_the_clock_goes(self):
        page = self.live(*CLOTH).page()
        page.say("run", value=False)
        page.hear("state", running=False)
        page.say("again")
        page.hear("net")
        page.see(lambda p: p.step == 0)
        for step in range(1, 4):
            page.say("step")
            page.see(lambda p: p.step == step)
        self.assertEqual(self.answer(page, "set", side=0, option="h", value="0.005")["note"], "")
        said = self.answer(page, "set", side=0, option="h", value="0.02")
        self.assertIn("The clock goes from 0.03 s to 0.04 s", said["note"])
        self.assertEqual(page.see(lambda p: p.h == 0.02).time, 0.04)
        self.ends()

    def test_a_plugin_in_python(self):
        """Its exception stops the side, with file and line."""
        text = (pathlib.Path(__file__).parent.parent.parent / "examples/own_bb.py").read_text()
        (self.folder / "own.py").write_text(text.replace("        g = ", "        if problem.step == 6:\n            raise KeyError(6)\n        g = "))
        words = ["--plugin", "own.py", *CLOTH, "minimizer=numpy_bb", "max_iterations=9"]
        live = self.live(*words, environment=os.environ | {"PATH": "/usr/bin:" + os.environ["PATH"]})
        said = live.page().until(lambda m: isinstance(m, dict) and m["type"] == "stopped")
        self.assertRegex(said["reason"], "own.py:16: error: KeyError: 6")
        self.assertRegex(live.end()[1], "Traceback(.|\n)*raise KeyError")

    # ---- bursts ----

    def pull(self, page, vertex, by, seconds):
        """Pulls a vertex away and holds it. Returns the message that it stopped, or the last picture."""
        start = page.see()
        place = start.position[vertex]
        for k in range(1, 21):
            page.say("drag", vertex=vertex, to=[x + k / 20 * d for x, d in zip(place, by, strict=True)], by="pin")
            start = page.see(lambda p: p.frame > start.frame)
        return page.until(lambda m: isinstance(m, Picture) and m.time > start.time + seconds or isinstance(m, dict) and m["type"] == "stopped")

    def test_without_h_a_pull_is_survived(self):
        page = self.live("scene=cloth", "grid=20").page()
        values = page.hear("values")
        self.assertEqual(values["options"]["h"], values["chosen_h"])
        at_rest = page.see(lambda p: p.limit_h > 0)
        self.assertTrue(0.45 < at_rest.h / at_rest.limit_h <= 0.5, at_rest.h / at_rest.limit_h)
        self.assertIn(f" h={values['chosen_h']} ", self.answer(page, "command", side=0)["text"])
        for by in ([-1.2, -0.5, 1], [2, 2, 2]):
            last = self.pull(page, 399, by, 1)
            self.assertIsInstance(last, Picture)
            self.assertLess(last.strain_max, 5)
        # Another net has another limit, but the step that somebody gave stays.
        said = self.answer(page, "set", side=0, option="grid", value="30")
        self.assertIn("half its limit", said["note"])
        self.assertLess(page.see(lambda p: p.vertices == 31 * 31).h, 0.8 * at_rest.h)
        self.answer(page, "set", side=0, option="h", value="2e-4")
        self.answer(page, "set", side=0, option="grid", value="10")
        self.assertEqual(page.see(lambda p: p.vertices == 121).h, 2e-4)
        self.ends()

    def test_a_burst_stops_its_side(self):
        live = self.live("scene=cloth", "grid=20", "h=0.001", "-o", "out")
        page = live.page()
        page.see(lambda p: p.time > 0.1)
        said = self.pull(page, 399, [-1.2, -0.5, 1], 20)
        self.assertEqual(said["status"], "burst")
        self.assertIn("J more than it began with and was given", said["reason"])
        last = page.see(lambda p: p.limit_h > 0)
        self.assertLess(last.h, last.limit_h)
        self.assertLess(last.strain_max, 100)  # within the bounds of the solvers
        live.page().hear("stopped")  # one that comes later hears it, too
        self.assertIn("ended early", self.answer(page, "save", side=0)["message"])
        page.say("again")
        page.see(lambda p: 0.1 < p.time < 0.5)
        self.ends()
        # A knob that is turned too far; what gives energy by itself is not a burst.
        page = self.live("scene=rope", "integrator=symplectic_euler").page()
        self.answer(page, "set", side=0, option="stiffness", value="10000")
        self.assertEqual(page.hear("stopped")["status"], "burst")
        page = self.live("scene=cloth", "grid=6", "h=5e-4").page()
        page.see()
        page.say("drag", vertex=48, to=[3, 3, 3], by="spring")
        for option, value in (("gravity", "[0,0,-500]"), ("stiffness", "3000"), ("gravity", "[0,0,-10]"), ("stiffness", "10")):
            self.answer(page, "set", side=0, option=option, value=value)
            page.say("gust", acceleration=[0, 200, 0])
            start = page.see().time
            page.until(lambda m: isinstance(m, Picture) and m.time > start + 0.3 or isinstance(m, dict) and self.assertNotEqual(m["type"], "stopped"))
        self.ends()

    def test_untouched_steps_have_the_bits_of_a_case(self):
        for words in (CLOTH, ["scene=rope", "integrator=velocity_verlet", "h=0.001"],
                      [*CLOTH, "minimizer=local_global", "max_iterations=2"]):
            live = self.live(*words, "-o", "out")
            page = live.page()
            page.say("run", value=False)
            page.hear("state", running=False)
            page.say("again")
            page.hear("net")  # a step from before the pause may come before it
            page.see(lambda p: p.step == 0)
            page.say("pace", factor=1, steps=7)
            for step in range(1, 31):
                page.say("step")
                page.see(lambda p: p.step == step)
            command = self.answer(page, "command", side=0)
            file = self.answer(page, "save", side=0)["file"]
            self.assertIn(" duration=", command["text"])
            self.shell(command["text"] + " -o case.h5")
            with h5py.File(self.folder / file) as a, h5py.File(self.folder / "case.h5") as b:
                for name in ("position", "velocity"):
                    one, other = (f[f"particles/all/{name}/value"][-1] for f in (a, b))
                    self.assertEqual(one.tobytes(), other.tobytes(), (words, name))
            self.ends()

    def test_requests_are_of_one_form(self):
        page = self.live(*CLOTH).page()
        for request, why in [({"do": "open", "options": {}}, "no such request"), ({"do": "advance"}, "no such request"),
                             ({"do": "save", "side": 7}, "'side' of 'save' is a whole number from 0 to 1"),
                             ({"do": "save", "side": 1}, "there is one simulation"),
                             ({"do": "set", "option": "h", "value": "1 ms", "side": 1}, "there is one simulation"),
                             ({"do": "set", "option": "h"}, "'value' of 'set'"), ({"do": "set", "option": "h", "value": 1}, "'value' of 'set'"),
                             ({"do": "set", "option": "h", "value": "1" * 5000}, "at most 4096"), ({"do": "run"}, "true or false"),
                             ({"do": "pace", "factor": 2}, "'factor' of 'pace' is a number from 1e-09 to 1"),
                             ({"do": "gust", "acceleration": [0, 0]}, "three numbers"), ({"do": "drag", "vertex": 1.5, "to": [0, 0, 0]}, "whole number"),
                             ({"do": "drag", "vertex": 1, "to": [0, 0, 0], "by": "rope"}, "'pin' or 'spring'"),
                             ({"do": "sweep", "option": "linear", "values": ["petsc"] * 101}, "a list of at most 100 texts")]:
            page.say(**request)
            self.assertIn(why, page.hear("refused")["message"], request)
        self.ends()

    def test_a_busy_simulation_hears_everything(self):
        """Its channel is full, with messages as long as they may be: what waits arrives, each message as a whole."""
        live = self.live(*CLOTH)
        page = live.page()
        page.see(lambda p: p.step > 2)
        page.say("run", value=False)
        page.hear("state", running=False)
        child, = children(live.process.pid)
        os.kill(child, signal.SIGSTOP)
        page.send_frame(json.dumps({"do": "gust", "acceleration": [0, 0, 0], "junk": [1.1] * 12000}).encode())
        for k in range(360):  # more than a channel has room for
            page.say("set", side=0, option="stiffness", value=str(1 + k))
            page.say("pin", vertex=7, value=False)
            if k % 3 == 0:
                page.say("sweep", side=0, option="stiffness", low="x" * 128, high="1")
        os.kill(child, signal.SIGCONT)
        for _ in range(120):
            page.until(lambda m: isinstance(m, dict) and m["type"] == "refused" and m["option"] == "stiffness" and "'xxx" in m["message"])
        page.hear("changed", option="stiffness", value="360")
        page.say("step")
        page.see(lambda p: p.step > 2)
        self.ends()

    def test_the_last_of_four_hundred_settings_arrives(self):
        page = self.live(*CLOTH).page()
        for k in range(400):
            page.say("set", side=0, option="stiffness", value=str(100 + k))
        page.until(lambda m: isinstance(m, dict) and m["type"] == "values" and m["options"]["stiffness"] == "499")
        self.ends()

    def test_a_queue_has_an_end(self):
        live = self.live(*CLOTH)
        page = live.page()
        page.see()
        os.kill(children(live.process.pid)[0], signal.SIGSTOP)
        for k in range(3000):
            page.say("save", side=0)
        self.assertIn("1000 requests wait", page.hear("refused")["message"])
        page.say("restart", side=0)
        page.hear("net")
        self.ends()

    # ---- hands ----

    def test_a_hand(self):
        live = self.live(*CLOTH, "-o", "out")
        page = live.page()
        page.see(lambda p: p.step > 2)
        page.say("drag", vertex=24, to=[0, 0, 0.5], by="pin")
        page.see(lambda p: p.position[24] == (0, 0, 0.5))
        page.say("drag", vertex=24, to=[0.1, 0, 0.5], by="pin")
        page.see(lambda p: abs(p.position[24][0] - 0.1) < 1e-6)
        page.say("drop")
        page.see(lambda p: abs(p.position[24][2] - 0.5) > 1e-3)  # it falls
        page.say("pin", vertex=10, value=True)
        page.hear("pinned")
        held = page.see().position[10]
        self.assertEqual([page.see().position[10] for _ in range(3)], [held] * 3)
        page.say("drag", vertex=30, to=[0, 0, 2], by="spring")
        page.see(lambda p: p.position[30][2] > 0.3)
        page.say("drop")
        before = page.see().position[40][1]
        page.say("gust", acceleration=[0, 300, 0])
        page.see(lambda p: p.position[40][1] > before + 0.2)
        page.say("gust", acceleration=[0, 0, 0])
        # The changes by a hand go into a file, from which a case continues.
        page.say("run", value=False)
        page.hear("state", running=False)
        command = self.answer(page, "command", side=0)
        self.assertRegex(command["text"], r"^springbench case --continue out/live-\d+\.h5 steps=\d+$")
        self.shell(f"{command['text']} -o on.h5")
        with h5py.File(self.folder / "on.h5") as file:
            places = file["particles/all/position/value"][-1]
        self.assertTrue(numpy.allclose(places[10], held, atol=1e-6))
        # A spring is no stiffer than the step bears, and a hand that is gone lets go.
        page.say("run", value=True)
        self.answer(page, "set", side=0, option="stiffness", value="1e6")
        page.say("drag", vertex=30, to=[0, 0, 0.1], by="spring")
        start = page.see().step
        page.until(lambda m: isinstance(m, Picture) and m.step > start + 40 or isinstance(m, dict) and self.assertNotEqual(m["type"], "stopped"))
        other = live.page()
        page.say("drag", vertex=24, to=[0, 0, 0.5], by="pin")
        page.see(lambda p: p.position[24] == (0, 0, 0.5))
        other.say("take")
        page.see(lambda p: abs(p.position[24][2] - 0.5) > 1e-3)
        page.say("take")
        page.hear("state", hand="yours")
        for wrong in [{"vertex": 99}, {"vertex": -1}, {"vertex": "a"}, {"vertex": 1, "to": [0, 0]}, {"vertex": 1, "to": [0, 0, "x"]},
                      {"vertex": 1, "to": [1e300, 0, 0]}, {}]:
            page.say("drag", **{"to": [0, 0, 0], "by": "pin", **wrong})
            page.hear("refused")
        self.ends()

    def test_a_fluid_has_no_springs(self):
        page = self.live("scene=dam_break", "spacing=0.1", "h=0.005").page()
        page.say("drag", vertex=3, to=[0, 0, 0], by="spring")
        self.assertIn("fluids do not support it", page.hear("refused")["message"])
        step = page.see().step
        page.see(lambda p: p.step > step + 3)
        self.ends()

    def test_two_pages_and_the_hand(self):
        live = self.live(*CLOTH)
        one, two = live.page(), live.page()
        self.assertEqual(one.hear("state", pages=2)["hand"], "yours")
        self.assertEqual(two.hear("state", pages=2)["hand"], "another")
        two.say("set", side=0, option="h", value="0.02")
        self.assertIn("another page has the hand", two.hear("refused")["message"])
        two.say("take")
        two.hear("state", hand="yours")
        one.hear("state", hand="another")
        self.assertEqual(self.answer(two, "set", side=0, option="h", value="0.02")["type"], "changed")
        two.close()
        one.hear("state", hand="yours", pages=1)
        again = live.page()  # a reload: what it hears is what there is
        self.assertEqual(again.hear("values")["options"]["h"], "0.02")
        self.ends()

    # ---- two sides ----

    def test_two_sides(self):
        live = self.live("scene=cloth", "grid=8", "integrator=implicit_euler", "h=0.01")
        page = live.page()
        page.see(lambda p: p.step > 2)
        page.say("gust", acceleration=[0, 9, 0])
        page.say("beside", value=True)  # both begin again, without wind
        page.hear("net", side=1)
        for _ in range(5):
            left = page.see()
            right = page.see(side=1)
            self.assertEqual((left.frame, left.time, left.position), (right.frame, right.time, right.position))
        page.say("set", side=1, option="integrator", value="symplectic_euler")
        self.assertEqual(page.hear("stopped")["side"], 1)  # h is over its limit: it bursts, and the other goes on
        right = page.see(lambda p: p.limit_h > 0, side=1)  # found a quarter of a second after the change
        self.assertGreater(right.h, right.limit_h)
        time_ = page.see().time
        page.see(lambda p: p.time > time_ + 0.05)
        self.assertTrue(self.answer(page, "set", side=1, option="h", value="1e-3")["anew"])
        page.see(lambda p: p.time < 0.05)  # the other has begun again, too
        page.see(lambda p: p.time > 0.2, side=1)
        for process in children(live.process.pid)[1:]:  # the second; the first goes on, and its time is its own
            os.kill(process, signal.SIGKILL)
        page.hear("ended", side=1)
        page.say("again")
        self.assertLess(page.see(lambda p: p.time < 0.2).steps, 100)
        page.say("beside", value=False)
        page.hear("state", sides=1)
        self.ends()

    # ---- files ----

    def test_files(self):
        page = self.live(*CLOTH, "-o", "out").page()
        page.see(lambda p: p.step > 5)
        self.call("show", self.answer(page, "save", side=0)["file"])
        made = self.answer(page, "sweep", side=0, option="stiffness", low="10", high="1000")["file"]
        self.assertIn("7 cases", self.call("check", made).stdout + self.call("plan", made).stdout)
        self.call("run", made)
        other = self.answer(page, "sweep", side=0, option="minimizer", values=["newton", "local_global"])["file"]
        self.call("check", other)
        made = self.answer(page, "sweep", side=0, option="stiffness", low="1 N/m", high="1 kN/m")["file"]
        self.assertIn("stiffness: [1, 3.16, 10, 31.6, 100, 316, 1000]", (self.folder / made).read_text())
        self.ends()
        live = self.live("out/live-1.h5")
        self.assertGreater(live.page().see().time, 0)
        self.ends()

    def test_a_refusal_leaves_no_file(self):
        live = self.live(*CLOTH, "-o", "out of it")
        page = live.page()
        page.see()
        for option, low, high, why in [("stiffness", "1", "1e999", "finite number"), ("stiffness", "-1e308", "1e308", "out of range"),
                                       ("stiffness", "nan", "1", "E10"), ("stiffness", "5", "1", "to a larger one"),
                                       ("stiffness", "1 # x", "2", "E10"), ("stiffness", "1\n  petsc: x", "2", "E10"),
                                       ("stiffness", "1 ms", "2", "E1"), ("h", "1", "0", "out of range"),
                                       ("stiffness", None, "2", "from a number"), ("thickness", "1", "2", "only with self-contact")]:
            said = self.answer(page, "sweep", side=0, option=option, **({"low": low} if low else {}), high=high)
            self.assertEqual((said["type"], said["option"]), ("refused", option), (option, low, high))
            self.assertIn(why, said["message"])
        resource.prlimit(children(live.process.pid)[0], resource.RLIMIT_FSIZE, (100, 100))
        for request in ({"do": "save"}, {"do": "sweep", "option": "stiffness", "low": "1", "high": "9"}):
            self.assertEqual(self.answer(page, **request)["type"], "refused")
        self.assertEqual(os.listdir(self.folder / "out of it"), [])
        self.ends()

    def test_sweeps_pass_their_check(self):
        """Those of fluids, and of knobs that state the time, too."""
        for words, knobs in ((["scene=dam_break", "spacing=0.1", "h=0.005"], [("h", "0.001", "0.009"), ("gravity", None, None), ("density", "500", "2000")]),
                             ([*CLOTH[:3], "substeps=20", "frames=10", "frame_seconds=0.04"],
                              [("substeps", "4", "40"), ("frame_seconds", "0.01", "0.1"), ("stiffness", "1", "10"), ("h", "1e-3", "1e-2")])):
            live = self.live(*words)
            page = live.page()
            page.see(lambda p: p.step > 2)
            for option, low, high in knobs:
                said = self.answer(page, "sweep", side=0, option=option, **({"low": low, "high": high} if low else {}))
                self.assertEqual(said["type"], "result" if low else "refused", said)
                if low:
                    self.assertEqual(said["text"], f"springbench run {said['file']}")
                    self.call("check", said["file"])
            self.ends()

    def test_a_page_names_no_file(self):
        (self.folder / "folder").write_text("a file")
        page = self.live(*CLOTH, "-o", "folder").page()
        for request in ({"do": "save", "side": 0}, {"do": "sweep", "side": 0, "option": "stiffness", "low": "1", "high": "9"}):
            self.assertIn("no file can be made", self.answer(page, **request, file=str(self.folder / "victim"))["message"])
        one, two = (self.live(*CLOTH).page() for _ in range(2))
        files = [self.answer(page, "save", side=0, file="victim", name="x")["file"] for page in (one, two, one)]
        self.assertEqual(len(set(files)), 3)  # none is replaced
        for values in (["newton]\n  petsc: [-help"], ["newton", 3], [None], ["nwton"]):
            self.assertEqual(self.answer(one, "sweep", side=0, option="minimizer", values=values)["type"], "refused", values)
        self.assertFalse((self.folder / "victim").exists())

    def test_lines_that_are_wrong(self):
        for words, why in ((["scene=clth"], "did you mean 'cloth'"), (["nothing"], "neither a case file"), (["none.h5"], "none.h5"),
                           (["scene=cloth", "a.h5"], "KEY=VALUE"), (["scene=cloth", "nonsense=1"], "E101"),
                           (["--port=70000"], "65535"), (["scene=cloth", "-o", "a\nb"], "line breaks")):
            self.assertIn(why, self.call("live", *words, status=2).stderr, words)

    # ---- pages that are wrong, slow or gone ----

    def test_a_page_that_stops_reading(self):
        live = self.live(*CLOTH)
        slow, quick = live.page(), live.page()
        shown = quick.see().frame
        quick.see(lambda p: p.frame > shown + 100)
        frames = []
        slow.socket.settimeout(1)
        try:
            while True:
                message = slow.next(acknowledge=False)
                frames += [message.frame] if isinstance(message, Picture) else []
        except TimeoutError:
            pass
        self.assertLessEqual(len(frames), 2)  # no picture after the one before last was not acknowledged
        slow.say("ack", frame=frames[-1])
        slow.socket.settimeout(20)
        self.assertGreater(slow.see().frame, shown + 100)  # and then the latest, not those in between
        slow.say("visible", value=False)
        quick.say("visible", value=False)
        quick.hear("state", resting=True)
        time.sleep(0.3)
        used = [ticks(pid) for pid in (live.process.pid, *children(live.process.pid))]
        time.sleep(1)
        self.assertEqual([ticks(pid) for pid in (live.process.pid, *children(live.process.pid))], used)
        quick.say("visible", value=True)
        quick.see()
        self.ends()

    def test_ten_thousand_hostile_messages(self):
        # Sanitizers keep freed memory, up to 256 MB.
        options = os.environ.get("ASAN_OPTIONS", "") + ":quarantine_size_mb=1"
        live, noise = self.live(*CLOTH, "-o", "out", environment={**os.environ, "ASAN_OPTIONS": options}), random.Random(7)
        page, files = live.page(), set(os.listdir(self.folder))
        words = ["set", "ack", "drag", "pin", "run", "pace", "gust", "beside", "step", "visible", "take", "drop", "again", "open", "advance", "", "x"]
        values = [None, -1, 0, 1, 2, 1e308, -1e308, 2**63, "", "a", "../../etc/passwd", "\0", "x" * 5000, [], [1, 2, 3], [None], {}, True,
                  ["a"] * 50, "stiffness", "mesh", "h", "0.001", "nan", "inf", [1e308] * 3, {"a": {"b": []}}]
        keys = ["side", "option", "value", "vertex", "to", "by", "frame", "factor", "steps", "acceleration", "file", "low", "high"]
        size = None
        for i in range(int(os.environ.get("SB_HOSTILE", 10000))):
            message = {"do": noise.choice(words), **{key: noise.choice(values) for key in noise.sample(keys, 5)}}
            text = json.dumps(message).encode()
            kind = noise.random()
            try:
                if kind < 0.9:
                    page.send_frame(text)
                elif kind < 0.93:  # half a message, or one in two frames
                    page.send_frame(text[:9], last=False)
                    page.send_frame(text[9:], opcode=0)
                elif kind < 0.95:
                    page.send_frame(bytes(noise.randrange(256) for _ in range(noise.randrange(200))), noise.randrange(16))
                elif kind < 0.96:
                    page.send_frame(b"x" * 70000)
                elif kind < 0.97:
                    page.socket.sendall(os.urandom(40))
                elif kind < 0.98:
                    page.socket.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
                    page.close()
                    page = live.page()
                elif i % 10 == 0:
                    with self.assertRaises((Refused, ConnectionError)):
                        live.page(token="%08x" % noise.getrandbits(32))
                page.socket.settimeout(0.001)
                while True:
                    page.rest = b""
                    if not page.socket.recv(1 << 20):
                        raise EOFError
            except TimeoutError:
                page.socket.settimeout(20)
            except (OSError, EOFError):
                page.close()
                page = live.page()
            if i == 3000:
                size = resident(live.process.pid)
        page.close()
        self.assertIsNone(live.process.poll())
        page = live.page()
        page.say("take")
        page.hear("state", hand="yours")
        if size:
            self.assertLess(resident(live.process.pid), 1.5 * size + 20000)
        self.assertEqual(set(os.listdir(self.folder)) - {"out"}, files)
        page.say("restart", side=0)
        page.see(lambda p: p.time < 0.1)
        self.ends()

    def test_a_net_larger_than_the_messages_that_may_wait(self):
        live = self.live("scene=cloth", "grid=1050", "integrator=symplectic_euler", "h=1e-5")
        for _ in range(2):
            page = live.page()
            self.assertGreater(len(page.hear("net")["springs"]), 33 << 20)
            self.assertEqual(page.see().vertices, 1051 ** 2)
            page.close()
        self.ends()

    # ---- processes that end ----

    def test_a_simulation_that_ends(self):
        live = self.live(*CLOTH)
        page = live.page()
        page.see(lambda p: p.step > 3)
        self.assertEqual(self.answer(page, "set", side=0, option="stiffness", value="321")["type"], "changed")
        child, = children(live.process.pid)
        os.kill(child, signal.SIGKILL)
        self.assertIn("signal", page.hear("ended")["message"])
        live.page().hear("ended")  # one that comes later is told, too
        page.say("restart", side=0)
        self.assertEqual(page.hear("values")["options"]["stiffness"], "321")
        self.assertLess(page.see().time, 0.1)
        child, = children(live.process.pid)
        os.kill(child, signal.SIGSTOP)  # as a step without end
        self.assertGreater(page.hear("stuck")["seconds"], 1.9)
        page.say("restart", side=0)
        page.see(lambda p: p.time < 0.1)
        with self.assertRaises(ProcessLookupError):
            os.kill(child, 0)
        live.process.kill()  # nothing is left behind
        child, = children(live.process.pid) or [None]
        live.process.wait()
        for _ in range(100):
            if not child or not os.path.exists(f"/proc/{child}"):
                break
            time.sleep(0.05)
        self.assertFalse(child and os.path.exists(f"/proc/{child}"))

    def test_a_limit_of_memory(self):
        page = self.live(*CLOTH, "memory_limit=4e8").page()
        page.see()
        page.say("set", side=0, option="grid", value="900")
        self.assertIn("memory", page.hear("note")["message"])
        page.hear("ended")
        page.say("set", side=0, option="petsc", value="-x")  # also then
        self.assertIn("only the command line", page.hear("refused")["message"])
        page.see(lambda p: p.vertices == 49)
        page.say("set", side=0, option="grid", value="900")
        page.hear("ended")
        page.say("set", side=0, option="grid", value="5")  # a new one, with that
        page.see(lambda p: p.vertices == 36)
        self.ends()
        page = self.live(*CLOTH, "memory_limit=1 GiB").page()  # with its unit, as the command line has it
        page.see(lambda p: p.time > 0.5)
        self.ends()


main()
