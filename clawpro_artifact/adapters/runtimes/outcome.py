"""boundary record + how a turn ended -> Outcome: the same rules for every runtime."""

from __future__ import annotations

from clawpro_artifact.adapters.boundary import Boundary
from clawpro_artifact.model.trial import Outcome


def judge(
    boundary: Boundary, status: int, timed_out: bool, faults: list[str]
) -> tuple[Outcome, str]:
    """Outcome by the record alone: infrastructure first, then limits, then the agent."""
    if faults:
        return "infra_failed", faults[0].splitlines()[0][:200]
    if boundary.limits:
        return "timed_out", f"limit: {boundary.limits[0]['limit']}"
    if timed_out:
        return "timed_out", "limit: wall_seconds"
    if not boundary.exchanges:
        return "infra_failed", "the runtime asked no model"
    if status != 200:
        return "agent_failed", f"the runtime answered HTTP {status}"
    return "completed", "the turn ended"


def last_answer(boundary: Boundary) -> str | None:
    """The last text of the main conversation, as the model gave it."""
    for exchange in reversed(boundary.exchanges):
        response = exchange.response
        if exchange.conversation == "main" and response is not None and not response["calls"]:
            text = response["text"]
            return text if isinstance(text, str) else None
    return None
