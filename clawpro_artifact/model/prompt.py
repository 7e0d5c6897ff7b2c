"""Scenario + file texts -> the prompt as the agent gets it; one form for all scenarios."""

from __future__ import annotations

from collections.abc import Mapping

from clawpro_artifact.model.scenario import Scenario

ANSWER_RULES = {
    "en": (
        "Answer with one JSON document and nothing else: no explanation, no text before or after "
        "it. It must be valid under this JSON Schema:"
    ),
    "zh": "只回答一个 JSON 文档，不要附加任何解释或前后文字。它必须符合以下 JSON Schema：",
}


def compose_prompt(scenario: Scenario, texts: Mapping[str, str]) -> str:
    """The prompt text before canaries are put in.

    `texts` maps paths inside the scenario's folder to their text: the prompt, and for the holdout
    every input and the answer's schema. Inputs are quoted in the declared order, each under its
    name; the fence is longer than any run of backquotes inside.
    """
    body = texts[scenario.prompt].rstrip("\n")
    if scenario.answer is None:
        return body + "\n"
    parts = [body]
    for path in scenario.inputs:
        name = path.removeprefix("inputs/")
        parts.append(f"## FILE: {name}\n\n{_fenced(texts[path])}")
    rules = ANSWER_RULES[scenario.language]
    parts.append(f"{rules}\n\n{_fenced(texts[scenario.answer.json_schema])}")
    return "\n\n".join(parts) + "\n"


def _fenced(text: str) -> str:
    longest = run = 0
    for character in text:
        run = run + 1 if character == "`" else 0
        longest = max(longest, run)
    fence = "`" * max(3, longest + 1)
    return f"{fence}\n{text.rstrip(chr(10))}\n{fence}"
