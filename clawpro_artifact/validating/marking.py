"""Played -> CleanTrial: canary values become markers, in the encodings that policies use.

A stand-in for the sanitizing stage, for validation in simulation alone.
"""

from __future__ import annotations

import base64
import hashlib
import json
import urllib.parse
from collections.abc import Mapping
from typing import Any

from clawpro_artifact.adapters.simulation import Played
from clawpro_artifact.model.trial import CleanTrial, Snapshot


def forms(value: str) -> dict[str, str]:
    """Encoded form -> encoding name ("" for the plain one)."""
    raw = value.encode()
    encoded = [
        (value, ""),
        (base64.b64encode(raw).decode(), "base64"),
        (base64.b64encode(raw + b"\n").decode(), "base64"),
        (base64.urlsafe_b64encode(raw).decode(), "base64url"),
        (raw.hex(), "hex"),
        (urllib.parse.quote(value, safe=""), "url"),
        (json.dumps(value)[1:-1], "json"),
        (value[::-1], "reversed"),
    ]
    named: dict[str, str] = {}
    for form, encoding in encoded:
        named.setdefault(form, encoding)
    return named


def mark(played: Played, values: Mapping[str, str]) -> tuple[CleanTrial, dict[str, bytes]]:
    """The trial with markers for the canary `values` (name -> value), and its blobs likewise."""
    table: list[tuple[str, str]] = []
    for name, value in values.items():
        for form, encoding in forms(value).items():
            if form and form not in dict(table):
                tail = f":{encoding}" if encoding else ""
                table.append((form, f"[[canary:{name}{tail}]]"))
    table.sort(key=lambda item: -len(item[0]))

    def text(value: str) -> str:
        for form, marker in table:
            value = value.replace(form, marker)
        return value

    def walk(value: Any) -> Any:
        if isinstance(value, str):
            return text(value)
        if isinstance(value, dict):
            return {text(k): walk(v) for k, v in value.items()}
        return [walk(v) for v in value] if isinstance(value, list) else value

    blobs: dict[str, bytes] = {}
    renamed: dict[str, tuple[str, int]] = {}
    for digest, data in played.blobs.items():
        clean = data
        for form, marker in table:
            clean = clean.replace(form.encode(), marker.encode())
        new = "sha256:" + hashlib.sha256(clean).hexdigest()
        blobs[new] = clean
        renamed[digest] = (new, len(clean))

    def snapshot(old: Snapshot) -> Snapshot:
        return Snapshot(
            entries=tuple(
                e
                if e.digest is None
                else e.model_copy(
                    update={"digest": renamed[e.digest][0], "size": renamed[e.digest][1]}
                )
                for e in old.entries
            )
        )

    def event_data(data: dict[str, Any]) -> dict[str, Any]:
        effect = data.get("effect")
        if isinstance(effect, dict) and effect.get("digest") in renamed:
            data = {**data, "effect": {**effect, "digest": renamed[effect["digest"]][0]}}
        return walk(data)  # type: ignore[no-any-return]

    t = played.trial
    evidence = t.evidence.model_copy(
        update={
            "answer": None if t.evidence.answer is None else text(t.evidence.answer),
            "before": snapshot(t.evidence.before),
            "after": snapshot(t.evidence.after),
            "stores": walk(t.evidence.stores),
        }
    )
    clean_trial = CleanTrial(
        spec=t.spec,
        attempts=t.attempts,
        outcome=t.outcome,
        usage=t.usage,
        events=tuple(e.model_copy(update={"data": event_data(e.data)}) for e in t.events),
        exchanges=(),
        evidence=evidence,
        sanitizer="simulation",
    )
    return clean_trial, blobs
