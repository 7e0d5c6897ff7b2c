"""an id and a surface -> a scenario folder that loads and that validation refuses until it is done.

Every value that only the author can know says so; the findings of `clawpro scenarios validate` are
the list of what is left to do.
"""

from __future__ import annotations

from pathlib import Path

from pydantic import TypeAdapter, ValidationError

from clawpro_artifact.adapters.store import make_folder
from clawpro_artifact.adapters.store import write as write_file
from clawpro_artifact.errors import UsageError
from clawpro_artifact.formats.scenarios import discover
from clawpro_artifact.model.base import NATIVE_SURFACES, Slug

_HEAD = """\
format = "clawpro.scenario.v1"
id = "{id}"
version = 1
title = "TODO {id}"
track = "{track}"
surface = "{surface}"
domain = "operations"
dimension = "synthesis"
difficulty = "hard"
difficulty_reasons = ["TODO: steps, distractors, conflicting sources, exceptions, arithmetic"]
language = "en"
tests = "TODO: what {id} tests that no other scenario does"
weight = "1"
threshold = "0.8"
optimal_requests = 1
"""
_HOLDOUT = """\
inputs = ["inputs/data.csv"]

[answer]
json_schema = "answer.schema.json"
expected = "expected.json"
derivation = "derive.py"

[groups]
result = "1"

[[checks]]
id = "total"
kind = "json-number"
group = "result"
with = {{ pointer = "/total", tolerance = "0" }}

[[policies]]
name = "reference"
kind = "reference"
file = "reference.json"
says = "TODO: how it is solved"
passes = true

[[sensitivity]]
says = "TODO: which input changes, and what is right then"
overlay = "sensitivity/other"
reference = "sensitivity/other/reference.json"
"""
_LIVE = """\
workspace = "workspace"

[groups]
result = "1"

[[checks]]
id = "result-written"
kind = "file-exists"
group = "result"
with = {{ path = "result.txt" }}

[[policies]]
name = "reference"
kind = "reference"
file = "reference.json"
says = "TODO: how it is solved"
passes = true

[[sensitivity]]
says = "TODO: which file changes, and what is right then"
overlay = "sensitivity/other"
reference = "sensitivity/other/reference.json"
"""
_DERIVE = '''\
"""inputs -> expected values, by the rules of prompt.md."""

import csv
import json
import sys
from pathlib import Path

rows = list(csv.DictReader((Path(sys.argv[1]) / "data.csv").open(encoding="utf-8")))
print(json.dumps({"total": sum(int(r["amount"]) for r in rows)}))
'''
_SCHEMA = """\
{
  "type": "object",
  "additionalProperties": false,
  "required": ["total"],
  "properties": {"total": {"type": "integer"}}
}
"""
_WRITE = """\
{
  "format": "clawpro.policy.v1",
  "steps": [
    {"calls": [{"tool": "write", "arguments": {"path": "result.txt", "content": "TODO"}}]},
    {"text": "Done."}
  ]
}
"""


def write(root: Path, scenario_id: str, surface: str) -> Path:
    """The new folder below `root` (`scenarios/`). UsageError for an id that is no name or taken."""
    try:
        TypeAdapter(Slug).validate_python(scenario_id)
    except ValidationError:
        raise UsageError(
            "this is no scenario id",
            expected="words of a-z and 0-9 with hyphens",
            found=scenario_id,
        ) from None
    if any(folder.name == scenario_id for folder in discover(root)):
        raise UsageError("the id is taken", found=scenario_id)
    holdout = surface == "json"
    place = (
        f"holdout/{scenario_id}"
        if holdout
        else f"full/native/{surface}/{scenario_id}"
        if surface in NATIVE_SURFACES
        else f"full/workspace/{scenario_id}"
    )
    head = _HEAD.format(id=scenario_id, surface=surface, track="holdout" if holdout else "full")
    files = {"prompt.md": "TODO: the task, as the person who has it would write it.\n"}
    if holdout:
        files |= {
            "scenario.toml": head + _HOLDOUT.format(),
            "inputs/data.csv": "id,amount\na,17\nb,25\n",
            "answer.schema.json": _SCHEMA,
            "expected.json": '{"total": 42}\n',
            "derive.py": _DERIVE,
            "reference.json": '{"total": 42}\n',
            "sensitivity/other/inputs/data.csv": "id,amount\na,17\nb,26\n",
            "sensitivity/other/expected.json": '{"total": 43}\n',
            "sensitivity/other/reference.json": '{"total": 43}\n',
        }
    else:
        files |= {
            "scenario.toml": head + _LIVE.format(),
            "workspace/README.md": "TODO: the files that the agent finds.\n",
            "reference.json": _WRITE,
            "sensitivity/other/workspace/README.md": "TODO: what is different there.\n",
            "sensitivity/other/reference.json": _WRITE,
        }
    for name, text in files.items():
        path = root / place / name
        make_folder(path.parent)
        write_file(path, text.encode())
    return root / place
