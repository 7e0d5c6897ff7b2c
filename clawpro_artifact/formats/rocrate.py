"""what a release is -> `ro-crate-metadata.json`: RO-Crate 1.2, Process Run Crate 0.5.

`data/` is the crate. The run is one CreateAction per configuration: its instrument is the runtime,
its objects the definitions and the plan, its result the scores.
"""

from __future__ import annotations

from typing import Any

from clawpro_artifact.formats import canonical
from clawpro_artifact.model.lock import Lock

_CONTEXT = "https://w3id.org/ro/crate/1.2/context"
_CRATE = "https://w3id.org/ro/crate/1.2"
_PROCESS = "https://w3id.org/ro/wfrun/process/0.5"
_LICENSE = "https://spdx.org/licenses/Apache-2.0"
_PARTS = (
    ("manifest.json", "What the release asked for", "application/json"),
    ("lock.json", "The manifest with every input as a digest", "application/json"),
    ("plan.json", "The ordered trials of the run", "application/json"),
    ("results/records.jsonl", "What the checks recorded of each trial", "application/x-ndjson"),
    ("results/scenarios.jsonl", "Facts of the scenarios", "application/x-ndjson"),
    ("results/checks.jsonl", "Results of every check", "application/x-ndjson"),
    ("results/attempts.jsonl", "Every attempt of every trial", "application/x-ndjson"),
    ("results/scores.json", "The scores", "application/json"),
    ("report/report.json", "The report", "application/json"),
    ("report/report.html", "The report as a page", "text/html"),
)
_FOLDERS = (
    ("definitions/", "Definitions of the scenarios"),
    ("traces/", "Sanitized traces and cassettes of the trials"),
    ("blobs/", "Contents that the traces refer to, by digest"),
    ("scoring/", "The scoring code, runnable with Python's standard library"),
    ("checking/", "The code of the checks"),
    ("sanitizing/", "The code of the sanitizer"),
    ("schemas/", "JSON Schemas of the documents"),
)


def write(lock: Lock, created: str, software: str, sizes: dict[str, int]) -> bytes:
    """The metadata document, canonical JSON. `sizes`: bytes of the parts that are there."""
    manifest = lock.manifest
    name = f"{manifest.name} {manifest.version}"
    parts = [p for p in _PARTS if p[0] in sizes]
    actions = [_action(c.id, created) for c in manifest.configurations]
    runtimes = sorted({c.harness_runtime for c in manifest.configurations})
    graph: list[dict[str, Any]] = [
        {
            "@id": "ro-crate-metadata.json",
            "@type": "CreativeWork",
            "about": {"@id": "./"},
            "conformsTo": {"@id": _CRATE},
        },
        {
            "@id": "./",
            "@type": "Dataset",
            "name": name,
            "description": f"Evaluation release {name}: traces, checks, scores",
            "datePublished": created,
            "version": manifest.version,
            "license": {"@id": _LICENSE},
            "conformsTo": {"@id": _PROCESS},
            "publisher": {"@id": "#publisher"},
            "hasPart": [{"@id": p[0]} for p in (*parts, *_FOLDERS)],
            "mentions": [{"@id": a["@id"]} for a in actions],
        },
        {"@id": _PROCESS, "@type": ["CreativeWork", "Profile"], "name": "Process Run Crate",
         "version": "0.5"},
        {"@id": _LICENSE, "@type": "CreativeWork", "name": "Apache-2.0",
         "description": "Apache License 2.0"},
        {"@id": "#publisher", "@type": "Organization", "name": "The holder of the signing key",
         "description": "Identified by the signatures beside this crate"},
        *(
            {"@id": path, "@type": "File", "name": path, "description": text,
             "encodingFormat": kind, "contentSize": str(sizes[path])}
            for path, text, kind in parts
        ),
        *(
            {"@id": path, "@type": "Dataset", "name": path, "description": text}
            for path, text in _FOLDERS
        ),
        *actions,
        {"@id": "#software", "@type": "SoftwareApplication", "name": software,
         "version": lock.version, "softwareVersion": lock.version, "url": "urn:clawpro:software"},
        *(
            {"@id": f"#runtime-{r}", "@type": "SoftwareApplication", "name": r,
             "version": r.partition("@")[2], "softwareVersion": r.partition("@")[2],
             "url": f"urn:clawpro:runtime:{r}"}
            for r in runtimes
        ),
    ]  # fmt: skip
    for action, configuration in zip(actions, manifest.configurations, strict=True):
        action["instrument"] = {"@id": f"#runtime-{configuration.harness_runtime}"}
    return canonical.encode({"@context": _CONTEXT, "@graph": graph})


def _action(configuration: str, created: str) -> dict[str, Any]:
    return {
        "@id": f"#run-{configuration}",
        "@type": "CreateAction",
        "name": f"Run of the configuration {configuration}",
        "description": "All planned trials of one configuration",
        "endTime": created,
        "actionStatus": {"@id": "http://schema.org/CompletedActionStatus"},
        "agent": {"@id": "#publisher"},
        "object": [{"@id": "plan.json"}, {"@id": "definitions/"}],
        "result": [{"@id": "traces/"}, {"@id": "results/scores.json"}],
    }
