"""Random kills: is anything lost, does anything stay?

    python benchmarks/robustness/faults.py [--kills 1000] [--minutes 600] [--seed 0] [--continue]

In turns a `check` and a language server verify a kernel; at a random moment a random process of theirs (the judge or the server
itself, the compiler, the runner, the reference, what confines them) is killed by SIGKILL. A server that lost a child is saved at
again and loses more, until it is killed itself or has lost a dozen. Now and then an editor that has just saved is killed, with
whom its server must go. After each kill:

- the server answers a hover, unless it was the victim;
- no process of one that is gone lives on or stays a zombie;
- every entry of the verdict cache holds, and the memory can be opened;
- a verdict that was given all the same is right, or says that it could not be had;
- every twentieth time, the same check, left alone, gives the right verdict, or none on a machine that is out of breath (`late`).

Each breach is a loss; losses by kind are the figures. `--continue` adds to the kills that the result holds, under another seed;
the figures name every run that they are made of.
"""

import argparse
import json
import os
import random
import shutil
import signal
import subprocess
import sys
import tempfile
import time
import uuid
from collections import Counter, defaultdict
from contextlib import suppress
from pathlib import Path
from typing import Any

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

from lib import record
from lib.saved_server import Server
from lib.warm_cache import prepare

from kernelwright_memory import Memory, StoreError
from kernelwright_verifier.pipeline.machine_load import under_load
from kernelwright_verifier.results.cache import VerdictCache

_EXAMPLE = Path(__file__).resolve().parents[2] / "examples" / "relu"
_EDITOR = Path(__file__).resolve().parents[1] / "lib" / "saved_server.py"
_MARK = "KERNELWRIGHT_FAULTS"
_GONE_S = 10.0
_LONGEST_S = 3.0
_SHARES = {"check": 0.15, "editor": 0.1, "server": 0.75}
_MOST_OF_A_SERVER = 12
_PATIENCE_S = 300.0


class Faults:
    """One run of kills in folders of its own."""

    def __init__(self, place: Path, seed: int) -> None:
        self.random = random.Random(seed)
        self.cache = place / "cache"
        self.data = place / "data"
        self.folder = place / "relu"
        shutil.copytree(_EXAMPLE, self.folder)
        self.source = (self.folder / "relu_naive.cu").read_text()
        self.environment = {
            **os.environ, "XDG_CACHE_HOME": str(self.cache), "XDG_DATA_HOME": str(self.data),
            "XDG_CONFIG_HOME": str(place / "configuration"),
        }  # fmt: skip
        self.losses: Counter[str] = Counter()
        self.rows: list[dict[str, Any]] = []
        self.seen: dict[str, set[tuple[int, str]]] = defaultdict(set)
        """Processes of each mark with their times of start: the sandbox takes the mark from what it starts."""
        self.server: Server | None = None
        self.server_mark = ""
        self.server_kills = 0

    def warm(self) -> None:
        """Have what is built once; a run of kills would never get past it."""
        prepare(self.cache, self.folder / "relu_naive.cu")
        if self.check("warm").get("feasible") is not True:
            raise SystemExit("the example is not verified here: see 'kernelwright doctor'")

    def once(self, number: int) -> None:
        """One kill and what is looked at afterwards."""
        path = self.folder / f"kernel{number % 8}.cu"
        # Every fourth time another text, so that the compiler runs as well.
        path.write_text(f"{self.source}// {number if number % 4 == 0 else number % 8}\n")
        moment = self.random.random() * _LONGEST_S
        (who,) = self.random.choices(list(_SHARES), list(_SHARES.values()))
        row: dict[str, Any] = {"number": number, "who": who, "moment_s": round(moment, 3)}
        if who != "server":
            mark = uuid.uuid4().hex
            kill = self.kill_check if who == "check" else self.kill_editor
            row |= kill(path, mark, moment)
            lost = [*row.pop("lost", ()), *self.ended(mark)]
        else:
            row |= self.kill_server(path, moment)
            lost = row.pop("lost", [])
        lost += self.broken()
        if number % 20 == 19:
            verdict = self.check(uuid.uuid4().hex, path)
            if verdict.get("feasible") is False:
                lost.append("wrong verdict")
                row["said"] = said(verdict)
            elif verdict.get("feasible") is None:
                row["said"] = said(verdict)
                if under_load():
                    row["late"] = True  # other work kept it from one, as it would have without a kill
                else:
                    lost.append("no verdict")
        for kind in lost:
            self.losses[kind] += 1
        if lost:
            print({**row, "lost": lost}, flush=True)
        self.rows.append({**row, "lost": lost})

    def ended(self, mark: str) -> list[str]:
        """What a check or a server that is gone has left behind."""
        left = self.left(mark)
        for pid in left:
            print(f"left behind: {_name_of(pid)} ({pid})", flush=True)
            with suppress(OSError):
                os.kill(pid, signal.SIGKILL)
        self.seen.pop(mark, None)
        return ["process"] if left else []

    def kill_check(self, path: Path, mark: str, moment: float) -> dict[str, Any]:
        process = subprocess.Popen(
            self.command(path),
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
            env={**self.environment, _MARK: mark},
        )
        time.sleep(moment)
        victim = self.strike(process.pid, mark)
        try:
            out, error = process.communicate(timeout=_PATIENCE_S)
        except subprocess.TimeoutExpired:
            process.kill()
            process.communicate()
            return {"victim": victim, "lost": ["hang"]}
        lost = ["traceback"] if "Traceback" in error else []
        with suppress(ValueError):
            verdict = json.loads(out or "{}")
            if verdict.get("feasible") is False:
                lost.append("wrong verdict")
                return {"victim": victim, "lost": lost, "said": said(verdict)}
        return {"victim": victim, "lost": lost}

    def kill_editor(self, path: Path, mark: str, moment: float) -> dict[str, Any]:
        """The editor of a server of its own, at a moment behind a save."""
        with subprocess.Popen(
            [sys.executable, str(_EDITOR), str(path)],
            stdout=subprocess.PIPE,
            env={**self.environment, _MARK: mark},
        ) as editor:
            assert editor.stdout is not None
            saved = editor.stdout.readline()
            time.sleep(moment)
            self.marked_and_seen(mark)
            editor.kill()
        return {"victim": "editor", "lost": [] if saved else ["editor: not begun"]}

    def kill_server(self, path: Path, moment: float) -> dict[str, Any]:
        """One kill in the server that runs, or in a new one."""
        lost: list[str] = []
        victim = "server"
        try:
            if self.server is None:
                self.server_mark, self.server_kills = uuid.uuid4().hex, 0
                self.server = Server({**self.environment, _MARK: self.server_mark})
            server = self.server
            server.save(path)
            time.sleep(moment)
            victim = self.strike(server.client.process.pid, self.server_mark)
            self.server_kills += 1
            if victim != "server":
                server.hover()
        except Exception as error:
            lost.append(f"server: {type(error).__name__}")
        server = self.server
        if server is not None and (victim == "server" or lost or self.server_kills >= _MOST_OF_A_SERVER):
            server.stop()
            self.server = None
            lost += self.ended(self.server_mark)
        return {"victim": victim, "lost": lost}

    def close(self) -> None:
        if self.server is not None:
            self.server.stop()

    def strike(self, pid: int, mark: str) -> str:
        """Kill one of the marked processes; what it was."""
        living = self.marked_and_seen(mark)
        victim = self.random.choice(living or [pid])
        name = "server" if victim == pid else _name_of(victim)
        with suppress(OSError):
            os.kill(victim, signal.SIGKILL)
        return "judge" if victim == pid and name == "server" and self._is_check(pid) else name

    def _is_check(self, pid: int) -> bool:
        with suppress(OSError):
            return b"\0check\0" in Path(f"/proc/{pid}/cmdline").read_bytes()
        return True

    def command(self, path: Path) -> list[str]:
        words = ["check", str(path), "--format", "json", "--no-latency", "--no-cache"]
        return [sys.executable, "-m", "kernelwright_server", *words]

    def check(self, mark: str, path: Path | None = None) -> dict[str, Any]:
        """A verdict on a file of its own; empty where none came in time."""
        try:
            done = subprocess.run(
                self.command(path or self.folder / "relu_naive.cu"), capture_output=True, text=True, check=False,
                env={**self.environment, _MARK: mark}, timeout=_PATIENCE_S,
            )  # fmt: skip
        except subprocess.TimeoutExpired:
            return {}
        found: dict[str, Any] = json.loads(done.stdout or "{}")
        return found

    def marked(self, mark: str) -> list[int]:
        """Processes with the mark in their environment or below one that has it: the sandbox empties environments."""
        table: dict[int, tuple[int, bool]] = {}
        for place in Path("/proc").iterdir():
            if place.name.isdigit():
                with suppress(OSError, ValueError, IndexError):
                    state, parent = (place / "stat").read_text().rpartition(")")[2].split()[:2]
                    named = f"{_MARK}={mark}".encode() in (place / "environ").read_bytes()
                    if state != "Z":
                        table[int(place.name)] = int(parent), named
        found = {pid for pid, (_, named) in table.items() if named}
        grown = True
        while grown:
            grown = False
            for pid, (parent, _) in table.items():
                if parent in found and pid not in found:
                    found.add(pid)
                    grown = True
        return sorted(found)

    def marked_and_seen(self, mark: str) -> list[int]:
        """Processes with the mark, which are held to be gone afterwards even if they lose it."""
        living = self.marked(mark)
        self.seen[mark] |= {(one, begun) for one in living if (begun := _begun(one)) is not None}
        return living

    def left(self, mark: str) -> list[int]:
        deadline = time.monotonic() + _GONE_S
        while (living := self._living(mark)) and time.monotonic() < deadline:
            time.sleep(0.05)
        return living

    def _living(self, mark: str) -> list[int]:
        return [*self.marked(mark), *(pid for pid, begun in self.seen[mark] if _begun(pid) == begun)]

    def broken(self) -> list[str]:
        """What does not hold of what is stored."""
        lost = []
        verdicts = VerdictCache(self.cache / "kernelwright" / "verdicts")
        if any(record is None for _, record in verdicts.records()):
            lost.append("verdict entry")
        if len(self.rows) % 20 == 0:
            try:
                Memory(self.data / "kernelwright" / "memory").experiences()
            except StoreError:
                lost.append("memory")
        return lost


def said(verdict: dict[str, Any]) -> list[str]:
    """The errors of a verdict, as text."""
    found = (f for gate in verdict.get("gates", ()) for f in gate["findings"])
    return [f"{f['code']} {f['message']}"[:200] for f in found if f["severity"] == "error"]


def _begun(pid: int) -> str | None:
    """When a process began, in ticks since the machine did; None where it is gone or only waits to be reaped."""
    try:
        state, *rest = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()
    except OSError:
        return None
    return rest[18] if state != "Z" else None


def _name_of(pid: int) -> str:
    """What a process is, by its command line."""
    try:
        words = Path(f"/proc/{pid}/cmdline").read_bytes().split(b"\0")
    except OSError:
        return "gone"
    program, line = Path(words[0].decode(errors="replace")).name, b" ".join(words)
    # What sets a sandbox up names what it is for.
    by_name = {
        "bwrap": "sandbox",
        "cc1plus": "compiler",
        "g++": "compiler",
        "as": "assembler",
        "ld": "linker",
        "collect2": "linker",
    }
    if program in by_name:
        return by_name[program]
    if program == "sh":
        return "sandbox" if b"bwrap" in line else "warden"
    for mark, name in ((b"reference_worker", "reference"), (b"launcher", "sandbox"), (b"driver", "runner")):
        if mark in line:
            return name
    return program or "other"


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--kills", type=int, default=1000)
    parser.add_argument("--minutes", type=float, default=600.0, help="end after so many, with fewer kills")
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument(
        "--continue", dest="more", action="store_true", help="add to the result that is there"
    )
    arguments = parser.parse_args()
    earlier = record.read(record.RESULTS / "faults.json") if arguments.more else None
    runs = earlier["details"]["runs"] if earlier else []
    if any(run["seed"] == arguments.seed for run in runs):
        raise SystemExit(f"--seed {arguments.seed} is among the kills that are there: choose another")
    with tempfile.TemporaryDirectory(prefix="kernelwright-faults-") as place:
        faults = Faults(Path(place), arguments.seed)
        faults.warm()
        started = time.monotonic()
        for number in range(arguments.kills):
            if time.monotonic() - started > 60 * arguments.minutes:
                break
            faults.once(number)
            if number % 20 == 19:
                print(f"{number + 1} kills, losses: {dict(faults.losses) or 'none'}", flush=True)
        faults.close()
        elapsed_s = time.monotonic() - started
    runs.append({"seed": arguments.seed, "kills": len(faults.rows), "elapsed_s": round(elapsed_s, 1)})
    rows = [*(earlier["rows"] if earlier else ()), *faults.rows]
    losses = Counter(kind for row in rows for kind in row["lost"])
    figures = {
        "kills": len(rows),
        "losses": losses.total(),
        "losses_by_kind": dict(losses),
        "late": sum(row.get("late", False) for row in rows),
        "killed_by_kind": dict(Counter(row["victim"] for row in rows).most_common()),
        "runs": runs,
    }
    print(json.dumps(figures, indent=1))
    print(record.write("faults", seed=arguments.seed, figures=figures, rows=rows, compressed=True))


if __name__ == "__main__":
    main()
