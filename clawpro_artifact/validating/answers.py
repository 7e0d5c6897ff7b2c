"""schema + texts -> answers without work: random, pasted, malformed."""

from __future__ import annotations

import json
import random
import re
from collections.abc import Sequence
from functools import lru_cache
from typing import Any

_WORD = re.compile(r"[^\s,;|\"'(){}\[\]]+")


def filled(schema: dict[str, Any], text: str, root: dict[str, Any] | None = None) -> Any:
    """A schema-shaped value with `text` in every string field and the least of everything else."""
    root = root or schema
    schema = _resolved(schema, root)
    if "const" in schema:
        return schema["const"]
    if "enum" in schema:
        return schema["enum"][0]
    kind = _kind(schema)
    if kind == "object":
        properties = schema.get("properties", {})
        return {k: filled(properties.get(k, {}), text, root) for k in _all_keys(schema)}
    if kind == "array":
        items = schema.get("items", {})
        return [filled(items, text, root) for _ in range(max(1, int(schema.get("minItems", 1))))]
    if kind in ("integer", "number"):
        return schema.get("minimum", 0)
    if kind == "boolean":
        return False
    return None if kind == "null" else text


def random_answer(
    schema: dict[str, Any], words: Sequence[str], dice: random.Random, root: Any = None
) -> Any:
    """A random value that fits a plain schema; strings are words of the inputs."""
    root = root or schema
    schema = _resolved(schema, root)
    if "const" in schema:
        return schema["const"]
    if "enum" in schema:
        return dice.choice(schema["enum"])
    kind = _kind(schema, dice)
    if kind == "object":
        keys = [
            k for k in _all_keys(schema) if k in schema.get("required", []) or dice.random() < 0.5
        ]
        properties = schema.get("properties", {})
        return {k: random_answer(properties.get(k, {}), words, dice, root) for k in keys}
    if kind == "array":
        least = int(schema.get("minItems", 0))
        most = min(int(schema.get("maxItems", least + 5)), least + 5)
        made: list[Any] = []
        for _ in range(dice.randint(least, max(least, most)) * 3):
            value = random_answer(schema.get("items", {}), words, dice, root)
            if not schema.get("uniqueItems") or value not in made:
                made.append(value)
        return made[: max(least, min(most, len(made) // 3 + 1))]
    if kind in ("integer", "number"):
        low = schema.get("minimum", schema.get("exclusiveMinimum", 0))
        high = schema.get("maximum", schema.get("exclusiveMaximum", low + 1000))
        return (
            dice.randint(int(low), int(high))
            if kind == "integer"
            else round(dice.uniform(low, high), 2)
        )
    if kind == "boolean":
        return dice.random() < 0.5
    return None if kind == "null" else _string(schema, words, dice)


def _string(schema: dict[str, Any], words: Sequence[str], dice: random.Random) -> str:
    fitting = _fitting(schema.get("pattern"), tuple(words))
    if not fitting:
        return "0" * int(schema.get("minLength", 1))
    word = dice.choice(fitting)
    return word[: int(schema.get("maxLength", len(word)))]


@lru_cache(maxsize=16)
def _fitting(pattern: str | None, words: tuple[str, ...]) -> tuple[str, ...]:
    return words if pattern is None else tuple(w for w in words if re.search(pattern, w))


def words_of(texts: Sequence[str]) -> list[str]:
    """Distinct words of texts, in order: what a guesser would pick from."""
    return list(dict.fromkeys(w for t in texts for w in _WORD.findall(t) if len(w) < 60))


def malformed(text: str) -> dict[str, str | None]:
    """More than 40 ways in which models and transports spoil a right answer."""
    value = json.loads(text)
    compact = json.dumps(value, ensure_ascii=False)
    first = next(iter(value), "x") if isinstance(value, dict) else "x"
    body = compact[1:-1]
    deep = '{"x":' * 200 + "1" + "}" * 200
    return {
        "no answer": None,
        "empty": "",
        "white space": " \n\t ",
        "prose": "The answer is attached.",
        "prose before": "Here is the answer:\n" + compact,
        "prose after": compact + "\nLet me know if you need more.",
        "prose around a fence": f"Sure!\n```json\n{compact}\n```",
        "prose after a fence": f"```json\n{compact}\n```\nDone.",
        "two fences": f"```json\n{compact}\n```\n```json\n{compact}\n```",
        "unclosed fence": f"```json\n{compact}",
        "closed fence only": f"{compact}\n```",
        "fence of another language": f"```python\n{compact}\n```",
        "fence with empty content": "```json\n```",
        "tilde fence": f"~~~json\n{compact}\n~~~",
        "indented quote": "> " + compact,
        "trailing comma": compact[:-1] + ",}",
        "truncated": compact[: len(compact) // 2],
        "missing last brace": compact[:-1],
        "an extra brace": compact + "}",
        "two documents": compact + compact,
        "two documents on lines": compact + "\n" + compact,
        "single quotes": compact.replace('"', "'"),
        "NaN": f'{{"{first}": NaN}}',
        "Infinity": f'{{"{first}": Infinity}}',
        "minus Infinity": f'{{"{first}": -Infinity}}',
        "1e999": f'{{"{first}": 1e999}}',
        "huge integer": f'{{"{first}": {"9" * 400}}}',
        "leading zero": f'{{"{first}": 007}}',
        "hexadecimal": f'{{"{first}": 0x1F}}',
        "duplicate key": f"{{{body}, {json.dumps(first)}: 1}}",
        "comment": compact[:-1] + " // done\n}",
        "block comment": "/* answer */ " + compact,
        "byte order mark": "\ufeff" + compact,
        "UTF-16 read as Latin-1": compact.encode("utf-16").decode("latin-1"),
        "NUL bytes": "\0" + compact,
        "lone surrogate": f'{{"{first}": "\ud800"}}',
        "escaped lone surrogate": f'{{"{first}": "\\ud800"}}',
        "control character in a string": f'{{"{first}": "a\nb"}}',
        "10 MB": f'{{"{first}": "{"a" * 10_000_000}"}}',
        "deep nesting": deep,
        "deep brackets": "[" * 100_000,
        "array at top": f"[{compact}]",
        "string at top": json.dumps(compact),
        "number at top": "42",
        "null at top": "null",
        "true at top": "true",
        "empty object": "{}",
        "an unknown key": f'{{{body}, "zz_extra": 1}}',
        "wrapped": f'{{"answer": {compact}}}',
        "every value as text": json.dumps({k: str(v) + "?" for k, v in _items(value)}),
        "every value null": json.dumps({k: None for k, _ in _items(value)}),
        "every value a list": json.dumps({k: [[v]] for k, v in _items(value)}),
        "python literal": str(value) if "'" in str(value) else "{'a': None}",
        "XML": "<answer>" + compact + "</answer>",
        "YAML": "\n".join(f"{k}: {v}" for k, v in _items(value)),
        "non-breaking space around": "\u00a0" + compact + "\u00a0",
    }


def _items(value: Any) -> list[tuple[str, Any]]:
    return list(value.items()) if isinstance(value, dict) else [("x", value)]


def _resolved(schema: dict[str, Any], root: Any) -> dict[str, Any]:
    while "$ref" in schema:
        target: Any = root
        for step in str(schema["$ref"]).removeprefix("#/").split("/"):
            target = target[step]
        schema = target
    for union in ("oneOf", "anyOf"):
        if union in schema:
            return _resolved(schema[union][0], root)
    return schema


def _kind(schema: dict[str, Any], dice: random.Random | None = None) -> str:
    kind = schema.get("type", "object" if "properties" in schema else "string")
    if isinstance(kind, list):
        return str(kind[0] if dice is None else dice.choice(kind))
    return str(kind)


def _all_keys(schema: dict[str, Any]) -> list[str]:
    return list(dict.fromkeys([*schema.get("required", []), *schema.get("properties", {})]))
