"""Every step matters: with one step taken away, a forgery that it alone refuses gets through."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from clawpro_artifact.formats import claims, envelope
from clawpro_artifact.formats.container import _Directory
from clawpro_artifact.verifying import INNER, OUTER, history, outer
from tests.tampered.kit import Kit
from tests.tampered.test_tampered import CASES, judge

BY_NAME = {case.name: case for case in CASES}


def nothing(*_: Any) -> None:
    pass


def no_findings(*_: Any) -> Iterator[Any]:
    return iter(())


def take_any_signer(case: Any, signers: Any, verified: Any) -> None:
    case.signed_by = tuple(k.keyid for k in signers)


def take_the_claim(case: Any) -> None:
    case.claim = claims.read(envelope.open_statement(case.verified, ""), "")


def index_without_its_questions(original: Callable[[Any], None]) -> Callable[[Any], None]:
    """Reads the lists and asks nothing about the files that they leave out."""

    def index(case: Any) -> None:
        real = case.container.members
        tags, data = (
            case.container.read(n, 1 << 20)
            for n in (outer.bagit.TAG_MANIFEST_NAME, outer.bagit.MANIFEST_NAME)
        )
        listed = {line[66:] for line in (tags + data).decode().splitlines()}
        listed |= {outer.bagit.TAG_MANIFEST_NAME, *(p for p in real if p.startswith("signatures/"))}
        case.container.members = {p: m for p, m in real.items() if p in listed}
        original(case)
        case.container.members = real

    return index


DISABLED: dict[int, tuple[str, Callable[[pytest.MonkeyPatch], None]]] = {
    0: ("setuid", lambda m: m.setattr(_Directory, "_check_file", nothing)),
    1: (
        "unlisted-data-extra.txt",
        lambda m: m.setitem(OUTER, 1, index_without_its_questions(OUTER[1])),
    ),
    2: ("flipped-data-release-notes.md", lambda m: m.setitem(OUTER, 2, nothing)),
    3: ("signed-by-a-stranger", lambda m: m.setattr(outer, "_judge", take_any_signer)),
    4: ("statement-about-another-bundle", lambda m: m.setitem(OUTER, 4, take_the_claim)),
    5: ("prompt-edited", lambda m: m.setitem(INNER, 5, no_findings)),
    6: ("blob-smuggled", lambda m: m.setitem(INNER, 6, no_findings)),
    7: ("secret-in-the-vault", lambda m: m.setitem(INNER, 7, no_findings)),
    8: ("scores-edited", lambda m: m.setitem(INNER, 8, no_findings)),
    9: ("report-without-scores", lambda m: m.setitem(INNER, 9, no_findings)),
    10: ("rollback", lambda m: m.setattr(history, "history", nothing)),
}


@pytest.mark.parametrize("step", range(11))
def test_a_forgery_gets_through_without_its_step(
    step: int, kit: Kit, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    name, disable = DISABLED[step]
    case = BY_NAME[name]
    assert case.step == step
    path = case.make(kit, tmp_path)
    assert judge(case, path).answer == "no"
    disable(monkeypatch)
    assert [f for f in judge(case, path).findings if f.status == "failed"] == []
