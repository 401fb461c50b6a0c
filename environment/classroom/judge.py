"""The verdict on one submission, reached outside the JVM that runs it.

The student's JVM is asked for values: `softmax(new double[] {0, 1, 2})`. They are compared here with those of the reference
solutions, which ran in another JVM before. So a student who takes over the JVM has won nothing: whatever it is made to say is taken
for what the method returned, and to be right one must know what is right for inputs not seen before. No seal on the channel is needed.
This holds as long as what is asked for is a value, not whether it is right, and as long as the inputs are written without names (java in tasks.py).

What could still be carried out of the JVM are the hidden inputs. So the whole notebook runs first and its prints are kept; then the visible
parts; then the hidden ones, of which nothing is kept but right or wrong, and whether there was no answer. If the JVM has to be started anew
it knows nothing of what was asked before, and prints of its cells are not kept a second time.
"""
import hashlib
import json
import math
import re
import time
from dataclasses import dataclass
from pathlib import Path

from classroom import tasks as tasks_module
from classroom.runner import Runner, Stopped
from tools import Problem

START_SECONDS = 180  # for a JVM to come up, on a very busy machine
USUAL_START = 2.0    # seconds in which it does on a machine that is not: where it takes longer, so may the student's code


@dataclass(frozen=True)
class Limits:
    answer: float = 10       # seconds for one part, or one cell
    total: float = 120       # seconds for a submission
    restarts: int = 12
    unanswered: int = 2      # parts of one check without an answer, after which its other parts are not asked


# ---- comparing

def same(part, got, want):
    """Whether a reply is the reference's, by the rules of Part. Both are replies of a runner; only want can be trusted."""
    if part.throws:
        name = part.throws if "." in part.throws else "java.lang." + part.throws
        thrown = got.get("thrown")
        return isinstance(thrown, list) and name in thrown
    if "error" in got or got.get("kind") not in ("number", "boolean", "text", "null", "array"):
        return False
    if part.accept:
        try:
            return part.accept(got.get("value"), want["value"]) is True
        except Exception:  # it got something of another shape
            return False
    return got.get("kind") == want["kind"] and _equal(got.get("value"), want["value"], part)


def _equal(got, want, part):
    if isinstance(want, list):
        return isinstance(got, list) and len(got) == len(want) and all(_equal(g, w, part) for g, w in zip(got, want))
    if want is None or isinstance(want, (bool, str)):
        return type(got) is type(want) and got == want
    if isinstance(got, bool) or not isinstance(got, (int, float)):
        return False
    if got == want:
        return True
    try:
        got, want = float(got), float(want)
    except OverflowError:
        return False
    if math.isnan(want) or math.isinf(want):
        return math.isnan(got) and math.isnan(want)
    return abs(got - want) <= part.tolerance * (abs(want) if part.relative else max(1.0, abs(want)))


# ---- texts for people

def plain(text, limit=300):
    """A student's text in one line or more, safe to print: no control characters but line ends, no invisible or reversing ones, not too long."""
    text = text if isinstance(text, str) else ""
    cut = text[:limit]
    cut = re.sub(r"\x1b\[[0-9;?]*[ -/]*[@-~]", "", cut)
    cut = "".join(c if c.isprintable() or c in "\n\t" else "\N{REPLACEMENT CHARACTER}" for c in cut)
    return cut + (" …" if len(text) > limit else "")


def show(reply, limit=300):
    """A reply's value or error in a line."""
    if "error" in reply:
        return plain(reply["error"], limit).replace("\n", " ")
    return plain(_show(reply.get("value"), 0) if reply.get("kind") != "other" else "%s" % plain(reply.get("value")), limit)


def _show(value, depth):
    if isinstance(value, list):
        if depth > 4:
            return "[…]"
        return "[%s]" % ", ".join([_show(one, depth + 1) for one in value[:24]] + (["… %d in all" % len(value)] if len(value) > 24 else []))
    if isinstance(value, bool) or value is None:
        return {True: "true", False: "false", None: "null"}[value]
    if isinstance(value, int):
        return str(value) if abs(value) < 10**30 else "a very large number"
    if isinstance(value, float):
        return "NaN" if math.isnan(value) else ("-" if value < 0 else "") + "Infinity" if math.isinf(value) else "%.10g" % value
    return '"%s"' % value if isinstance(value, str) else "?"


# ---- a session

class Session:
    """A notebook in a JVM, started anew when it has to be."""

    def __init__(self, launch, cells, limits):
        """launch() gives the command and environment of a JVM; cells are notebooks.Built."""
        self.launch, self.cells, self.limits = launch, [(n, c) for n, c in enumerate(cells) if c.runs and c.source.strip()], limits
        self.deadline = time.monotonic() + limits.total
        self.pace = 1.0  # how much slower this machine is at the moment than limits are made for
        self.runner, self.stops, self.lost, self.over = None, 0, {}, ""
        self.failed = 0     # JVMs that did not start
        self.doubted = set()  # cells in which the JVM ended once: it may have been killed by something else than the student's code
        self.places = {}    # expression -> its place among those that the JVM has compiled together
        self.replies = {}   # number of a cell -> its first reply
        self.replaced = {}  # number of a cell -> the requests whose declarations it replaced
        self.overruled = {}  # number of an answer -> the given cell of which it declared something anew

    def __enter__(self):
        self.start()
        return self

    def __exit__(self, *_):
        if self.runner:
            self.runner.kill()

    def seconds(self):
        return max(0.0, min(self.limits.answer * self.pace, self.deadline - time.monotonic()))

    def start(self):
        """A JVM that has run the notebook, except for cells after which there was none. Sets over if there will be none."""
        while not self.over:
            if self.runner:
                self.runner.kill()
                self.runner = None
            if self.stops > self.limits.restarts or time.monotonic() > self.deadline:
                self.over = "the submission's %g seconds were over" % self.limits.total if self.stops <= self.limits.restarts \
                    else "its JVM had to be started %d times" % self.stops
                return
            command, environment = self.launch()
            started = time.monotonic()
            self.runner, self.places = Runner(command, environment), {}
            try:
                self.runner.run("", START_SECONDS)
                took = time.monotonic() - started
                pace = max(1.0, took / USUAL_START)
                self.deadline += max(0.0, pace - self.pace) * self.limits.total
                self.pace = max(pace, self.pace)
            except Stopped as stopped:
                self.failed += 1
                if self.failed == 3:
                    raise Problem("a JVM for a submission does not start: %s" % stopped.reason) from None
                continue
            if self._run_cells():
                return

    def _run_cells(self):
        request_of, number_of = {}, {}
        for number, built in self.cells:
            if number in self.lost:
                continue
            if not self._run_cell(number, built):
                return False
            request_of[self.runner.sent] = number
            number_of[number] = built
        # What an extra cell declares anew is not what is graded: the answer counts as it stands in its own cell. And what is given counts
        # as it is given: the judge's calls use it.
        last = set()
        for number, built in number_of.items():
            for other in {request_of[r] for r in self.replaced.get(number, []) if r in request_of} - {number}:
                replaced = number_of[other].cell
                if replaced and (built.cell is None or replaced.role == "given" and built.cell.role == "answer"):
                    last.add(other)
                    if built.cell:
                        self.overruled.setdefault(number, replaced.id)
        for number in sorted(last):
            if number not in self.lost and not self._run_cell(number, number_of[number]):
                return False
        return True

    def _run_cell(self, number, built):
        """Runs a cell. Returns whether the JVM is still there."""
        try:
            reply = self.runner.run(built.source, self.seconds())
        except Stopped as stopped:
            self.stops += 1
            if stopped.reason == "it ended" and number not in self.doubted:
                self.doubted.add(number)
                return False
            self.lost[number] = self._why(stopped)
            self.replies.setdefault(number, {"error": "the cell was stopped: " + self.lost[number]})
            return False
        replaced = reply.get("replaced")
        self.replaced[number] = [r for r in replaced if isinstance(r, int)] if isinstance(replaced, list) else []
        self.replies.setdefault(number, reply)
        if reply.get("broken") is True:
            self.stops += 1
            self.lost[number] = plain(reply.get("error"))
            return False
        return True

    def _why(self, stopped):
        return "no answer within %g seconds" % self.limits.answer if stopped.reason == "time" else \
            "its JVM ended (System.exit, or killed)" if stopped.reason == "it ended" else stopped.reason

    def prepare(self, expressions):
        """Compiles expressions together, which is much faster than one by one. Returns whether that went well; if not, value still works."""
        self.places = {}
        if not self.over and expressions:
            try:
                if "error" not in self.runner.prepare(expressions, self.seconds()):
                    self.places = {expression: place for place, expression in enumerate(expressions)}
            except Stopped:
                self.stops += 1
                self.start()
        return bool(self.places)

    def value(self, expression):
        """A reply; its key unanswered says why there is none."""
        for attempt in (1, 2):
            if self.over:
                return {"error": self.over, "unanswered": self.over}
            try:
                reply = self.runner.prepared(self.places[expression], self.seconds()) if expression in self.places \
                    else self.runner.value(expression, self.seconds())
            except Stopped as stopped:
                self.stops += 1
                self.start()
                # As with the cells: a JVM that ended is asked once more.
                if stopped.reason == "time" or attempt == 2:
                    why = self._why(stopped)
                    return {"error": why, "unanswered": why}
                continue
            reply.pop("unanswered", None)
            if reply.get("broken") is True:
                self.stops += 1
                self.start()
            return reply
        raise AssertionError


# ---- expected values and verdicts

def reference(assignment, launch, limits=Limits()):
    """The reply of the reference solutions to each part: check -> [reply]. Raises Problem if they do not solve what is asked.

    These are the teacher's cells, in a JVM without walls or a student's in it."""
    from classroom.notebooks import Built
    cells = [Built(cell, cell.kind, cell.source) for cell in assignment.cells]
    with Session(launch, cells, Limits(60, 600, 1)) as session:
        for number, reply in session.replies.items():
            if "error" in reply and cells[number].cell.role in ("answer", "given"):
                raise Problem("assignment %s: the reference's cell %s fails: %s" % (assignment.name, cells[number].cell.id, show(reply)))
        replies = {}
        for check, parts in assignment.tasks.items():
            session.prepare([part.call for part in parts])
            replies[check] = []
            for part in parts:
                reply = session.value(part.call)
                if "unanswered" in reply or not same(part, reply, reply):
                    raise Problem("assignment %s, %s, part %r: the reference gives %s" % (assignment.name, check, part.name, show(reply)))
                replies[check].append(reply)
    return replies


def judge(assignment, built, expected, launch, limits=Limits()):
    """The verdict on a rebuilt notebook, as plain data: points and lines of each check, what the cells printed, and notes."""
    outcomes, notes = {}, []
    with Session(launch, built, limits) as session:
        for hidden in (False, True):
            together = session.prepare([part.call for parts in assignment.tasks.values() for part in parts if part.hidden == hidden])
            for check, parts in assignment.tasks.items():
                if not together:
                    session.prepare([part.call for part in parts if part.hidden == hidden])
                for number, part in enumerate(parts):
                    if part.hidden != hidden:
                        continue
                    before = sum(1 for (c, _), reply in outcomes.items() if c == check and "unanswered" in reply)
                    if before >= limits.unanswered:
                        why = "not asked, as other parts gave no answer"
                        outcomes[check, number] = {"error": why, "unanswered": why}
                    else:
                        outcomes[check, number] = session.value(part.call)
        stopped, over, replies, overruled = session.lost, session.over, session.replies, session.overruled
    checks = {check: _verdict(parts, [outcomes[check, n] for n in range(len(parts))], expected[check]) for check, parts in assignment.tasks.items()}
    cells = {}
    for number, reply in replies.items():
        cells[number] = {"out": plain(reply.get("out"), 20_000), "dropped": reply["dropped"] if isinstance(reply.get("dropped"), int) else 0,
                         "error": plain(reply.get("error"), 1000)}
        name = built[number].cell.id if built[number].cell else "an own cell"
        if number in stopped:
            notes.append("%s: %s" % (name, stopped[number]))
        elif "error" in reply and built[number].cell and built[number].cell.role == "answer":
            notes.append("%s: %s" % (name, plain(reply["error"], 160)))
        if number in overruled:
            why = "declares anew what is in the locked cell %s: the original counts" % overruled[number]
            cells[number]["error"] = cells[number]["error"] or why
            notes.append("%s: %s" % (name, why))
        if cells[number]["dropped"] > 0:
            notes.append("%s: printed %s bytes more than are kept" % (name, min(cells[number]["dropped"], 10**15)))
    for check, parts in assignment.tasks.items():
        why = [outcomes[check, n]["unanswered"] for n in range(len(parts)) if "unanswered" in outcomes[check, n]]
        if why:
            notes.append("%s: %s (%d of %d parts)" % (check, why[0], len(why), len(parts)))
    if over:
        notes.append(over)
    return {"checks": checks, "cells": {str(n): cell for n, cell in cells.items()}, "notes": list(dict.fromkeys(notes))}


def _verdict(parts, got, want):
    right = [same(part, g, w) for part, g, w in zip(parts, got, want)]
    has_value = any(ok for part, ok in zip(parts, right) if not part.throws)
    counted = [ok and (not part.throws or has_value) for part, ok in zip(parts, right)]
    lines = []
    for part, ok, counts, g, w in zip(parts, right, counted, got, want):
        line = "%s %g/%g  %s" % ("✓" if counts else "✗", part.points if counts else 0, part.points, part.name)
        if not part.hidden:
            line += "\n      input     " + plain(tasks_module.shown(part.call), 400)
            line += "\n      expected  " + (part.throws if part.throws else "for example " * bool(part.accept) + show(w))
            if not counts:
                line += "\n      got       " + (show(g) + (", which counts once another part is right" if ok else ""))
        elif "unanswered" in g:
            line += "\n      got       " + g["unanswered"]
        if not counts:
            line += "\n      hint      " + part.hint
        lines.append(line)
    points = math.fsum(part.points for part, counts in zip(parts, counted) if counts)
    return {"points": points, "max": math.fsum(part.points for part in parts), "right": right, "text": "\n".join(lines)}


def code_digest():
    """Changes when the way of judging does."""
    here = Path(__file__).parent
    return hashlib.sha256(b"".join((here / name).read_bytes() for name in ("judge.py", "notebooks.py", "runner.py", "tasks.py"))).hexdigest()


def key(assignment, built, runner_name, limits):
    """What a verdict depends on: equal keys, equal verdicts."""
    content = json.dumps([assignment.digest, code_digest(), runner_name, repr(limits), [(c.cell.id if c.cell else None, c.kind, c.source, c.pictures) for c in built]])
    return hashlib.sha256(content.encode()).hexdigest()
