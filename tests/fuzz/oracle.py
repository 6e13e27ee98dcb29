"""Runs random programs on twinflow and on an installed TensorFlow, and shortens those whose answers differ.

``TF_PYTHON`` names the Python that has TensorFlow. Each side runs in a process of its own.
"""

from __future__ import annotations

import argparse
import atexit
import collections
import functools
import json
import os
import subprocess
import sys
import threading
from pathlib import Path
from typing import Any

from . import generate
from .compare import differences, is_off

HERE = Path(__file__).parent
_SECONDS = 15  # for a program


class Worker:
    """A process that runs programs of one side, one after the other.

    Args:
        side: ``tensorflow`` or ``twinflow``.
    """

    def __init__(self, side: str) -> None:
        python = os.environ.get("TF_PYTHON", "python3") if side == "tensorflow" else sys.executable
        quiet = {
            **os.environ,
            "TF_CPP_MIN_LOG_LEVEL": "3",
            "CUDA_VISIBLE_DEVICES": "",
            "TF_ENABLE_ONEDNN_OPTS": "0",
        }
        command = [python, str(HERE / "snapshot.py"), side]
        pipes: dict[str, Any] = {
            "stdin": subprocess.PIPE,
            "stdout": subprocess.PIPE,
            "stderr": subprocess.DEVNULL,
        }
        self._process = subprocess.Popen(command, env=quiet, text=True, **pipes)
        self._side, self._first = side, True

    def ask(self, program: dict[str, Any]) -> list[Any] | None:
        """Returns the answers to a program; None where it ended the process, or took too long."""
        process, seconds = self._process, _SECONDS + 240 * self._first
        self._first = False
        assert process.stdin is not None and process.stdout is not None
        process.stdin.write(json.dumps(program) + "\n")
        process.stdin.flush()
        watch = threading.Timer(seconds, process.kill)
        watch.start()
        line = process.stdout.readline()
        watch.cancel()
        if line.endswith("\n"):
            return list(json.loads(line))
        print(
            f"{self._side}: seed {program['seed']} ({program['kind']}) ended the process, or took {seconds} s",
            flush=True,
        )
        self.close()
        self.__init__(self._side)  # type: ignore[misc]
        return None

    def close(self) -> None:
        """Ends the process."""
        self._process.kill()
        self._process.communicate()


@functools.cache
def worker(side: str) -> Worker:
    """Returns the process of a side, which is started once: TensorFlow takes long to start."""
    found = Worker(side)
    atexit.register(found.close)
    return found


def answers(side: str, programs: list[dict[str, Any]]) -> list[list[Any] | None]:
    """Returns the answers of one side; None for a program that ended the process, or took too long.

    Args:
        side: ``tensorflow`` or ``twinflow``.
        programs: The programs.
    """
    return [worker(side).ask(program) for program in programs]


def differ(
    programs: list[dict[str, Any]], text: bool
) -> list[tuple[list[tuple[int, str]], Any, Any]]:
    """Returns for each program where the two sides differ, and their answers."""
    ours, theirs = answers("twinflow", programs), answers("tensorflow", programs)
    found = []
    for program, mine, other in zip(programs, ours, theirs):
        if mine is None or other is None:
            how = (
                [(-1, "ended the process" if mine is not other else "")]
                if mine is not other
                else []
            )
            found.append((how, mine, other))
        else:
            found.append((differences(program, mine, other, text), mine, other))
    return found


def shortened(programs: list[dict[str, Any]], hows: list[str], text: bool) -> list[dict[str, Any]]:
    """Returns the programs without the statements that their difference does not need.

    All are shortened side by side: in each round every program tries to do without some of its statements.

    Args:
        programs: Programs that differ.
        hows: How each differs first.
        text: True if texts of errors count.
    """
    programs = list(programs)
    for size in (8, 4, 2, 1, 1):
        tries = [(i, [k]) for i, p in enumerate(programs) for k in range(0, len(p["lines"]), size)]
        kept = _differing(programs, tries, size, hows, text)
        together = [(i, [k for j, (k,) in kept if i == j]) for i in range(len(programs))]
        good = {i for i, _ in _differing(programs, together, size, hows, text)}
        for i, places in together:
            programs[i] = _without(programs[i], places if i in good else places[-1:], size)
    return programs


def _differing(
    programs: list[dict[str, Any]], tries: Any, size: int, hows: list[str], text: bool
) -> list[Any]:
    """The tries, of programs and what to leave out of them, that differ as before."""
    results = differ([_without(programs[i], places, size) for i, places in tries], text)
    return [
        tried
        for tried, (found, *_) in zip(tries, results)
        if any(how == hows[tried[0]] for _, how in found)
    ]


def _without(program: dict[str, Any], places: list[int], size: int) -> dict[str, Any]:
    """A program without the statements from some places on, so many at each."""
    gone = {k + j for k in places for j in range(size)}
    return {
        **program,
        **{
            key: [x for i, x in enumerate(program[key]) if i not in gone]
            for key in ("lines", "ulps")
        },
    }


def _show(program: dict[str, Any], found: list[tuple[int, str]], mine: Any, other: Any) -> None:
    print(f"--- seed {program['seed']} ({program['kind']})")
    for i, line in enumerate(program["lines"]):
        print(line)
        for place, how in found:
            if place == i:
                print(
                    f"#   {how}\n#   twinflow:   {json.dumps(mine[i])[:400]}\n#   tensorflow: {json.dumps(other[i])[:400]}"
                )


def check(seed: int, count: int, kind: str, text: bool, most: int) -> int:
    """Compares many programs, prints those that differ, and returns their number."""
    programs = [generate.program(seed + i, kind) for i in range(count)]
    results = differ(programs, text)
    wrong = [(p, r) for p, r in zip(programs, results) if r[0]]
    kinds = collections.Counter(f"{p['kind']}: {r[0][0][1]}" for p, r in wrong)
    off = sum(len(is_off(p, r[1], r[2])) for p, r in zip(programs, results) if r[1] and r[2])
    print(
        f"{count} programs from seed {seed}: {len(wrong)} differ; {dict(kinds)}; {off} results within the limits of rounding"
    )
    print("seeds:", *(p["seed"] for p, _ in wrong))
    wrong = [(p, r) for p, r in wrong if r[0][0][0] >= 0][:most]
    if wrong:
        short = shortened([p for p, _ in wrong], [r[0][0][1] for _, r in wrong], text)
        for p, r in zip(short, differ(short, text)):
            _show(p, *r)
    return len(kinds)


def record(seed: int, count: int) -> None:
    """Writes ``programs.json``: programs, a fourth of each kind, with TensorFlow's answers."""
    rows = []
    for i in range(count):
        program = generate.program(seed + i)
        found = worker("tensorflow").ask(program)
        if found is not None:
            rows.append(
                json.dumps({**program, "answers": found}, separators=(",", ":"), ensure_ascii=False)
            )
    (HERE / "programs.json").write_text("[\n" + ",\n".join(rows) + "\n]\n", "utf-8")
    print(f"{len(rows)} programs recorded")


def _main() -> int:
    parser = argparse.ArgumentParser(description="random programs on twinflow and TensorFlow")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--count", type=int, default=1000)
    parser.add_argument("--kind", default="", choices=["", *generate.KINDS])
    parser.add_argument("--text", action="store_true", help="texts of errors count as well")
    parser.add_argument(
        "--most", type=int, default=20, help="how many programs are shortened and printed"
    )
    parser.add_argument(
        "--record", type=int, default=0, metavar="COUNT", help="write programs.json anew"
    )
    given = parser.parse_args()
    if given.record:
        record(given.seed, given.record)
        return 0
    return 1 if check(given.seed, given.count, given.kind, given.text, given.most) else 0


if __name__ == "__main__":
    sys.exit(_main())
