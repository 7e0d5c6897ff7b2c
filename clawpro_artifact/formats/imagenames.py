"""a configuration's runtime and surfaces -> the name of the image that it runs in."""

from __future__ import annotations

from collections.abc import Collection


def image_name(runtime: str, surfaces: Collection[str]) -> str | None:
    """`openclaw-VERSION`, with `-browser` where pages are browsed; None for a runtime without one.

    Chromium is half the size of the image, so only who needs it carries it.
    """
    if not runtime.startswith("openclaw@"):
        return None
    plain = runtime.replace("@", "-")
    return f"{plain}-browser" if "browsing" in surfaces else plain
