"""the user's config folder -> KeyFile, a signer; private keys are touched here and nowhere else."""

from __future__ import annotations

import os
import stat
from dataclasses import dataclass
from pathlib import Path

from cryptography.hazmat.primitives import hashes, serialization
from cryptography.hazmat.primitives.asymmetric import ec

from clawpro_artifact.adapters import store
from clawpro_artifact.errors import InputError, TrustError, UsageError
from clawpro_artifact.formats import publickey
from clawpro_artifact.formats.publickey import PublicKey

DEFAULT_NAME = "release"
PASSPHRASE_VARIABLE = "CLAWPRO_KEY_PASSPHRASE"


@dataclass(frozen=True, repr=False)
class KeyFile:
    """A private key in memory. It signs; it is never printed."""

    private: ec.EllipticCurvePrivateKey

    def __repr__(self) -> str:
        return f"KeyFile({self.public.keyid})"

    @property
    def public(self) -> PublicKey:
        """The public half."""
        return publickey.of(self.private.public_key())

    def sign(self, message: bytes) -> bytes:
        """ECDSA P-256, SHA-256, nonce by RFC 6979: the same message gives the same DER bytes."""
        algorithm = ec.ECDSA(hashes.SHA256(), deterministic_signing=True)
        return publickey.low_s(self.private.sign(message, algorithm))


def folder() -> Path:
    """`$XDG_CONFIG_HOME/clawpro/keys`; a relative value is ignored, as the XDG rules say."""
    base = os.environ.get("XDG_CONFIG_HOME", "")
    root = Path(base) if base.startswith("/") else Path.home() / ".config"
    return root / "clawpro" / "keys"


def path_of(name: str = DEFAULT_NAME) -> Path:
    """Where the private key NAME lies; UsageError for a name that is more than a name."""
    if not name or not name.isascii() or not name.replace("-", "").replace("_", "").isalnum():
        raise UsageError(
            "not a name for a key", expected="letters, digits, '-' and '_'", found=repr(name)
        )
    return folder() / f"{name}.pem"


def passphrase() -> bytes | None:
    """The passphrase in CLAWPRO_KEY_PASSPHRASE, or None."""
    value = os.environ.get(PASSPHRASE_VARIABLE)
    return value.encode() if value else None


def create(path: Path, passphrase: bytes | None = None) -> KeyFile:
    """A new key at `path` (mode 0600, folder 0700), never over an existing file.

    Raises TrustError if the file exists, InfraError if the disk refuses.
    """
    key = ec.generate_private_key(ec.SECP256R1())
    encryption = (
        serialization.BestAvailableEncryption(passphrase)
        if passphrase
        else serialization.NoEncryption()
    )
    pem = key.private_bytes(
        serialization.Encoding.PEM, serialization.PrivateFormat.PKCS8, encryption
    )
    store.make_folder(path.parent, mode=0o700)
    if not store.write_new(path, pem, mode=0o600):
        raise TrustError(
            "the key exists already and is never overwritten",
            where=str(path),
            do="choose another name, or `clawpro keys rotate`",
        )
    return KeyFile(key)


def load(path: Path, passphrase: bytes | None = None) -> KeyFile:
    """The key at `path`. TrustError if it is missing, open to others, not ours, or locked.

    Raises InputError if the file is not a P-256 private key.
    """
    pem = _read_private(path)
    try:
        key = serialization.load_pem_private_key(pem, passphrase)
    except TypeError:
        raise TrustError(
            "the private key and the passphrase do not go together",
            where=str(path),
            expected="a passphrase for an encrypted key, and none for another",
            found="an encrypted key" if passphrase is None else "a key without a passphrase",
            do=f"set or unset {PASSPHRASE_VARIABLE}",
        ) from None
    except ValueError:
        if b"BEGIN ENCRYPTED PRIVATE KEY" in pem:
            raise TrustError(
                "the passphrase does not open the private key",
                where=str(path),
                do=f"set {PASSPHRASE_VARIABLE} to the right one",
            ) from None
        raise _unfit(path, "something else") from None
    if not isinstance(key, ec.EllipticCurvePrivateKey) or not isinstance(key.curve, ec.SECP256R1):
        raise _unfit(path, type(key).__name__)
    return KeyFile(key)


def load_or_create(path: Path, passphrase: bytes | None = None) -> tuple[KeyFile, bool]:
    """The key at `path`, made if it is not there; the flag says that it is new."""
    if path.is_symlink() or path.exists():
        return load(path, passphrase), False
    return create(path, passphrase), True


def _read_private(path: Path) -> bytes:
    try:
        fd = os.open(path, os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_CLOEXEC)
    except FileNotFoundError:
        raise TrustError(
            "the signing key is missing",
            where=str(path),
            expected="a private key file",
            found="nothing",
            do=f"run `clawpro keys new --name {path.stem}`",
        ) from None
    except OSError as error:
        raise TrustError(
            "the signing key cannot be opened",
            where=str(path),
            expected="a regular file that you own (no link)",
            found=error.strerror or "an error",
        ) from None
    with os.fdopen(fd, "rb") as file:
        info = os.fstat(fd)
        if not stat.S_ISREG(info.st_mode) or info.st_uid != os.geteuid():
            raise TrustError(
                "the signing key is not a regular file of yours",
                where=str(path),
                expected=f"a regular file of user {os.geteuid()}",
                found=f"{stat.filemode(info.st_mode)} of user {info.st_uid}",
            )
        if info.st_mode & 0o077:
            raise TrustError(
                "the signing key is open to other users",
                where=str(path),
                expected="mode 0600",
                found=f"mode {stat.S_IMODE(info.st_mode):04o}",
                do=f"chmod 600 {path}",
            )
        return file.read(65536)


def _unfit(path: Path, found: str) -> InputError:
    return InputError(
        "not a signing key of the only type that is used",
        where=str(path),
        expected="one ECDSA P-256 private key in PEM (PKCS #8)",
        found=found,
        do=f"run `clawpro keys new --name NAME` for a fresh one beside {path.name}",
    )
