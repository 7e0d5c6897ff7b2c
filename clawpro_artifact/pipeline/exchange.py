"""a verified bundle -> documents of other tools; traces of other tools -> a signed, clean bag."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import asdict, dataclass
from datetime import datetime
from pathlib import Path
from typing import Any

from clawpro_artifact import sanitizing
from clawpro_artifact.bundling import BundleFile
from clawpro_artifact.checking import anomalies
from clawpro_artifact.errors import InputError
from clawpro_artifact.formats import canonical, jsonio, transcriptstores
from clawpro_artifact.formats.peers import Told, atif, everyeval, inspectlog, openclaw, otel
from clawpro_artifact.formats.shipped import Shipped
from clawpro_artifact.formats.transcripts import Defect
from clawpro_artifact.model.trace import Event

FORMATS = ("otel", "atif", "inspect", "every-eval-ever")


@dataclass(frozen=True)
class Imported:
    """One foreign trace, and what was wrong with the file that held it."""

    source: str
    name: str
    events: tuple[Event, ...]
    defects: tuple[Defect, ...] = ()


def export(shipped: Shipped, kind: str, trial: str | None = None) -> Iterator[tuple[str, Any]]:
    """(file name, document) of every trial, or of every configuration for aggregate formats.

    Raises InputError for a trial that is not in the plan.
    """
    report = jsonio.parse(shipped.read("data/report/report.json"), "report.json")
    lock, scores = shipped.lock(), shipped.scores()
    if trial is not None and trial not in {s.id for s in shipped.plan().trials}:
        raise InputError("the plan has no such trial", found=trial)
    for configuration in lock.manifest.configurations:
        name = configuration.id
        suites = [s for s in scores["suites"] if s["configuration"] == name]
        if kind == "every-eval-ever":
            created = datetime.fromisoformat(report["created"])
            release = {"name": report["name"], "bundle": str(shipped.bundle_id),
                       "created": report["created"], "software": report["software"]}  # fmt: skip
            plain = configuration.model_dump(mode="json")
            yield (
                f"{name}.json",
                everyeval.write(suites, plain, release, str(int(created.timestamp()))),
            )
            continue
        tolds = (t for t in told(shipped, scores, name) if trial in (None, t.trial))
        if kind == "inspect":
            figures = {f"{s['track']}/{k}": float(s[k][v]) for s in suites
                       for k, v in (("mean_trial_score", "value"), ("strict_of_k", "rate"),
                                    ("any_of_k", "rate"))
                       if s[k][v] is not None}  # fmt: skip
            run = canonical.digest(shipped.plan())
            yield (
                f"{name}.json",
                inspectlog.write(f"clawpro/{name}", run, report["created"], list(tolds), figures),
            )
            continue
        for one in tolds:
            document = atif.write(one) if kind == "atif" else otel.write(one, report["software"])
            yield f"{one.trial.replace('/', '.')}.json", document


def told(shipped: Shipped, scores: Any, configuration: str) -> Iterator[Told]:
    """Every trial of a configuration."""
    scored = {t["trial"]: t for t in scores["trials"]}
    (unit,) = [c for c in shipped.lock().manifest.configurations if c.id == configuration]
    agent, _, version = str(unit.harness_runtime).partition("@")
    for spec in shipped.plan().trials:
        if spec.configuration != configuration:
            continue
        trial = shipped.trial(spec)
        row = scored.get(spec.id, {})
        yield Told(
            trial=spec.id,
            scenario=spec.scenario,
            index=spec.index,
            agent=agent,
            agent_version=version or "none",
            model=str(unit.base_model.name),
            provider=str(unit.base_model.source),
            started=trial.attempts[-1].started_at,
            duration_ms=trial.attempts[-1].duration_ms,
            outcome=trial.outcome,
            answer=trial.evidence.answer,
            events=trial.events,
            usage={"input_tokens": trial.usage.input_tokens,
                   "output_tokens": trial.usage.output_tokens},
            scores={
                "score": _number(row.get("score")),
                "strict": row.get("strict"),
                "breached": bool(row.get("breaches")),
            },
        )  # fmt: skip


def _number(text: Any) -> float | None:
    return None if text is None else float(text)


def read(path: Path) -> list[Imported]:
    """The traces of a file: an ATIF trajectory, an Inspect log, or OpenClaw sessions.

    Raises InputError for anything else, and for a file that nobody can read.
    """
    data = path.read_bytes()
    document = _json(data)
    if isinstance(document, dict) and "schema_version" in document:
        return [Imported(path.name, path.stem, atif.read(document, path.name))]
    if isinstance(document, dict) and "eval" in document:
        found = inspectlog.read(document, path.name)
        return [Imported(path.name, name, events) for name, events in found.items()]
    transcript = transcriptstores.read(data, path.stem)
    sessions = openclaw.read(transcript)
    if not any(e.kind != "opaque" for events in sessions.values() for e in events):
        raise InputError(
            "the file holds no trace",
            where=path.name,
            expected="ATIF, an Inspect .json log, or an OpenClaw session (JSONL, SQLite, packed)",
            found=f"{len(transcript.entries)} entries, {len(transcript.defects)} defects",
        )
    return [Imported(path.name, n, events, transcript.defects) for n, events in sessions.items()]


def _json(data: bytes) -> Any:
    try:
        return json.loads(data)
    except (ValueError, RecursionError):
        return None


def bag(
    found: Iterable[Imported], secrets: Sequence[str], salt_key: bytes, personal: tuple[str, ...]
) -> Iterator[BundleFile]:
    """Sanitized traces, their defects, redactions and anomalies, as files of a signed bag.

    Raises SanitizeError if a secret is left; then nothing may be used.
    """
    for number, one in enumerate(found):
        name = f"import-{number}"
        events, redactions = sanitizing.sanitize_events(
            one.events, secrets, salt_key, name, personal
        )
        about = {
            "format": "clawpro.import.v1",
            "source": sanitizing.sanitize_text(f"{one.source}#{one.name}", secrets, salt_key),
            "sanitizer": sanitizing.VERSION,
            "detector": anomalies.VERSION,
            "redactions": [r.model_dump(mode="json") for r in redactions],
            "defects": [asdict(d) | {"detail": ""} for d in one.defects],
            "anomalies": [a.as_json() for a in anomalies.anomalies(events)],
        }
        folder = f"data/imported/{name}"
        lines = b"".join(canonical.encode(e) + b"\n" for e in events)
        yield BundleFile(f"{folder}/events.jsonl", lines)
        yield BundleFile(f"{folder}/import.json", canonical.encode(about))
