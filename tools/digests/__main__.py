"""The program: run, and compare or record."""

from __future__ import annotations

import argparse
import json
import sys
import time
import warnings
from fnmatch import fnmatch
from pathlib import Path
from typing import Any

from tools.digests.catalog import RUNS
from tools.digests.digest import digested, environment

RECORDED = Path(__file__).resolve().parent.parent / "digests.json"


def recorded() -> dict[str, Any]:
    """What was recorded: the environment, and a digest for each run."""
    return dict(json.loads(RECORDED.read_text())) if RECORDED.exists() else {}


def made(name: str) -> dict[str, Any]:
    """The digest of a run that is made now, or the error that it raised."""
    began = time.perf_counter()
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        try:
            found = digested(RUNS[name]())
        except Exception as error:
            found = {"digest": "raised", "parts": {}, "message": repr(error)[:200]}
    return {**found, "seconds": round(time.perf_counter() - began, 2)}


def foreign(before: dict[str, Any]) -> list[str]:
    """In what this environment is another than the recorded one."""
    now, then = environment(), before.get("environment", {})
    return [f"{key}: {then.get(key)} -> {now[key]}" for key in now if then.get(key) != now[key]]


def difference(before: dict[str, Any] | None, now: dict[str, Any]) -> str | None:
    """What is not as it was, or None."""
    if before is None:
        return "is not recorded"
    if before["digest"] == now["digest"]:
        return None
    names = sorted(set(before["parts"]) | set(now["parts"]))
    parts = [name for name in names if before["parts"].get(name) != now["parts"].get(name)]
    shown = ("fun", "nit", "nfev", "status", "message")
    values = [f"{k}: {before.get(k)} -> {now.get(k)}" for k in shown if before.get(k) != now.get(k)]
    return f"differs in {', '.join(parts)}; {'; '.join(values) or 'no field that is shown'}"


def write(found: dict[str, dict[str, Any]]) -> None:
    """Record these, beside what is recorded of other runs that still exist."""
    kept = {k: v for k, v in recorded().get("runs", {}).items() if k in RUNS}
    runs = {name: {k: v for k, v in run.items() if k != "seconds"} for name, run in found.items()}
    lines = [f"  {json.dumps(k)}: {json.dumps(v)}" for k, v in sorted({**kept, **runs}.items())]
    head = f'{{\n"environment": {json.dumps(environment())},\n"runs": {{\n'
    RECORDED.write_text(head + ",\n".join(lines) + "\n}\n}\n")


def main() -> int:
    parser = argparse.ArgumentParser(prog="python -m tools.digests", description=__doc__)
    what = parser.add_mutually_exclusive_group(required=True)
    what.add_argument("--compare", action="store_true", help="with what is recorded")
    what.add_argument("--write", action="store_true", help="record anew")
    parser.add_argument("--only", default="*", help="a pattern of names, 'paper/*' for instance")
    given = parser.parse_args()
    names = [name for name in RUNS if fnmatch(name, given.only)]
    before = recorded()
    if given.compare and (others := foreign(before)):
        print("The environment is another than the recorded one, so digests may differ:")
        print("  " + "\n  ".join(others))
    found, different = {}, 0
    for name in names:
        now = found[name] = made(name)
        said = difference(before.get("runs", {}).get(name), now)
        different += said is not None
        if now["digest"] == "raised":
            print(f"{name}: raised {now['message']}", flush=True)
        elif said is not None and given.compare:
            print(f"{name}: {said}", flush=True)
    missing = [n for n in before.get("runs", {}) if n not in RUNS and fnmatch(n, given.only)]
    for name in missing:
        print(f"{name}: is recorded, but there is no such run")
    seconds = sum(run["seconds"] for run in found.values())
    print(f"{len(names)} runs, {different} differ, {len(missing)} missing, {seconds:.0f} s")
    slowest = sorted(found, key=lambda name: -found[name]["seconds"])[:5]
    print("slowest: " + ", ".join(f"{name} {found[name]['seconds']} s" for name in slowest))
    if given.write:
        if any(run["digest"] == "raised" for run in found.values()):
            print("a run raised an error: nothing is recorded")
            return 1
        write(found)
        return 0
    return 1 if different or missing else 0


if __name__ == "__main__":
    sys.exit(main())
