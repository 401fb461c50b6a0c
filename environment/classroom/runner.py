"""Drives one rootdk.classroom.Runner: a JVM that runs a student's cells and gives values."""
import contextlib
import json
import os
import select
import signal
import struct
import subprocess
import time

REPLY_LIMIT = 1 << 24


class Stopped(Exception):
    """The JVM has given no answer: it ended, said what is no answer, or the time was over. It is killed by then."""

    def __init__(self, reason):
        super().__init__(reason)
        self.reason = reason


class Runner:
    """A started JVM. What it answers is what student code wants it to answer: data to look at, never a verdict."""

    def __init__(self, command, environment=None):
        # A session of its own, so that one signal reaches all of it.
        self.process = subprocess.Popen([str(word) for word in command], stdin=subprocess.PIPE, stdout=subprocess.PIPE,
                                        stderr=subprocess.DEVNULL, env=environment, start_new_session=True, bufsize=0)
        os.set_blocking(self.process.stdin.fileno(), False)
        os.set_blocking(self.process.stdout.fileno(), False)
        self.sent = 0

    def run(self, cell, seconds):
        """Runs a cell. Returns the reply, see Runner.java. Raises Stopped."""
        return self._ask("C" + cell, seconds)

    def value(self, expression, seconds):
        """Evaluates a Java expression. Returns the reply, see Runner.java. Raises Stopped."""
        return self._ask("V" + expression, seconds)

    def prepare(self, expressions, seconds):
        """Compiles expressions together. Returns a reply, with an error if that cannot be."""
        return self._ask("B" + "\0".join(expressions), seconds)

    def prepared(self, number, seconds):
        """The value of an expression that was prepared, by its place among them."""
        return self._ask("P%d" % number, seconds)

    def _ask(self, request, seconds):
        self.sent += 1
        deadline = time.monotonic() + seconds
        data = request.encode("utf-8", "replace")
        try:
            self._write(struct.pack(">i", len(data)) + data, deadline)
            length = struct.unpack(">i", self._read(4, deadline))[0]
            if not 0 < length <= REPLY_LIMIT:
                raise Stopped("it wrote to the grader's channel")
            reply = json.loads(self._read(length, deadline))
        except (ValueError, RecursionError):
            self.kill()
            raise Stopped("it wrote to the grader's channel") from None
        except Stopped:
            self.kill()
            raise
        if not isinstance(reply, dict) or reply.get("id") != self.sent:
            self.kill()
            raise Stopped("it wrote to the grader's channel")
        return reply

    def _wait(self, readable, writable, deadline):
        left = deadline - time.monotonic()
        if left <= 0 or not any(select.select(readable, writable, [], left)):
            raise Stopped("time")

    def _write(self, data, deadline):
        view = memoryview(data)
        while view:
            self._wait([], [self.process.stdin], deadline)
            try:
                view = view[os.write(self.process.stdin.fileno(), view[:65536]):]
            except BlockingIOError:
                pass
            except OSError:
                raise Stopped("it ended") from None

    def _read(self, length, deadline):
        pieces = bytearray()
        while len(pieces) < length:
            self._wait([self.process.stdout], [], deadline)
            try:
                piece = os.read(self.process.stdout.fileno(), min(length - len(pieces), 1 << 20))
            except BlockingIOError:
                continue
            if not piece:
                raise Stopped("it ended")
            pieces += piece
        return bytes(pieces)

    def kill(self):
        with contextlib.suppress(ProcessLookupError):
            os.killpg(self.process.pid, signal.SIGKILL)
        with contextlib.suppress(OSError):
            self.process.stdin.close()
        self.process.stdout.close()
        self.process.wait()

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.kill()
