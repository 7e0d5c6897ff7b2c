"""declared automations -> automations that the trial's agent can see and manage.

The scheduler shows a turn only what its own session made (2026.9.6: `scope: caller`), so that jobs
added over the operator's RPC would be there and invisible. They are therefore made by a turn of the
same session that a script plays, and the session's transcript is reset before the trial begins; the
boundary of the trial starts after that.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from clawpro_artifact.adapters.boundary import Recorder
from clawpro_artifact.adapters.models.policy import ScriptedModel
from clawpro_artifact.adapters.runtimes.openclaw import stores
from clawpro_artifact.adapters.runtimes.openclaw.gateway import Gateway
from clawpro_artifact.adapters.runtimes.tools import ToolNames
from clawpro_artifact.errors import InfraError
from clawpro_artifact.model.manifest import Limits
from clawpro_artifact.model.scenario import Policy, PolicyCall, PolicyStep

_LIMITS = Limits(wall_seconds=120, requests=8, output_tokens=10_000)


def seed_jobs(
    gateway: Gateway, version: str, session: str, jobs: Sequence[dict[str, Any]]
) -> dict[str, str]:
    """Make `jobs` in `session`; `job/<declared id>` -> the runtime's id. InfraError if one is not
    there afterwards.
    """
    if not jobs:
        return {}
    calls = tuple(
        PolicyCall(
            tool="schedule",
            arguments={"action": "add", "job": {k: v for k, v in job.items() if k != "id"}},
        )
        for job in jobs
    )
    steps = (PolicyStep(calls=calls), PolicyStep(text="Ready."))
    policy = Policy(format="clawpro.policy.v1", steps=steps)
    model = ScriptedModel("scripted-setup", policy, str, ToolNames(version).to_runtime)
    gateway.boundary.begin(Recorder(model, _LIMITS))
    try:
        status, value = gateway.turn(session, "Set up.", _LIMITS.wall_seconds)
    finally:
        gateway.boundary.end()
    if status != 200:
        raise InfraError("automations could not be seeded", found=str(value)[:300])
    gateway.rpc("sessions.reset", {"key": session})
    there = stores.jobs(gateway.rpc("cron.list", {"includeDisabled": True}))
    ids = {str(job.get("name")): str(job.get("id")) for job in there}
    missing = [str(job.get("name")) for job in jobs if job.get("name") not in ids]
    if missing:
        raise InfraError("automations were not seeded", found=", ".join(missing))
    return {f"job/{job['id']}": ids[job["name"]] for job in jobs if "id" in job}
