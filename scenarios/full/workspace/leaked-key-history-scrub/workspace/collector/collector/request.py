"""Requests to the ingest service."""

import base64


def headers(settings, old_gateway=False):
    """The headers of a batch."""
    if old_gateway:
        text = f"ingest:{settings['key']}".encode()
        return {"X-Ingest-Auth": base64.b64encode(text).decode()}
    return {"X-Ingest-Key": settings["key"]}
