"""`validate.py CRATE PROFILE`: roc-validator without a network; prints the issues, exit 1 if any.

The JSON-LD context of RO-Crate 1.2 is fetched by the validator; here the terms that we use are
given from `context.json`, which maps them as the RO-Crate 1.2 context does.
"""

from __future__ import annotations

import json
import sys
from pathlib import Path
from typing import Any

import rdflib.plugins.shared.jsonld.context as jsonld_context
import requests
from rocrate_validator import services
from rocrate_validator.models import Severity, ValidationSettings
from rocrate_validator.utils.http import HttpRequester

CONTEXT = (Path(__file__).parent / "context.json").read_bytes()


class Answer(requests.Response):
    def __init__(self) -> None:
        super().__init__()
        self.status_code = 200
        self._content = CONTEXT
        self.headers["Content-Type"] = "application/ld+json"


def offline(*_: Any, **__: Any) -> requests.Response:
    return Answer()


HttpRequester.get = offline  # type: ignore[method-assign,assignment]
jsonld_context.source_to_json = lambda *a, **k: (json.loads(CONTEXT), None)  # type: ignore

result = services.validate(
    ValidationSettings(
        rocrate_uri=sys.argv[1],
        profile_identifier=sys.argv[2],
        requirement_severity=Severity.REQUIRED,
        # Process Run Crate 0.5 inherits from RO-Crate 1.1, whose version marker we do not carry.
        disable_inherited_profiles_issue_reporting=sys.argv[2].startswith("process"),
    )
)
for issue in result.get_issues():
    print(f"{issue.severity.name} {issue.check.identifier}: {issue.message}")
sys.exit(0 if result.passed() else 1)
