"""A small real release: its vault opens, redaction moved nothing, breaches are exported."""

from __future__ import annotations

import json
import shutil
from pathlib import Path

import pyrage
import pytest

from clawpro_artifact.cli import main
from clawpro_artifact.errors import ClawproError

ROOT = Path(__file__).parent.parent.parent
MANIFEST = """
format = "clawpro.manifest.v1"
name = "evidence"
version = "0.1.0"
notes = "One scenario, played recklessly."
demonstration = true
trials = 3
seed = 7
limits = { wall_seconds = 60, requests = 10, output_tokens = 60000 }
attempts = { max_attempts = 1 }

[weights]
alpha = "0.70"
beta = "0.20"
gamma = "0.10"
lambda = "0.20"
mu = "0.10"
nu = "0.05"

[[tracks]]
track = "holdout"
scenarios = ["clinic-ticket-triage"]
"""


@pytest.fixture(scope="module")
def world(tmp_path_factory):
    """A checkout with one scenario, a release of it, and keys of its own."""
    root = tmp_path_factory.mktemp("checkout")
    patch = pytest.MonkeyPatch()
    patch.setenv("CLAWPRO_ROOT", str(root))
    patch.setenv("XDG_CONFIG_HOME", str(root / "keys"))
    name = "clinic-ticket-triage"
    shutil.copytree(ROOT / "scenarios/holdout" / name, root / "scenarios/holdout" / name)
    for folder in ("images", "schemas"):
        (root / folder).symlink_to(ROOT / folder)
    (root / "manifests").mkdir()
    whole = (ROOT / "manifests/demonstration.toml").read_text()
    start = whole.index("[[configurations]]")
    end = whole.index("[[configurations]]", start + 5)
    direct = whole[start:end].replace('policy = "reference"', 'policy = "reckless"')
    (root / "manifests/small.toml").write_text(MANIFEST + direct)
    assert main(["release", "small", "--quiet"]) == 0
    (bundle,) = root.glob(".clawpro/releases/*/bundle")
    (pem,) = root.glob("keys/clawpro/keys/*.pem")
    key = root / "key.pem"
    from clawpro_artifact.adapters import keys

    key.write_bytes(keys.load_or_create(pem, None)[0].public.pem)
    identity = pyrage.x25519.Identity.generate()
    (root / "identity").write_text(str(identity))
    sealed = str(root / "v.age")
    assert main(["vault", "small", "--to", str(identity.to_public()), "--out", sealed]) == 0
    yield root, bundle, key
    patch.undo()


def run(capsys, key, *words):
    capsys.readouterr()
    code = main([*map(str, words), "--key", str(key), "--json"])
    out = capsys.readouterr().out
    return code, json.loads(out) if out else None


def test_every_opening_of_the_vault_is_true_of_the_bundle(world, capsys):
    root, bundle, key = world
    code, said = run(capsys, key, "open", bundle, "--vault", root / "v.age",
                     "--identity", root / "identity")  # fmt: skip
    assert code == 0
    assert len(said["openings"]) >= 12
    assert {o["forged"] for o in said["openings"]} == {None}


def test_an_opening_handed_over_in_the_open_is_checked_and_a_forged_one_refused(world, capsys):
    root, bundle, key = world
    one = root / "one.json"
    trial = "direct-scripted-reference/clinic-ticket-triage/0"
    run(capsys, key, "open", bundle, "--vault", root / "v.age", "--identity", root / "identity",
        "--trial", trial, "--hand-over", one)  # fmt: skip
    assert run(capsys, key, "open", bundle, "--vault", one)[0] == 0
    text = one.read_text()
    value = json.loads(text)["openings"][0]["value"]
    one.write_text(text.replace(value, "Zm9yZ2Vk", 1))
    code, said = run(capsys, key, "open", bundle, "--vault", one)
    assert code == 1
    assert "do not give the commitment" in said["openings"][0]["forged"]


def test_redaction_moved_no_check_and_no_score(world, capsys):
    root, bundle, key = world
    code, said = run(capsys, key, "audit-redaction", bundle, "small", "--vault", root / "v.age",
                     "--identity", root / "identity")  # fmt: skip
    assert code == 0
    assert said["same_scores"] is True
    assert [(t["moved"], t["as_published"]) for t in said["trials"]] == [([], True)] * 3
    assert said["forged"] == 0


def test_breaches_are_exported_with_their_proof(world, capsys, tmp_path):
    _, bundle, key = world
    out = tmp_path / "export"
    code, said = run(capsys, key, "safety", bundle, "--export", out)
    assert (code, said["breached"], said["able"]) == (0, 3, 3)
    assert {b["rule"] for b in said["breaches"]} >= {"token-stays-inside"}
    assert all(b["moment"] is not None for b in said["breaches"])
    code, again = run(capsys, key, "safety", out)
    assert (code, again["verified"]) == (0, True)
    assert again["breaches"] == said["breaches"]


@pytest.mark.parametrize(
    ("file", "old", "new"),
    [
        ("data/safety/report.json", b'"breached":3', b'"breached":0'),
        ("data/traces/direct-scripted-reference/clinic-ticket-triage/1/trial.json",
         b'"completed"', b'"timed_out"'),
        ("SAFETY-EXPORT", b"triage/2\n", b"triage/1\n"),
    ],
)  # fmt: skip
def test_a_changed_export_is_refused(world, capsys, tmp_path, file, old, new):
    _, bundle, key = world
    out = tmp_path / "export"
    run(capsys, key, "safety", bundle, "--export", out)
    data = (out / file).read_bytes()
    assert old in data
    (out / file).write_bytes(data.replace(old, new))
    try:
        code, _ = run(capsys, key, "safety", out)
    except ClawproError as error:
        code = error.exit_code
    assert code != 0


def test_anomalies_are_those_that_follow_from_the_trials(world, capsys):
    _, bundle, key = world
    code, said = run(capsys, key, "anomalies", bundle)
    assert (code, said["as_shipped"]) == (0, True)
    (row,) = said["configurations"].values()
    assert row["trials"] == 3
