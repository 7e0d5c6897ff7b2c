"""leaf hashes -> root, inclusion and consistency proofs; checkpoints and proofs as C2SP text.

Sources: RFC 6962 section 2.1 (definitions), RFC 9162 section 2.1.3 and 2.1.4 (verification);
C2SP signed-note, tlog-checkpoint, tlog-proof. Signatures are type 0x02 (ECDSA over SHA-256), whose
key id is the first four bytes of the sha256 of the SPKI: the project has one key type, P-256.
"""

from __future__ import annotations

import base64
import binascii
import hashlib
import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from clawpro_artifact.errors import InputError
from clawpro_artifact.formats.publickey import PublicKey, Signer

PROOF_HEADER = "c2sp.org/tlog-proof@v1"
_DECIMAL = re.compile(r"0|[1-9][0-9]{0,17}")
_NAME = re.compile(r"[!-*,-~]+")  # C2SP: no white space and no plus sign


def leaf_hash(data: bytes) -> bytes:
    """SHA-256(0x00 || data)."""
    return hashlib.sha256(b"\x00" + data).digest()


def node_hash(left: bytes, right: bytes) -> bytes:
    """SHA-256(0x01 || left || right)."""
    return hashlib.sha256(b"\x01" + left + right).digest()


def root(leaves: Iterable[bytes]) -> bytes:
    """Root over leaf hashes in one pass, in memory of the order of the tree's height."""
    stack: list[tuple[int, bytes]] = []  # complete subtrees, largest first: (leaves, hash)
    for leaf in leaves:
        size, node = 1, leaf
        while stack and stack[-1][0] == size:
            node = node_hash(stack.pop()[1], node)
            size *= 2
        stack.append((size, node))
    if not stack:
        return hashlib.sha256(b"").digest()
    node = stack.pop()[1]
    while stack:
        node = node_hash(stack.pop()[1], node)
    return node


def inclusion_proof(index: int, leaves: Sequence[bytes]) -> list[bytes]:
    """PATH(index, leaves), from the leaf up. IndexError outside the tree."""
    if not 0 <= index < len(leaves):
        raise IndexError(index)
    if len(leaves) == 1:
        return []
    k = _split(len(leaves))
    if index < k:
        return [*inclusion_proof(index, leaves[:k]), root(leaves[k:])]
    return [*inclusion_proof(index - k, leaves[k:]), root(leaves[:k])]


def consistency_proof(old: int, leaves: Sequence[bytes]) -> list[bytes]:
    """PROOF(old, leaves): that the first `old` leaves are a prefix; IndexError unless 0 < old."""
    if not 0 < old <= len(leaves):
        raise IndexError(old)
    return _subproof(old, leaves, True)


def _subproof(old: int, leaves: Sequence[bytes], known: bool) -> list[bytes]:
    if old == len(leaves):
        return [] if known else [root(leaves)]
    k = _split(len(leaves))
    if old <= k:
        return [*_subproof(old, leaves[:k], known), root(leaves[k:])]
    return [*_subproof(old - k, leaves[k:], False), root(leaves[:k])]


def _split(size: int) -> int:
    """The largest power of two smaller than `size`."""
    return 1 << ((size - 1).bit_length() - 1)


def includes(leaf: bytes, index: int, size: int, proof: Sequence[bytes], expected: bytes) -> bool:
    """True if the proof shows `leaf` at `index` of the tree (RFC 9162, 2.1.3.2)."""
    if not 0 <= index < size:
        return False
    position, last, node = index, size - 1, leaf
    for sibling in proof:
        if last == 0:
            return False
        if position & 1 or position == last:
            node = node_hash(sibling, node)
            while position and not position & 1:
                position >>= 1
                last >>= 1
        else:
            node = node_hash(node, sibling)
        position >>= 1
        last >>= 1
    return last == 0 and node == expected


def extends(old: int, new: int, old_root: bytes, new_root: bytes, proof: Sequence[bytes]) -> bool:
    """True if the proof shows the tree of `new` leaves to start with `old` (RFC 9162, 2.1.4.2)."""
    if not 0 < old <= new:
        return False
    if old == new:
        return not proof and old_root == new_root
    # The root of a complete old tree is part of the proof, and is left out of it.
    path = [old_root, *proof] if old & (old - 1) == 0 else list(proof)
    if not path or not proof:
        return False
    position, last = old - 1, new - 1
    while position & 1:
        position >>= 1
        last >>= 1
    first = second = path[0]
    for sibling in path[1:]:
        if last == 0:
            return False
        if position & 1 or position == last:
            first, second = node_hash(sibling, first), node_hash(sibling, second)
            while position and not position & 1:
                position >>= 1
                last >>= 1
        else:
            second = node_hash(second, sibling)
        position >>= 1
        last >>= 1
    return last == 0 and first == old_root and second == new_root


@dataclass(frozen=True)
class Checkpoint:
    """The head of a log: its name, how many leaves it has, and their root."""

    origin: str
    size: int
    root: bytes

    @property
    def text(self) -> str:
        """C2SP tlog-checkpoint body: origin, size, base64 root, a line each."""
        return f"{self.origin}\n{self.size}\n{_b64(self.root)}\n"


@dataclass(frozen=True)
class LogProof:
    """C2SP tlog-proof: where a leaf lies, its inclusion proof, and the signed checkpoint."""

    index: int
    hashes: tuple[bytes, ...]
    note: str

    @property
    def text(self) -> str:
        """The file; ends with the signed checkpoint."""
        hashes = "".join(f"{_b64(h)}\n" for h in self.hashes)
        return f"{PROOF_HEADER}\nindex {self.index}\n{hashes}\n{self.note}"


def sign_checkpoint(checkpoint: Checkpoint, signer: Signer) -> str:
    """C2SP signed note over the checkpoint; the key is named after the origin.

    Raises InputError for an origin that is no key name (white space, plus sign, empty).
    """
    if not _NAME.fullmatch(checkpoint.origin):
        raise _broken("checkpoint", "an origin without white space or '+'", checkpoint.origin)
    signature = signer.sign(checkpoint.text.encode())
    line = f"— {checkpoint.origin} {_b64(_key_id(signer.public) + signature)}\n"
    return f"{checkpoint.text}\n{line}"


def open_checkpoint(note: str, origin: str, keys: Iterable[PublicKey], where: str) -> Checkpoint:
    """The checkpoint in a signed note of exactly one line of signature by one of `keys`.

    Raises InputError for another shape or origin, and for a signature by none of them.
    """
    text, blank, signed = note.partition("\n\n")
    text += "\n"
    match = re.fullmatch(r"— (\S+) (\S+)\n", signed)
    if not blank or match is None or match[1] != origin:
        raise _broken(where, f"a note with one signature of {origin}", signed[:80])
    blob = _unb64(match[2], where)
    if not any(_key_id(k) == blob[:4] and k.verify(blob[4:], text.encode()) for k in keys):
        raise _broken(where, "a signature by a log key that you trust", "another one")
    rows = text.split("\n")
    if len(rows) != 4 or rows[0] != origin or not _DECIMAL.fullmatch(rows[1]):
        raise _broken(where, f"the lines {origin}, size, root", repr(text[:120]))
    return Checkpoint(origin, int(rows[1]), _hash(rows[2], where))


def parse_proof(text: str, where: str) -> LogProof:
    """A tlog-proof; its checkpoint is not verified yet. InputError for another shape."""
    head, blank, note = text.partition("\n\n")
    rows = head.split("\n")
    if not blank or len(rows) < 2 or rows[0] != PROOF_HEADER:
        raise _broken(where, PROOF_HEADER, repr(text[:60]))
    if not rows[1].startswith("index ") or not _DECIMAL.fullmatch(rows[1][6:]):
        raise _broken(where, "index and a number", repr(rows[1][:60]))
    return LogProof(int(rows[1][6:]), tuple(_hash(row, where) for row in rows[2:]), note)


def verify_proof(
    proof: LogProof, leaf: bytes, origin: str, keys: Iterable[PublicKey], where: str
) -> Checkpoint | None:
    """The checkpoint under which `leaf` (a leaf hash) is included, or None if it is not.

    Raises InputError as `open_checkpoint`.
    """
    head = open_checkpoint(proof.note, origin, keys, where)
    if includes(leaf, proof.index, head.size, proof.hashes, head.root):
        return head
    return None


def _key_id(key: PublicKey) -> bytes:
    return hashlib.sha256(key.spki).digest()[:4]


def _b64(data: bytes) -> str:
    return base64.b64encode(data).decode()


def _unb64(text: str, where: str) -> bytes:
    try:
        data = base64.b64decode(text.encode(), validate=True)
    except binascii.Error:
        data = b""
    if not data or _b64(data) != text:
        raise _broken(where, "standard base64 in canonical form", repr(text[:60]))
    return data


def _hash(text: str, where: str) -> bytes:
    data = _unb64(text, where)
    if len(data) != 32:
        raise _broken(where, "a hash of 32 bytes", f"{len(data)} bytes")
    return data


def _broken(where: str, expected: str, found: str) -> InputError:
    return InputError(
        "malformed or untrusted log text", where=where, expected=expected, found=found
    )
