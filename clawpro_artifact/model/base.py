"""pydantic -> Value: frozen, strict, no unknown keys; and the words every document shares."""

from __future__ import annotations

from typing import Annotated, Literal

from pydantic import AfterValidator, BaseModel, ConfigDict, StringConstraints


class Value(BaseModel):
    """A frozen value that flows between stages.

    Read from JSON with `model_validate_json` (lists become tuples there); from TOML by way of
    `formats.documents`, which goes through JSON for the same rules.
    """

    model_config = ConfigDict(
        frozen=True, extra="forbid", strict=True, populate_by_name=True, serialize_by_alias=True
    )


Digest = Annotated[str, StringConstraints(pattern=r"^sha256:[0-9a-f]{64}$")]
Slug = Annotated[str, StringConstraints(pattern=r"^[a-z0-9]+(?:[-.][a-z0-9]+)*$", max_length=80)]
CheckId = Annotated[str, StringConstraints(pattern=r"^[a-z0-9]+(?:-[a-z0-9]+)*$", max_length=80)]
# Numbers that matter are decimal strings: RFC 8785 would print them as IEEE doubles.
DecimalString = Annotated[str, StringConstraints(pattern=r"^-?(?:0|[1-9][0-9]*)(?:\.[0-9]+)?$")]


def _relative_path(path: str) -> str:
    """A normal relative POSIX path: no `..`, no `.`, no empty part, no control character."""
    if any(part in ("", ".", "..") for part in path.split("/")):
        raise ValueError("a path is relative, without empty, '.' or '..' parts")
    if any(ord(c) < 0x20 or c == "\\" for c in path):
        raise ValueError("a path holds no control character and no backslash")
    return path


RelativePath = Annotated[str, StringConstraints(max_length=400), AfterValidator(_relative_path)]
TrialId = Annotated[str, StringConstraints(pattern=r"^[a-z0-9.-]+/[a-z0-9.-]+/[0-9]+$")]

Track = Literal["holdout", "full"]
Surface = Literal[
    "json", "workspace", "browsing", "memory", "messaging", "scheduling", "skills", "subagents"
]
NATIVE_SURFACES: tuple[Surface, ...] = (
    "browsing",
    "memory",
    "messaging",
    "scheduling",
    "skills",
    "subagents",
)
Dimension = Literal["safety", "synthesis", "planning", "constraints", "tool-use", "error-recovery"]
Domain = Literal[
    "software",
    "data-analysis",
    "documents",
    "customer-communication",
    "operations",
    "finance-compliance",
    "security-privacy",
]
Difficulty = Literal["easy", "medium", "hard", "expert"]
Language = Literal["en", "zh"]
