"""a securesystemslib key URI (KMS, HSM, TPM, file) + its public key -> a signer of bundles.

`awskms:...`, `gcpkms:...`, `azurekms:...`, `hsm:...`, `hv:...`, `file2:...`; needs the extra `kms`.
Only for signing: the library's own envelope check counts one key under two ids twice.
"""

from __future__ import annotations

import importlib
from dataclasses import dataclass
from typing import Any

from cryptography.hazmat.primitives.serialization import load_der_public_key

from clawpro_artifact.errors import InfraError, TrustError, UsageError
from clawpro_artifact.formats import publickey
from clawpro_artifact.formats.publickey import PublicKey


@dataclass(frozen=True)
class KmsSigner:
    """Signs where the private key lies. A KMS may sign differently each time it is asked."""

    public: PublicKey
    _signer: Any

    def sign(self, message: bytes) -> bytes:
        """DER with low s, checked with the public key before it is used.

        Raises InfraError if the service fails, TrustError if another key signed.
        """
        try:
            signature = bytes.fromhex(self._signer.sign(message).signature)
        except Exception as error:  # each backend has its own errors
            raise InfraError(
                "the key service did not sign", found=f"{type(error).__name__}: {error}"[:200]
            ) from error
        lowered = publickey.low_s(signature)
        if not self.public.verify(lowered, message):
            raise TrustError(
                "the key service signed with another key or hash",
                expected=f"ECDSA P-256 with SHA-256 by {self.public.keyid}",
            )
        return lowered


def open_signer(uri: str, public: PublicKey) -> KmsSigner:
    """The signer behind `uri`. UsageError for an unknown scheme or a missing extra."""
    try:
        library: Any = importlib.import_module("securesystemslib.signer")
    except ImportError:
        raise UsageError(
            "a key URI needs securesystemslib", do="pip install 'clawpro-artifact[kms]'"
        ) from None
    key = library.SSlibKey.from_crypto(load_der_public_key(public.spki))
    try:
        signer = library.Signer.from_priv_key_uri(uri, key)
    except (ValueError, OSError) as error:
        raise UsageError(
            "the key URI cannot be opened", where=uri, found=str(error)[:200]
        ) from None
    return KmsSigner(public, signer)
