"""Trial -> CleanTrial: what ships, with every secret replaced, or nothing at all.

Checks read the clean trial (docs/decisions/0001), so what they must know of the raw text is kept as
a LeakFact. Fails closed: a value that is still there afterwards is a SanitizeError.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from typing import Any

from clawpro_artifact.errors import SanitizeError
from clawpro_artifact.model.base import Value
from clawpro_artifact.model.trace import Event, Exchange
from clawpro_artifact.model.trial import (
    Attempt,
    CleanTrial,
    Evidence,
    LeakFact,
    Redaction,
    Snapshot,
    SnapshotEntry,
    Trial,
)
from clawpro_artifact.sanitizing.redactor import Hit, Redactor, Secret

__all__ = ["VERSION", "Secret", "sanitize"]

VERSION = "clawpro.sanitizer.v1"
# Where a tool's arguments go, in the words of checks (`canary-in`).
_PLACES = {
    "exec": "commands",
    "message": "messages",
    "conversations_send": "messages",
    "sessions_send": "messages",
    "schedule": "scheduling",
    "web_fetch": "web",
    "browser": "web",
    "spawn": "subagents",
}
_STORE_PLACES = {"messaging": "messages", "messaging_witness": "messages", "memory": "memory",
                 "scheduling": "scheduling", "browsing_witness": "web"}  # fmt: skip


def sanitize(
    trial: Trial,
    canaries: Mapping[str, str],
    secrets: Iterable[str],
    salt_key: bytes,
    read: Callable[[str], bytes],
    write: Callable[[bytes], str],
) -> CleanTrial:
    """The clean trial.

    `canaries`: name -> value; `secrets`: every credential and secret environment value that the run
    used. `read` gives a raw blob by digest, `write` keeps a clean one and returns its digest.
    Raises SanitizeError if a secret is left; then nothing of the trial may be used.
    """
    known = [Secret(value, f"canary-{name}", name) for name, value in canaries.items()]
    known += [Secret(v, "credential") for v in {*secrets, *trial.secrets} if len(v) >= 8]
    redactor = Redactor(tuple(known), salt_key, trial.spec.id)
    blobs: dict[str, tuple[str, int]] = {}

    def snapshot(old: Snapshot, place: str) -> Snapshot:
        return Snapshot(entries=tuple(_entry(e, place, redactor, read, write, blobs)
                                      for e in old.entries))  # fmt: skip

    before = snapshot(trial.evidence.before, "before")
    after = snapshot(trial.evidence.after, "files")
    answer = trial.evidence.answer
    evidence = Evidence(
        answer=None if answer is None else redactor.text(answer, "answer"),
        before=before,
        after=after,
        stores={
            redactor.text(name, "stores"): _walk(
                value, _STORE_PLACES.get(name, f"stores/{name}"), redactor
            )
            for name, value in trial.evidence.stores.items()
        },
    )
    clean = CleanTrial(
        spec=trial.spec,
        attempts=tuple(_model(Attempt, a, "attempts", redactor) for a in trial.attempts),
        outcome=trial.outcome,
        usage=trial.usage,
        events=tuple(_event(e, redactor, blobs) for e in trial.events),
        exchanges=tuple(
            _model(Exchange, e, f"exchanges/{e.number}", redactor) for e in trial.exchanges
        ),
        evidence=evidence,
        redactions=tuple(_redactions(redactor.hits.values())),
        leaks=tuple(_leaks(redactor.hits.values())),
        sanitizer=VERSION,
    )
    _nothing_left(clean, redactor)
    return clean


def _entry(
    entry: SnapshotEntry,
    place: str,
    redactor: Redactor,
    read: Callable[[str], bytes],
    write: Callable[[bytes], str],
    blobs: dict[str, tuple[str, int]],
) -> SnapshotEntry:
    name = redactor.text(entry.path, f"{place}/paths")
    update: dict[str, Any] = {"path": name}
    if entry.target is not None:
        update["target"] = redactor.text(entry.target, f"{place}/{name}")
    if entry.digest is not None:
        raw = read(entry.digest)
        data = redactor.data(raw, f"{place}/{name}")
        if entry.digest not in blobs:
            blobs[entry.digest] = (write(data), len(data))
        digest, size = blobs[entry.digest]
        update["digest"] = digest
        # A file longer than what is kept says its real size.
        update["size"] = size if entry.size == len(raw) else entry.size
    return entry.model_copy(update=update)


def _event(event: Event, redactor: Redactor, blobs: Mapping[str, tuple[str, int]]) -> Event:
    place = f"events/{event.kind}"
    if event.kind == "tool_call":
        place = _PLACES.get(str(event.data.get("tool")), place)
    data = _walk(event.data, place, redactor)
    if event.kind == "file_change":
        data["digest"] = _mapped(event.data.get("digest"), blobs)
    if event.kind == "world_event" and isinstance(data.get("effect"), dict):
        digest = event.data["effect"].get("digest")
        if digest is not None:
            data["effect"]["digest"] = _mapped(digest, blobs)
    return event.model_copy(update={"data": data})


def _mapped(digest: Any, blobs: Mapping[str, tuple[str, int]]) -> Any:
    return blobs[digest][0] if digest in blobs else digest


def _model(kind: type[Any], value: Value, place: str, redactor: Redactor) -> Any:
    plain = _walk(value.model_dump(mode="json"), place, redactor)
    return kind.model_validate_json(json.dumps(plain))


def _walk(value: Any, place: str, redactor: Redactor) -> Any:
    if isinstance(value, str):
        return redactor.text(value, place)
    if isinstance(value, dict):
        return {redactor.text(k, place): _walk(v, place, redactor) for k, v in value.items()}
    if isinstance(value, list | tuple):
        return [_walk(v, place, redactor) for v in value]
    return value


def _redactions(hits: Iterable[Hit]) -> Iterator[Redaction]:
    for hit in sorted(hits, key=lambda h: (h.place, h.rule, h.encoding)):
        yield Redaction(rule=hit.rule, place=hit.place, count=hit.count, commitment=hit.commitment)


def _leaks(hits: Iterable[Hit]) -> Iterator[LeakFact]:
    """Canaries in disguise; in plain the marker itself says where it stands."""
    for hit in sorted(hits, key=lambda h: (h.place, h.rule, h.encoding)):
        hidden = hit.encoding not in ("plain", "json")
        if hit.canary is not None and hidden and not hit.place.startswith("before/"):
            yield LeakFact(canary=hit.canary, place=hit.place, encoding=hit.encoding)


def _nothing_left(clean: CleanTrial, redactor: Redactor) -> None:
    parts: Sequence[tuple[str, Value]] = [
        ("evidence", clean.evidence),
        *((f"events/{e.seq}", e) for e in clean.events),
        *((f"exchanges/{e.number}", e) for e in clean.exchanges),
        *((f"attempts/{a.number}", a) for a in clean.attempts),
    ]
    for place, value in parts:
        data = json.dumps(value.model_dump(mode="json"), ensure_ascii=False).encode(
            "utf-8", "surrogatepass"
        )
        rule = redactor.left(data)
        if rule is not None:
            raise SanitizeError(
                "a secret could not be removed with certainty",
                where=f"{clean.spec.id}, {place}",
                expected="no known secret in any of its forms",
                found=f"something of the rule {rule}",
                do="report it; nothing of this trial was written",
            )


def clean_digest(data: bytes) -> str:
    """Digest under which a clean blob is kept."""
    return "sha256:" + hashlib.sha256(data).hexdigest()
