"""what a redaction replaced -> its commitment; an opening -> whether it is true of a bundle.

A commitment is SHA-256(0x00 || salt || value), a leaf of RFC 6962, with a salt of 32 bytes derived
by HMAC-SHA256 from a key that the producer keeps: without it no guess can be tested, however short
the value. The vault is the list of openings; `formats.age` encrypts it to the keys of one's choice.
"""

from __future__ import annotations

import base64
import hashlib
import hmac
from collections.abc import Iterable
from typing import Literal

from pydantic import Field

from clawpro_artifact.errors import InputError
from clawpro_artifact.formats import age, canonical, documents, merkle
from clawpro_artifact.model.base import Digest, TrialId, Value
from clawpro_artifact.model.trial import CleanTrial


class Opening(Value):
    """What one redaction replaced. `salt` and `value` are standard base64."""

    format: Literal["clawpro.opening.v1"]
    trial: str
    place: str
    rule: str
    encoding: str
    salt: str
    value: str
    commitment: Digest

    @property
    def secret(self) -> bytes:
        """The bytes that were replaced, in the encoding in which they stood."""
        return base64.b64decode(self.value, validate=True)


class Vault(Value):
    """Every opening of the trials of one plan."""

    format: Literal["clawpro.vault.v1"]
    plan: str
    openings: tuple[Opening, ...] = Field(default=())


def opening(key: bytes, trial: str, place: str, rule: str, encoding: str, value: bytes) -> Opening:
    """The opening of one value at one place; the same for the same key, whenever it is made."""
    about = "\0".join((trial, place, rule, encoding)).encode() + b"\0" + value
    salt = hmac.digest(key, about, "sha256")
    return Opening(
        format="clawpro.opening.v1",
        trial=trial,
        place=place,
        rule=rule,
        encoding=encoding,
        salt=base64.b64encode(salt).decode(),
        value=base64.b64encode(value).decode(),
        commitment=commitment(salt, value),
    )


def commitment(salt: bytes, value: bytes) -> str:
    """SHA-256(0x00 || salt || value)."""
    return "sha256:" + hashlib.sha256(b"\0" + salt + value).hexdigest()


def root(trials: Iterable[CleanTrial]) -> str:
    """RFC 6962 root over the commitments of all redactions, in the order in which they ship."""
    leaves = (
        bytes.fromhex(r.commitment.removeprefix("sha256:")) for t in trials for r in t.redactions
    )
    return "sha256:" + merkle.root(leaves).hex()


def seal(vault: Vault, recipients: Iterable[str]) -> bytes:
    """The vault as an age file (age-encryption.org/v1) that the holders of these keys can read."""
    return age.encrypt(canonical.encode(vault), recipients)


def unseal(sealed: bytes, identity: str, where: str) -> Vault:
    """The vault in an age file. Raises TrustError if it is not for this key or was changed."""
    return documents.load_json(Vault, age.decrypt(sealed, identity, where), where)


def select(vault: Vault, trial: TrialId | None = None, commitment: Digest | None = None) -> Vault:
    """A vault with only the openings of one trial or of one redaction, to be given to an auditor.

    Raises InputError if nothing is left.
    """
    chosen = tuple(
        o for o in vault.openings if trial in (None, o.trial) and commitment in (None, o.commitment)
    )
    if not chosen:
        raise InputError(
            "the vault holds no such opening",
            expected=f"an opening of {trial or 'any trial'}, {commitment or 'any redaction'}",
            found=f"{len(vault.openings)} others",
        )
    return vault.model_copy(update={"openings": chosen})


def check_opening(given: Opening, trial: CleanTrial) -> str | None:
    """Why an opening is not true of a published trial, or None if it is.

    True: the trial has a redaction of this rule at this place with this commitment, and salt and
    value give that commitment.
    """
    try:
        salt = base64.b64decode(given.salt, validate=True)
        made = commitment(salt, given.secret)
    except ValueError:
        return "salt or value is no base64"
    if len(salt) != 32:
        return "the salt has not 32 bytes"
    if made != given.commitment:
        return "salt and value do not give the commitment"
    if given.trial != trial.spec.id:
        return f"it is about the trial {given.trial}"
    for redaction in trial.redactions:
        if redaction.commitment == made:
            if (redaction.rule, redaction.place) != (given.rule, given.place):
                return "the trial names another rule or place for this commitment"
            return None
    return "the trial has no redaction with this commitment"
