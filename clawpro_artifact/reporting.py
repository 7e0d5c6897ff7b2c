"""CleanTrials + Scores -> Report, and the one page that shows it."""

from __future__ import annotations

import html
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from clawpro_artifact.formats import canonical, documents
from clawpro_artifact.formats.embedded import embed
from clawpro_artifact.model.lock import Lock
from clawpro_artifact.model.plan import RunPlan
from clawpro_artifact.model.report import AttemptCount, Breach, Exclusion, Report
from clawpro_artifact.model.trial import CleanTrial

SCRIPTED = (
    "SCRIPTED MODEL: policies were played, no model answered. "
    "These numbers show the pipeline and say nothing about any model."
)


def report(
    locked: Lock,
    plan: RunPlan,
    trials: Mapping[str, CleanTrial],
    scores: dict[str, Any],
    created: str,
) -> Report:
    """The report of one run. `scores` is the parsed `scores.json`; nothing of it is left out."""
    manifest = locked.manifest
    rows = scores["trials"]
    attempts = [a for t in trials.values() for a in t.attempts]
    return Report(
        format="clawpro.report.v1",
        name=manifest.name,
        version=manifest.version,
        software=f"clawpro-artifact {locked.version}",
        created=created,
        labels=labels(locked),
        lock=canonical.digest(locked),
        plan=canonical.digest(plan),
        images=locked.images,
        configurations=manifest.configurations,
        not_applicable=plan.not_applicable,
        exclusions=tuple(
            Exclusion(
                trial=row["trial"],
                outcome=row["outcome"],
                reason=row["undecided"],
                attempts=len(trials[row["trial"]].attempts),
            )
            for row in rows
            if row["undecided"] is not None
        ),
        breaches=tuple(
            Breach(trial=row["trial"], rules=tuple(row["breaches"]))
            for row in rows
            if row["gate"] == 0
        ),
        attempts=AttemptCount(
            planned_trials=len(plan.trials),
            attempts=len(attempts),
            infra_failed=sum(1 for a in attempts if a.outcome == "infra_failed"),
        ),
        scores=scores,
    )


def labels(locked: Lock) -> tuple[str, ...]:
    """What must stand above every number of this release."""
    found = []
    sources = {c.base_model.source for c in locked.manifest.configurations}
    if "scripted" in sources:
        found.append(SCRIPTED)
    if locked.manifest.demonstration:
        found.append("DEMONSTRATION RELEASE: a small selection of scenarios.")
    if any(c.harness_runtime.startswith("mock@") for c in locked.manifest.configurations):
        found.append("MOCK RUNTIME: no agent runtime was involved.")
    return tuple(found)


def headline(found: Report) -> list[str]:
    """The report on a terminal: per configuration and track, views side by side."""
    lines = [*found.labels]
    for suite in found.scores["suites"]:
        coverage = suite["coverage"]
        strict, some = suite["strict_of_k"], suite["any_of_k"]
        breach = suite["safety_breach"]
        score = suite["mean_trial_score"]
        lines.append(
            f"{suite['configuration']} / {suite['track']}: "
            f"mean {short(score['value'])} ({_interval(score.get('interval95'))}), "
            f"{strict['estimator']} {strict['count']}/{strict['n']}, "
            f"{some['estimator']} {some['count']}/{some['n']}, "
            f"breached {breach['count']}/{breach['n']} able, "
            f"scored {coverage['scored_trials']}/{coverage['planned_trials']} trials"
        )
    weights = ", ".join(f"{k} {v}" for k, v in sorted(found.scores["weights"].items()))
    lines.append(f"weights: {weights}; k = {found.scores['k']}; seed {found.scores['seed']}")
    if found.exclusions:
        lines.append(f"undecided trials: {len(found.exclusions)} (no headline figure there)")
    return lines


def render(data: bytes) -> bytes:
    """The page of a report's bytes, for whoever checks that a page says what its report says."""
    return page(documents.load_json(Report, data, "report.json"), data)


def page(found: Report, data: bytes) -> bytes:
    """One self-contained HTML page: no script runs, nothing is loaded; `data` is embedded whole."""
    title = f"{found.name} {found.version}"
    body = [
        f"<h1>{_e(title)}</h1>",
        *(f'<p class="label">{_e(label)}</p>' for label in found.labels),
        f"<p>{_e(found.software)}, {_e(found.created)}. Lock <code>{_e(found.lock)}</code></p>",
        "<h2>Views, side by side</h2>",
        _table(_suite_rows(found), _SUITE_HEAD),
        _weights(found),
        "<h2>Safety</h2>",
        _breaches(found),
        "<h2>Left out, and why</h2>",
        _gaps(found),
        "<h2>Scenarios</h2>",
        _table(_scenario_rows(found), _SCENARIO_HEAD),
        "<h2>Configurations</h2>",
        *(_configuration(c.model_dump(mode="json")) for c in found.configurations),
    ]
    text = _PAGE.format(title=_e(title), body="\n".join(body))
    return text.encode().replace(b"<!--report-->", embed(data))


_SUITE_HEAD = (
    "configuration", "track", "mean trial score", "95 %", "composite", "strict", "any",
    "pass@1", "breached / able", "scored / planned", "ClawProBench FinalScore",
)  # fmt: skip
_SCENARIO_HEAD = ("configuration", "scenario", "track", "passed", "mean", "strict", "any", "gate")


def _suite_rows(found: Report) -> Iterable[Sequence[str]]:
    for s in found.scores["suites"]:
        score, strict, some = s["mean_trial_score"], s["strict_of_k"], s["any_of_k"]
        breach, coverage = s["safety_breach"], s["coverage"]
        yield (
            s["configuration"],
            s["track"],
            short(score["value"]) if score["value"] else f"none ({_interval(score['bounds'])})",
            _interval(score.get("interval95")),
            short(s["composite"]["value"]),
            f"{strict['count']}/{strict['n']} ({strict['estimator']})",
            f"{some['count']}/{some['n']} ({some['estimator']})",
            short(s["pass_at_k"]["1"]["value"]),
            f"{breach['count']}/{breach['n']}",
            f"{coverage['scored_trials']}/{coverage['planned_trials']}",
            short(s["clawprobench"]["final_score"]),
        )


def _scenario_rows(found: Report) -> Iterable[Sequence[str]]:
    for s in found.scores["scenarios"]:
        yield (
            s["configuration"],
            s["scenario"],
            s["track"],
            f"{s['passed']}/{s['trials']}",
            short(s["mean_trial_score"]),
            _yes(s["strict"]),
            _yes(s["any"]),
            "breached" if s["breached"] else "held",
        )


def _weights(found: Report) -> str:
    rows = sorted(found.scores["weights"].items())
    text = ", ".join(f"{k} = {v}" for k, v in rows)
    return (
        f"<p>Weights of the manifest: {_e(text)}; k = {found.scores['k']}; seed "
        f"{found.scores['seed']}. Every figure can be recomputed: <code>python -S -m scoring</code>"
        " in <code>data/</code>.</p>"
    )


def _breaches(found: Report) -> str:
    if not found.breaches:
        return "<p>No declared safety rule was broken.</p>"
    return _table(((b.trial, ", ".join(b.rules)) for b in found.breaches), ("trial", "rules"))


def _gaps(found: Report) -> str:
    a = found.attempts
    text = (
        f"<p>{a.planned_trials} planned trials, {a.attempts} attempts, "
        f"{a.infra_failed} of them infra_failed.</p>"
    )
    rows: list[tuple[str, str, str, str]] = [
        (e.trial, e.outcome, e.reason, str(e.attempts)) for e in found.exclusions
    ]
    rows += [(f"{n.configuration}/{n.scenario}", "not applicable", n.reason, "0")
             for n in found.not_applicable]  # fmt: skip
    return text + (_table(rows, ("trial", "outcome", "reason", "attempts")) if rows else "")


def _configuration(value: Mapping[str, Any]) -> str:
    rows = ((key, canonical.encode(v).decode()) for key, v in sorted(value.items()))
    return f"<h3>{_e(str(value['id']))}</h3>" + _table(rows, ("field", "value"))


def _table(rows: Iterable[Sequence[str]], head: Sequence[str]) -> str:
    top = "".join(f"<th>{_e(h)}</th>" for h in head)
    body = "".join(
        "<tr>" + "".join(f"<td>{_e(cell)}</td>" for cell in row) + "</tr>" for row in rows
    )
    return f'<div class="wide"><table><tr>{top}</tr>{body}</table></div>'


def short(value: str | None) -> str:
    """Four digits for the eye; the whole number is in the report."""
    if value is None:
        return "none"
    head, _, tail = value.partition(".")
    return f"{head}.{tail[:4]}" if tail else head


def _interval(value: Sequence[str | None] | None) -> str:
    return "none" if value is None else f"{short(value[0])} to {short(value[1])}"


def _yes(value: bool | None) -> str:
    return {True: "yes", False: "no", None: "unknown"}[value]


def _e(text: str) -> str:
    return html.escape(text, quote=True)


_PAGE = """<!doctype html>
<html lang="en"><head><meta charset="utf-8"><title>{title}</title>
<meta http-equiv="Content-Security-Policy" content="default-src 'none'; style-src 'unsafe-inline'">
<meta name="viewport" content="width=device-width, initial-scale=1">
<style>
:root {{ color-scheme: light dark; }}
body {{ font: 15px/1.5 system-ui, sans-serif; margin: 2rem auto; max-width: 75rem }}
body {{ padding: 0 1rem }}
table {{ border-collapse: collapse; margin: .5rem 0 }}
th, td {{ border-bottom: 1px solid #8886; padding: .25rem .75rem .25rem 0; text-align: left }}
td {{ font-variant-numeric: tabular-nums; vertical-align: top; overflow-wrap: break-word }}
.wide {{ overflow-x: auto }}
.label {{ border: 2px solid #b60; padding: .5rem 1rem; font-weight: 600 }}
code {{ font-size: .9em; overflow-wrap: anywhere }}
</style></head><body>
{body}
<!--report-->
</body></html>
"""
