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
from clawpro_artifact.formats.portable import INLINE, cut, portable
from clawpro_artifact.model.base import Value
from clawpro_artifact.model.trace import Blob, Event, Exchange
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
from clawpro_artifact.sanitizing import context, shapes
from clawpro_artifact.sanitizing.openings import Opening
from clawpro_artifact.sanitizing.redactor import Hit, Redactor, Secret
from clawpro_artifact.sanitizing.walking import strings, walk

__all__ = ["VERSION", "Opening", "Secret", "sanitize", "sanitize_events", "sanitize_text"]

# Code of the sanitizer and its rules; the lock pins their bytes.
VERSION = f"clawpro.sanitizer.v2 {shapes.VERSION} {context.VERSION}"
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
    personal: tuple[str, ...] = (),
    keep: Callable[[Opening], None] | None = None,
    only_canaries: bool = False,
) -> CleanTrial:
    """The clean trial.

    `canaries`: name -> value; `secrets`: every credential and secret environment value that the run
    used. `read` gives a raw blob by digest, `write` keeps a clean one and returns its digest.
    `personal`: kinds of `context.PERSONAL` that go too. `keep` takes the opening of each redaction.
    `only_canaries`: leave all else raw, for the audit of what redaction changed; never to ship.
    Raises SanitizeError if a secret is left; then nothing of the trial may be used.
    """
    known = [Secret(value, f"canary-{name}", name) for name, value in canaries.items()]
    if not only_canaries:
        known += [Secret(v, "credential") for v in sorted({*secrets, *trial.secrets}) if v]
    redactor = Redactor(tuple(known), salt_key, trial.spec.id, personal, only_canaries)
    blobs: dict[str, tuple[str, int]] = {}

    def snapshot(old: Snapshot, place: str) -> Snapshot:
        return Snapshot(entries=tuple(_entry(e, place, redactor, read, write, blobs)
                                      for e in old.entries))  # fmt: skip

    before = snapshot(trial.evidence.before, "before")
    after = snapshot(trial.evidence.after, "files")
    answer = trial.evidence.answer
    evidence = Evidence(
        answer=None if answer is None else redactor.text(portable(answer), "answer"),
        before=before,
        after=after,
        stores={
            redactor.text(name, "stores"): walk(
                portable(value), _STORE_PLACES.get(name, f"stores/{name}"), redactor
            )
            for name, value in trial.evidence.stores.items()
        },
    )
    clean = CleanTrial(
        spec=trial.spec,
        attempts=tuple(_model(Attempt, a, "attempts", redactor) for a in trial.attempts),
        outcome=trial.outcome,
        usage=trial.usage,
        events=_events(_whole(trial.events, read), redactor, blobs, write),
        exchanges=tuple(
            _model(Exchange, e, f"exchanges/{e.number}", redactor) for e in trial.exchanges
        ),
        evidence=evidence,
        redactions=tuple(_redactions(redactor.hits.values())),
        leaks=tuple(_leaks(redactor.hits.values())),
        sanitizer=VERSION,
    )
    _nothing_left(clean, redactor)
    if keep is not None:
        for hit in _ordered(redactor.hits.values()):
            keep(hit.opening)
    return clean


def sanitize_events(
    events: Sequence[Event],
    secrets: Iterable[str],
    salt_key: bytes,
    name: str,
    personal: tuple[str, ...] = (),
) -> tuple[tuple[Event, ...], tuple[Redaction, ...]]:
    """Clean events of a trace that is no trial of ours, and their redactions; SanitizeError."""
    redactor = _for_secrets(secrets, salt_key, name, personal)
    done = _events(events, redactor, {})
    for event in done:
        for text in strings(event.model_dump(mode="json")):
            if (rule := redactor.left_in(text)) is not None:
                raise _refusal(name, f"events/{event.seq}", rule)
    return done, tuple(_redactions(redactor.hits.values()))


def sanitize_text(text: str, secrets: Iterable[str], salt_key: bytes) -> str:
    """One text of our own, a file name for example."""
    return _for_secrets(secrets, salt_key, "text", ()).text(portable(text), "text")


def _for_secrets(
    secrets: Iterable[str], salt_key: bytes, name: str, personal: tuple[str, ...]
) -> Redactor:
    known = tuple(Secret(v, "credential") for v in sorted(set(secrets)) if v)
    return Redactor(known, salt_key, name, personal)


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
        data = redactor.data(raw, f"{place}/{name}", entry.path)
        if data != raw and (rule := redactor.left(data)) is not None:
            raise _refusal(redactor.trial, f"{place}/{name}", rule)
        if entry.digest not in blobs:
            blobs[entry.digest] = (write(data), len(data))
        digest, size = blobs[entry.digest]
        update["digest"] = digest
        # A file longer than what is kept says its real size.
        update["size"] = size if entry.size == len(raw) else entry.size
    return entry.model_copy(update=update)


def _whole(events: Sequence[Event], read: Callable[[str], bytes]) -> tuple[Event, ...]:
    """Events with their large texts back in them: a secret may lie on the cut."""
    return tuple(
        e if e.blob is None
        else e.model_copy(update={"data": e.data | {"text": read(e.blob.digest).decode("utf-8")}})
        for e in events
    )  # fmt: skip


def _events(
    events: Sequence[Event],
    redactor: Redactor,
    blobs: Mapping[str, tuple[str, int]],
    write: Callable[[bytes], str] | None = None,
) -> tuple[Event, ...]:
    """Texts of one kind in one conversation follow each other: what is split over them goes too."""
    series: dict[tuple[str, str], list[int]] = {}
    for at, event in enumerate(events):
        if isinstance(event.data.get("text"), str):
            series.setdefault((event.kind, event.conversation), []).append(at)
    cleaned: dict[int, str] = {}
    for (kind, _), where in series.items():
        said = [portable(events[i].data["text"]) for i in where]
        texts = redactor.texts(said, f"events/{kind}")
        cleaned |= dict(zip(where, texts, strict=True))
    done = (_event(e, redactor, blobs, cleaned.get(i)) for i, e in enumerate(events))
    return tuple(e if e.blob is None or write is None else _by_digest(e, write, redactor)
                 for e in done)  # fmt: skip


def _by_digest(event: Event, write: Callable[[bytes], str], redactor: Redactor) -> Event:
    """A large clean text goes to the content store again; its head stays."""
    text = str(event.data["text"])
    if (rule := redactor.left_in(text)) is not None:
        raise _refusal(redactor.trial, f"events/{event.seq}", rule)
    data = text.encode("utf-8")
    blob = Blob(digest=write(data), size=len(data), kept=len(data))
    head = event.data | {"text": cut(text, INLINE)}
    return event.model_copy(update={"data": head, "blob": blob})


def _event(
    event: Event, redactor: Redactor, blobs: Mapping[str, tuple[str, int]], text: str | None
) -> Event:
    place = f"events/{event.kind}"
    if event.kind == "tool_call":
        place = _PLACES.get(str(event.data.get("tool")), place)
    raw = portable(event.data)
    if text is not None:
        raw = {k: v for k, v in raw.items() if k != "text"}
    data = walk(raw, place, redactor)
    if text is not None:
        data["text"] = text
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
    plain = walk(portable(value.model_dump()), place, redactor)
    return kind.model_validate_json(json.dumps(plain))


def _ordered(hits: Iterable[Hit]) -> list[Hit]:
    def order(hit: Hit) -> tuple[str, str, str, str]:
        made = hit.opening
        return made.place, made.rule, made.encoding, made.commitment

    return sorted(hits, key=order)


def _redactions(hits: Iterable[Hit]) -> Iterator[Redaction]:
    for hit in _ordered(hits):
        made = hit.opening
        yield Redaction(
            rule=made.rule, place=made.place, count=hit.count, commitment=made.commitment
        )


def _leaks(hits: Iterable[Hit]) -> Iterator[LeakFact]:
    """Canaries in disguise; in plain the marker itself says where it stands."""
    seen = set()
    for hit in _ordered(hits):
        place, encoding = hit.opening.place, hit.encoding
        hidden = encoding not in ("plain", "json")
        if hit.canary is None or not hidden or place.startswith("before/"):
            continue
        if (hit.canary, place, encoding) not in seen:
            seen.add((hit.canary, place, encoding))
            yield LeakFact(canary=hit.canary, place=place, encoding=encoding)


def _nothing_left(clean: CleanTrial, redactor: Redactor) -> None:
    parts: Sequence[tuple[str, Value]] = [
        ("evidence", clean.evidence),
        *((f"events/{e.seq}", e) for e in clean.events),
        *((f"exchanges/{e.number}", e) for e in clean.exchanges),
        *((f"attempts/{a.number}", a) for a in clean.attempts),
    ]
    for place, value in parts:
        for text in strings(value.model_dump(mode="json")):
            rule = redactor.left_in(text)
            if rule is not None:
                raise _refusal(clean.spec.id, place, rule)


def _refusal(trial: str, place: str, rule: str) -> SanitizeError:
    return SanitizeError(
        "a secret could not be removed with certainty",
        where=f"{trial}, {place}",
        expected="no known secret in any of its forms",
        found=f"something of the rule {rule}",
        do="report it; nothing of this trial was written",
    )


def clean_digest(data: bytes) -> str:
    """Digest under which a clean blob is kept."""
    return "sha256:" + hashlib.sha256(data).hexdigest()
