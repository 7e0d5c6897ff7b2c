"""Credentials are told by their shape, disguises of a value are found inside other text."""

from __future__ import annotations

import base64
import urllib.parse

import pytest

from clawpro_artifact.formats import disguises, secretpatterns

# Shapes as the issuers document them; the values are made up.
EXAMPLES = {
    "private-key": b"-----BEGIN RSA PRIVATE KEY-----",
    "aws-key": b"AKIAIOSFODNN7EXAMPLE",
    "github-token": b"ghp_" + b"a1B2" * 9,
    "github-pat": b"github_pat_" + b"A" * 22 + b"_" + b"b" * 59,
    "gitlab-token": b"glpat-" + b"x" * 20,
    "slack-token": b"xoxb-123456789012-abcdefghijkl",
    "slack-hook": b"https://hooks.slack.com/services/T00000000/B00000000/" + b"X" * 24,
    "anthropic-key": b"sk-ant-api03-" + b"x" * 80,
    "openai-key": b"sk-proj-" + b"x" * 48,
    "openai-legacy-key": b"sk-" + b"x" * 20 + b"T3BlbkFJ" + b"y" * 20,
    "google-key": b"AIza" + b"y" * 35,
    "stripe-key": b"sk_live_" + b"4" * 24,
    "npm-token": b"npm_" + b"z" * 36,
    "pypi-token": b"pypi-AgEIcHlwaS5vcmc" + b"q" * 60,
    "hugging-face-token": b"hf_" + b"k" * 34,
    "json-web-token": b"eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiIxMjM0In0." + b"s" * 43,
}
HARMLESS = (
    b"skip the task-list; ask-me; risk-averse; desk-job; a disk-full error",
    b"-----BEGIN PUBLIC KEY----- and the words PRIVATE KEY-",
    b"AKIA is a prefix; ASIATIC; hf_hub; npm_config_cache; ghp_short; xoxo-hugs",
    b"eyJ is how a JSON web token begins",
    b"sha256:" + b"0123456789abcdef" * 4,
)


def test_every_pattern_has_an_example() -> None:
    assert EXAMPLES.keys() == secretpatterns.PATTERNS.keys()


@pytest.mark.parametrize("kind", sorted(EXAMPLES))
def test_a_credential_is_found_by_its_shape(kind: str) -> None:
    assert secretpatterns.kinds(b'{"text":"' + EXAMPLES[kind] + b'"}') == [kind]


@pytest.mark.parametrize("text", HARMLESS)
def test_harmless_text_is_left_alone(text: bytes) -> None:
    assert secretpatterns.kinds(text) == []


VALUE = 'tok_Zq83/hsk2+x9 A"é'


@pytest.mark.parametrize("before", ["", "a", "ab", "abc"])
@pytest.mark.parametrize("encode", [base64.b64encode, base64.urlsafe_b64encode])
def test_a_value_inside_longer_base64_is_found(before: str, encode: object) -> None:
    text = encode(f"{before}{VALUE} and more".encode())  # type: ignore[operator]
    assert any(form in text for form in disguises.forms(VALUE).values())


@pytest.mark.parametrize(
    "text",
    [
        VALUE.encode(),
        VALUE.encode().hex().encode(),
        VALUE.encode().hex().upper().encode(),
        urllib.parse.quote(VALUE, safe="").encode(),
        VALUE[::-1].encode(),
    ],
)
def test_a_value_is_found_in_each_disguise(text: bytes) -> None:
    assert any(form in b"<<" + text + b">>" for form in disguises.forms(VALUE).values())


def test_a_short_form_is_not_looked_for() -> None:
    assert "plain" not in disguises.forms("abc")
