# SPDX-License-Identifier: GPL-3.0-or-later
"""`springbench live` as a page sees it, for tests: the program, and WebSockets to it, spoken by hand so that they may be
wrong."""
import base64
import json
import os
import re
import signal
import socket
import struct
import subprocess
import urllib.parse

SUBPROTOCOL = "springbench-live.1"
HEAD = struct.Struct("<4I14d2I")
NUMBERS = ("time step h kinetic elastic gravity total minimizer_iterations linear_iterations residual step_seconds steps "
           "strain_max limit_h").split()


class Live:
    """A server; `said` is what it printed."""

    def __init__(self, program, *words, folder, environment=None):
        self.process = subprocess.Popen([program, "live", *map(str, words)], cwd=folder, text=True, env=environment,
                                        stdout=subprocess.PIPE, stderr=subprocess.PIPE)
        self.said = self.process.stdout.readline()
        found = re.match(r"(http://127\.0\.0\.1:(\d+))/\?token=([0-9a-f]{32})$", self.said)
        if not found:
            raise AssertionError(f"{self.said}{self.process.stderr.read()} (status {self.process.wait()})")
        self.pages = []
        self.address, self.origin, self.port, self.token = found[0], found[1], int(found[2]), found[3]

    def end(self):
        """Its exit status after Ctrl-C, and what it said on stderr."""
        self.process.send_signal(signal.SIGINT)
        return self.process.wait(timeout=20), self.process.stderr.read()

    def page(self, **more):
        page = Page(self, **more)
        self.pages.append(page)
        return page

    def close(self):
        for stream in [*self.pages, self.process.stdout, self.process.stderr]:
            stream.close()

    def get(self, path, host=None, token=None, method="GET"):
        """Status and text of a plain request."""
        query = urllib.parse.urlencode({"token": self.token if token is None else token})
        with socket.create_connection(("127.0.0.1", self.port), timeout=20) as s:
            s.sendall(f"{method} {path}?{query} HTTP/1.1\r\nHost: {host or f'127.0.0.1:{self.port}'}\r\nConnection: close\r\n\r\n".encode())
            text = b""
            try:
                while some := s.recv(1 << 16):
                    text += some
            except ConnectionError:
                pass  # it closed with something unread
        head, _, body = text.partition(b"\r\n\r\n")
        return int(head.split()[1]) if head else None, head.decode(), body.decode()


class Refused(Exception):
    pass


class Page:
    def __init__(self, live, token=None, host=None, origin=None, subprotocol=SUBPROTOCOL, address="127.0.0.1"):
        host = host or f"127.0.0.1:{live.port}"
        lines = [f"GET /?token={live.token if token is None else token} HTTP/1.1", f"Host: {host}", "Upgrade: websocket",
                 "Connection: Upgrade", f"Sec-WebSocket-Key: {base64.b64encode(os.urandom(16)).decode()}",
                 "Sec-WebSocket-Version: 13", *([f"Origin: {origin or f'http://{host}'}"] if origin != "" else []),
                 *([f"Sec-WebSocket-Protocol: {subprotocol}"] if subprotocol else [])]
        self.socket = socket.create_connection((address, live.port), timeout=20)
        self.rest, self.texts, self.pictures = b"", [], []
        self.socket.sendall("\r\n".join(lines).encode() + b"\r\n\r\n")
        while b"\r\n\r\n" not in self.rest:
            some = self.socket.recv(1 << 16)
            if not some:
                raise Refused(self.rest.decode())
            self.rest += some
        head, _, self.rest = self.rest.partition(b"\r\n\r\n")
        if b" 101 " not in head.split(b"\r\n")[0]:
            self.socket.close()
            raise Refused(head.decode())

    def send_frame(self, content, opcode=1, last=True, mask=os.urandom(4)):
        length = len(content)
        size = bytes([0x80 | length]) if length < 126 else b"\xfe" + struct.pack(">H", length) if length < 65536 else \
            b"\xff" + struct.pack(">Q", length)
        masked = bytes(c ^ mask[i % 4] for i, c in enumerate(content))
        self.socket.sendall(bytes([0x80 * last | opcode]) + size + mask + masked)

    def say(self, do, **more):
        self.send_frame(json.dumps({"do": do, **more}).encode())

    def take(self, count):
        while len(self.rest) < count:
            some = self.socket.recv(1 << 20)
            if not some:
                raise EOFError
            self.rest += some
        bytes_, self.rest = self.rest[:count], self.rest[count:]
        return bytes_

    def next(self, acknowledge=True):
        """The next message: a dictionary, a Picture, or None of another kind. EOFError: closed."""
        first, size = self.take(2)
        kind = first & 0xf
        size = struct.unpack(">H", self.take(2))[0] if size == 126 else struct.unpack(">Q", self.take(8))[0] if size == 127 else size
        content = self.take(size)
        if kind == 8:
            raise EOFError(content[2:].decode())
        if kind == 1:
            return json.loads(content)
        if kind == 9:
            self.send_frame(content, opcode=10)  # it is still there
        if kind != 2:
            return None
        picture = Picture(content)
        if acknowledge:
            self.say("ack", frame=picture.frame)
        return picture

    def until(self, test, acknowledge=True):
        """The first message for which the test is true."""
        while True:
            message = self.next(acknowledge)
            if message is not None and test(message):
                return message

    def hear(self, kind, **fields):
        """The next text of this type, with these fields."""
        return self.until(lambda m: isinstance(m, dict) and m["type"] == kind and all(m.get(k) == v for k, v in fields.items()))

    def see(self, test=lambda picture: True, side=0):
        return self.until(lambda m: isinstance(m, Picture) and m.side == side and test(m))

    def close(self):
        self.socket.close()


class Picture:
    def __init__(self, content):
        magic, self.side, self.frame, self.vertices, *numbers, self.colliders, _ = HEAD.unpack_from(content)
        assert magic == 0x314c4253, magic
        self.__dict__.update(zip(NUMBERS, numbers, strict=True))
        n = self.vertices
        floats = struct.unpack_from(f"<{4 * n + 6 * self.colliders}f", content, HEAD.size)
        assert len(content) == HEAD.size + 4 * len(floats)
        self.position, self.value = [floats[3 * i:3 * i + 3] for i in range(n)], floats[3 * n:4 * n]
