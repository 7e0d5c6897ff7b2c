"""what happened, in order -> Event: one version-neutral schema for every runtime."""

from __future__ import annotations

from typing import Any, Literal

from pydantic import Field

from clawpro_artifact.model.base import Digest, Value

EventKind = Literal[
    "trial_start",
    "prompt",
    "model_request",
    "model_response",
    "tool_call",
    "tool_result",
    "retry",
    "subagent_spawn",
    "subagent_end",
    "memory_effect",
    "message_effect",
    "schedule_effect",
    "browser_effect",
    "safety_event",
    "world_event",
    "file_change",
    "network_attempt",
    "limit",
    "surface_start",
    "compaction",
    "finding",
    "trial_end",
    "opaque",
]
Witness = Literal["boundary", "store", "environment", "harness"]


class Blob(Value):
    """A payload kept by digest. `kept` < `size` declares truncation of what is stored."""

    digest: Digest
    size: int = Field(ge=0)
    kept: int = Field(ge=0)


class Event(Value):
    """One line of a trace.

    `seq` orders (0, 1, 2 ...). `t_ms` is monotonic time since the trial began and measures; it is
    None where the witness has no clock. Wall time only labels and lives in the attempt.
    `conversation` tells the main agent ("main") from its subagents ("sub-1" ...).
    `data` by kind (required keys):
      prompt {text}; model_request {request, digest, messages, tools};
      model_response {request, text, calls, finish, usage};
      tool_call {call, tool, runtime_tool, arguments};
      tool_result {call, tool, status: ok|error|missing, exit_code?, duration_ms?, text};
      file_change {path, change: created|modified|deleted, digest?};
      world_event {event, effect}; limit {limit, value};
      finding {finding, detail, consequence: noted|infra}; safety_event {rule, detail};
      network_attempt {target, detail}; surface_start {surface, attempt, ok}.
    """

    seq: int = Field(ge=0)
    kind: EventKind
    witness: Witness
    conversation: str = "main"
    t_ms: int | None = Field(default=None, ge=0)
    data: dict[str, Any] = Field(default_factory=dict)
    blob: Blob | None = None


class Exchange(Value):
    """One model request and its response as the boundary saw them: a line of the cassette."""

    number: int = Field(ge=0)
    conversation: str
    request: dict[str, Any]
    response: dict[str, Any] | None
    status: int
    error: str | None = None
    started_ms: int = Field(ge=0)
    ended_ms: int = Field(ge=0)
    continues: bool = Field(description="false: not the continuation of a known conversation")
