"""a bundle's tag manifest + a time-stamp authority -> when it existed at the latest (RFC 3161).

The response stays a file of its own beside the bundle: it is made after signing, and a bundle holds
no byte that its signature does not cover. Needs the extra `timestamp` (rfc3161-client).
"""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime
from typing import Any

import requests
from cryptography import x509

from clawpro_artifact.errors import InfraError, InputError, TrustError, UsageError

_MOST = 1 << 20
_TIMEOUT_S = 60


def query(tag_manifest: bytes) -> bytes:
    """The DER request for a stamp over the tag manifest (SHA-256), certificates asked for."""
    rfc = _library()
    request = (
        rfc.TimestampRequestBuilder()
        .data(tag_manifest)
        .hash_algorithm(rfc.HashAlgorithm.SHA256)
        .cert_request(cert_request=True)
        .nonce(nonce=True)
        .build()
    )
    return bytes(request.as_bytes())


def ask(url: str, request: bytes) -> bytes:
    """The authority's DER response. InfraError where it does not answer (RFC 3161 section 3.4)."""
    headers = {"content-type": "application/timestamp-query"}
    try:
        response = requests.post(url, data=request, headers=headers, timeout=_TIMEOUT_S)
        response.raise_for_status()
    except requests.RequestException as error:
        raise InfraError(
            "the time-stamp authority did not answer", where=url, found=str(error)[:300]
        ) from None
    return response.content[:_MOST]


def check(response: bytes, tag_manifest: bytes, roots: Sequence[bytes], where: str) -> datetime:
    """The time that the authority states. `roots`: certificates in PEM that the caller trusts.

    Raises InputError for a response that is none, TrustError where it is not about this bundle or
    its chain does not end in a root.
    """
    rfc = _library()
    try:
        found = rfc.decode_timestamp_response(response)
    except ValueError as error:
        raise InputError("no time-stamp response", where=where, found=str(error)[:200]) from None
    builder = rfc.VerifierBuilder()
    for pem in roots:
        for certificate in _certificates(pem, where):
            builder = builder.add_root_certificate(certificate)
    try:
        builder.build().verify_message(found, tag_manifest)
    except (rfc.VerificationError, ValueError) as error:
        raise TrustError(
            "the time stamp does not hold",
            where=where,
            expected="a stamp over this bundle's tag manifest, under a root that you named",
            found=str(error)[:300],
        ) from None
    moment: datetime = found.tst_info.gen_time
    return moment


def _certificates(pem: bytes, where: str) -> list[x509.Certificate]:
    try:
        return x509.load_pem_x509_certificates(pem)
    except ValueError as error:
        raise InputError("no certificate in PEM", where=where, found=str(error)[:200]) from None


def _library() -> Any:
    try:
        import rfc3161_client
    except ImportError:
        raise UsageError(
            "time stamps need the extra `timestamp`",
            expected="rfc3161-client",
            do="python3 -m pip install 'clawpro-artifact[timestamp]'",
        ) from None
    return rfc3161_client
