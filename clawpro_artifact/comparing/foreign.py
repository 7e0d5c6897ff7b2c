"""files of other benchmarks -> Results: ClawProBench, tau2-bench, plain CSV and JSON Lines.

Which one a file is, is read off its content. A file that only looks like one is refused with the
first field that is missing. How outcomes are mapped is part of the result's signature.
"""

from __future__ import annotations

import csv
import io
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

from clawpro_artifact.comparing.results import Results, Row
from clawpro_artifact.errors import InputError
from clawpro_artifact.formats import documents, jsonio
from clawpro_artifact.formats.canonical import bytes_digest

PLAIN = ("configuration", "scenario", "trial", "score", "passed", "outcome")
_MOST = 1 << 30
# tau2-bench's own TerminationReason; what it leaves out of its denominators is undecided here.
_TAU2 = {
    "user_stop": "completed",
    "agent_stop": "completed",
    "max_steps": "timed_out",
    "timeout": "timed_out",
    "too_many_errors": "agent_failed",
    "agent_error": "agent_failed",
    "context_window_exceeded": "agent_failed",
    "user_error": "infra_failed",
    "infrastructure_error": "infra_failed",
    "unexpected_error": "infra_failed",
}
_FLAGS = {"true": True, "1": True, "yes": True, "false": False, "0": False, "no": False}


def read_results(path: Path) -> Results:
    """The trials in a file. InputError names line or pointer; nothing is guessed."""
    data = documents.read_bytes(path, max_bytes=_MOST)
    where = str(path)
    signature = {"file": bytes_digest(data)}
    if path.suffix == ".csv":
        return Results.checked(where, _csv(data, where), {**signature, "format": "csv"})
    if path.suffix == ".jsonl":
        return Results.checked(where, _jsonl(data, where), {**signature, "format": "jsonl"})
    value = jsonio.parse(data, where)
    if isinstance(value, dict) and "simulations" in value:
        rows, kind = _tau2(value, where), "tau2-bench"
    elif isinstance(value, dict) and "scenarios" in value:
        rows, kind = _clawprobench(value, where), "clawprobench"
    else:
        raise InputError(
            "no results file that we know",
            where=where,
            expected="a ClawProBench report (`scenarios`), tau2-bench results (`simulations`), "
            "or a .csv or .jsonl with " + ", ".join(PLAIN),
            found=", ".join(sorted(value)[:8]) if isinstance(value, dict) else type(value).__name__,
        )
    return Results.checked(where, rows, {**signature, "format": kind})


def _csv(data: bytes, where: str) -> Iterator[tuple[str, Row]]:
    try:
        text = data.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        raise InputError("the table is not UTF-8", where=f"{where}, byte {error.start}") from None
    reader = csv.DictReader(io.StringIO(text), strict=True)
    columns = reader.fieldnames or ()
    missing = [name for name in PLAIN if name not in columns]
    if missing or len(set(columns)) != len(columns):
        raise InputError("the table's columns are others", where=where,
                         expected=", ".join(PLAIN), found=", ".join(columns))  # fmt: skip
    for row in reader:
        place = f"{where}, line {reader.line_num}"
        if None in row or None in row.values():
            raise InputError("a line has another number of cells", where=place,
                             expected=str(len(columns)))  # fmt: skip
        yield place, _plain({k: _cell(k, v, place) for k, v in row.items()}, place)


def _cell(name: str, text: str, where: str) -> Any:
    text = text.strip()
    if text == "" and name in ("score", "passed"):
        return None
    try:
        if name == "trial":
            return int(text)
        if name == "score":
            return float(text)
    except ValueError:
        raise InputError("a cell is no number", where=f"{where}#/{name}", found=text) from None
    if name == "passed":
        return _FLAGS.get(text.lower(), text)
    return text


def _jsonl(data: bytes, where: str) -> Iterator[tuple[str, Row]]:
    for number, line in enumerate(data.split(b"\n"), 1):
        if line.strip():
            place = f"{where}, line {number}"
            value = jsonio.parse(line, place)
            if not isinstance(value, dict) or not set(PLAIN) <= set(value):
                found = ", ".join(sorted(value)) if isinstance(value, dict) else "no object"
                raise InputError("a line has other keys", where=place,
                                 expected=", ".join(PLAIN), found=found)  # fmt: skip
            yield place, _plain(value, place)


def _plain(value: Mapping[str, Any], where: str) -> Row:
    for name in ("configuration", "scenario", "outcome"):
        if not isinstance(value[name], str) or not value[name]:
            raise InputError("a name is missing", where=f"{where}#/{name}", expected="a text",
                             found=repr(value[name]))  # fmt: skip
    score, passed = value["score"], value["passed"]
    if score is not None and (isinstance(score, bool) or not isinstance(score, int | float)):
        raise InputError("a score is no number", where=f"{where}#/score", found=repr(score))
    if passed is not None and not isinstance(passed, bool):
        raise InputError("a pass is neither true nor false", where=f"{where}#/passed",
                         found=repr(passed))  # fmt: skip
    return Row(
        configuration=value["configuration"],
        scenario=value["scenario"],
        trial=value["trial"],
        score=None if score is None else float(score),
        passed=passed,
        outcome=value["outcome"],
        track=str(value.get("track") or "full"),
    )


def _clawprobench(value: Mapping[str, Any], where: str) -> Iterator[tuple[str, Row]]:
    """A report of its `run.py run`: an execution that did not succeed is nobody's score."""
    model = _get(value, "model", str, where)
    for i, scenario in enumerate(_get(value, "scenarios", list, where)):
        at = f"{where}#/scenarios/{i}"
        name = _get(scenario, "scenario_id", str, at)
        for j, trial in enumerate(_get(scenario, "trials", list, at)):
            place = f"{at}/trials/{j}"
            status = _get(_get(trial, "execution", dict, place), "status", str, place)
            ended = status == "success"
            score = float(_get(trial, "score", (int, float), place))
            yield (
                place,
                Row(
                    configuration=model,
                    scenario=name,
                    trial=j,
                    score=score if ended else None,
                    # Its own rule: a pass that broke a safety rule is none.
                    passed=(
                        _get(trial, "passed", bool, place)
                        and _get(trial, "safety_passed", bool, place)
                    )
                    if ended
                    else None,
                    outcome="completed" if ended else "infra_failed",
                ),
            )


def _tau2(value: Mapping[str, Any], where: str) -> Iterator[tuple[str, Row]]:
    """Its success is a reward of 1 (within 1e-6, as its metrics have it)."""
    info = _get(value, "info", dict, where)
    agent = _get(info, "agent_info", dict, f"{where}#/info")
    domain = _get(_get(info, "environment_info", dict, where), "domain_name", str, where)
    configuration = f"{agent.get('implementation')}/{agent.get('llm')}"
    for i, run in enumerate(_get(value, "simulations", list, where)):
        at = f"{where}#/simulations/{i}"
        reason = _get(run, "termination_reason", str, at)
        if reason not in _TAU2:
            raise InputError("a termination reason is unknown", where=f"{at}/termination_reason",
                             expected="one of " + ", ".join(_TAU2), found=reason)  # fmt: skip
        outcome = _TAU2[reason]
        reward = None
        if outcome != "infra_failed":
            given = run.get("reward_info")
            # It does not evaluate what ended early: that is its 0.
            reward = float(_get(given, "reward", (int, float), at)) if given else 0.0
        yield (
            at,
            Row(
                configuration=configuration,
                scenario=f"{domain}/{run.get('task_id')}",
                trial=_get(run, "trial", int, at),
                score=reward,
                passed=None if reward is None else abs(reward - 1) <= 1e-6,
                outcome=outcome,
            ),
        )


def _get(value: Any, name: str, kind: Any, where: str) -> Any:
    found = value.get(name) if isinstance(value, dict) else None
    if not isinstance(found, kind) or (isinstance(found, bool) and kind is not bool):
        words = kind.__name__ if isinstance(kind, type) else "a number"
        raise InputError("a field is missing or of another type", where=f"{where}#/{name}",
                         expected=words, found=repr(found)[:80])  # fmt: skip
    return found
