"""the command line: bad input gets a clear message, the code of its family, and leaves nothing."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from clawpro_artifact.cli import main
from clawpro_artifact.cli.table import VERBS

ROOT = Path(__file__).parents[2]
DEMO = ["clinic-ticket-triage", "sql-result-by-hand"]


@pytest.fixture
def checkout(tmp_path, monkeypatch):
    """A small checkout: two holdout scenarios, the image locks, one manifest."""
    root = tmp_path / "checkout"
    shutil.copytree(ROOT / "images", root / "images")
    shutil.copytree(ROOT / "schemas", root / "schemas")
    for name in DEMO:
        shutil.copytree(ROOT / "scenarios/holdout" / name, root / "scenarios/holdout" / name)
    manifest = (ROOT / "manifests/demonstration.toml").read_text()
    head = manifest[: manifest.index("[[tracks]]")]
    direct = manifest[manifest.index("[[configurations]]") :].split("[[configurations]]")[1]
    text = f'{head}[[tracks]]\ntrack = "holdout"\nscenarios = {json.dumps(DEMO)}\n'
    (root / "manifests").mkdir()
    (root / "manifests/demonstration.toml").write_text(text + "[[configurations]]" + direct)
    monkeypatch.setenv("CLAWPRO_ROOT", str(root))
    monkeypatch.setenv("XDG_CONFIG_HOME", str(tmp_path / "config"))
    monkeypatch.setenv("DOCKER_HOST", "unix:///nowhere.sock")
    return root


def edit(path: Path, old: str, new: str) -> None:
    text = path.read_text()
    assert old in text
    path.write_text(text.replace(old, new))


def test_a_release_without_containers_needs_no_engine_and_ends_in_a_verified_bundle(
    checkout, capsys
):
    assert main(["release", "--json"]) == 0
    out = json.loads(capsys.readouterr().out)
    assert out["verdict"]["answer"] == "yes"
    assert out["suites"][0]["strict_of_k"]["count"] == 2
    assert any("SCRIPTED" in label for label in out["labels"])


def test_the_same_release_again_runs_nothing_and_verifies_the_same_bundle(checkout, capsys):
    assert main(["release", "--json"]) == 0
    first = json.loads(capsys.readouterr().out)["bundle_id"]
    assert main(["release", "--json"]) == 0
    again = capsys.readouterr()
    assert json.loads(again.out)["bundle_id"] == first
    assert "is there already" in again.err


def test_an_unknown_scenario_id_is_exit_3_and_names_the_nearest(checkout, capsys):
    edit(checkout / "manifests/demonstration.toml", "sql-result-by-hand", "sql-result-by-hnd")
    assert main(["release"]) == 3
    err = capsys.readouterr().err
    assert "sql-result-by-hnd" in err
    assert "one of sql-result-by-hand" in err
    assert not (checkout / ".clawpro").exists()


def test_a_malformed_scenario_is_exit_3_with_its_place(checkout, capsys):
    path = checkout / "scenarios/holdout/sql-result-by-hand/scenario.toml"
    edit(path, 'difficulty = "hard"', 'difficulty = "brutal"')
    assert main(["plan"]) == 3
    err = capsys.readouterr().err
    assert "/difficulty" in err
    assert "brutal" in err
    assert str(path) in err


def test_an_edited_image_lock_is_exit_3_or_4_before_any_trial(checkout, capsys):
    path = checkout / "images/openclaw-2026.9.6/lock.json"
    edit(path, '"bash",', '"bash2",')
    assert main(["release"]) in (3, 4)
    assert "lock" in capsys.readouterr().err
    assert not (checkout / ".clawpro").exists()


def test_a_manifest_with_latest_is_exit_3(checkout, capsys):
    edit(checkout / "manifests/demonstration.toml", "direct@1", "openclaw@latest")
    assert main(["plan"]) == 3
    assert "openclaw@latest" in capsys.readouterr().err


def test_a_missing_key_is_exit_8_with_the_command_that_makes_one(checkout, capsys):
    assert main(["keys", "show", "--name", "nobody"]) == 8
    assert "clawpro keys new --name nobody" in capsys.readouterr().err


def test_verify_without_saying_whom_to_trust_is_exit_2(checkout, capsys):
    assert main(["verify", "somewhere"]) == 2
    assert "--key PUBLIC" in capsys.readouterr().err


def test_outside_a_checkout_release_says_what_is_missing(tmp_path, monkeypatch, capsys):
    monkeypatch.delenv("CLAWPRO_ROOT", raising=False)
    monkeypatch.chdir(tmp_path)
    assert main(["release"]) == 2
    assert "scenarios/ and manifests/" in capsys.readouterr().err


def test_an_error_is_a_json_document_with_json(checkout, capsys):
    edit(checkout / "manifests/demonstration.toml", "sql-result-by-hand", "nope")
    assert main(["plan", "--json"]) == 3
    found = json.loads(capsys.readouterr().out)
    assert found["error"] == "InputError"
    assert found["found"] == "nope"


def test_a_full_disk_is_exit_5_and_leaves_no_bundle(checkout, tmp_path):
    if os.geteuid() != 0 or shutil.which("mount") is None:
        pytest.skip("a small tmpfs needs root")
    small = checkout / ".clawpro"
    small.mkdir()
    release = f"{sys.executable} -m clawpro_artifact release"
    script = f"mount -t tmpfs -o size=300k none {small} && exec {release}"
    done = subprocess.run(
        ["unshare", "--mount", "sh", "-c", script], capture_output=True, text=True, check=False
    )
    if "unshare" in done.stderr:
        pytest.skip("no mount namespace here")
    assert done.returncode in (5, 6), done.stderr
    assert not list(small.rglob("bundle"))


@pytest.mark.parametrize("verb", VERBS, ids=lambda v: v.path)
def test_every_verb_has_a_help_page(verb, capsys):
    with pytest.raises(SystemExit) as ended:
        main([*verb.path.split(), "--help"])
    assert ended.value.code == 0
    assert verb.path in capsys.readouterr().out


def test_no_verb_prints_the_help_and_is_exit_2(capsys):
    assert main([]) == 2
    assert "exit codes" in capsys.readouterr().out


def test_the_next_release_of_a_name_counts_on_and_the_older_one_is_refused_afterwards(
    checkout, tmp_path, monkeypatch, capsys
):
    monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path / "state"))
    assert main(["release", "--json"]) == 0
    first = json.loads(capsys.readouterr().out)
    edit(checkout / "manifests/demonstration.toml", "seed = 20261201", "seed = 20261202")
    assert main(["release", "--json"]) == 0
    second = json.loads(capsys.readouterr().out)
    claim = second["verdict"]["claim"]
    assert (claim["sequence"], claim["previous"]) == (1, first["bundle_id"])
    assert main(["keys", "export"]) == 0
    key = tmp_path / "key.pem"
    key.write_text(capsys.readouterr().out)
    assert main(["verify", second["bundle"], "--key", str(key)]) == 0
    capsys.readouterr()
    assert main(["verify", first["bundle"], "--key", str(key)]) == 8
    assert "rollback" in capsys.readouterr().out


def test_auditing_verbs_agree_with_the_bundle(checkout, tmp_path, capsys):
    assert main(["release", "--json"]) == 0
    bundle = json.loads(capsys.readouterr().out)["bundle"]
    assert main(["keys", "export"]) == 0
    key = tmp_path / "key.pem"
    key.write_text(capsys.readouterr().out)
    trust = [bundle, "--key", str(key), "--json"]
    assert main(["rescore", *trust]) == 0
    assert json.loads(capsys.readouterr().out) == {"same": True, "trials": 6}
    assert main(["regrade", *trust]) == 0
    assert json.loads(capsys.readouterr().out)["differences"] == []
    assert main(["safety", *trust]) == 0
    assert json.loads(capsys.readouterr().out)["breached"] == 0
    assert main(["diff", bundle, *trust]) == 0
    trial = "direct-scripted-reference/sql-result-by-hand/0"
    assert main(["verify", *trust, "--trial", trial]) == 0


def test_auditing_verbs_use_nothing_of_a_bundle_that_does_not_verify(checkout, tmp_path, capsys):
    assert main(["release", "--json"]) == 0
    bundle = Path(json.loads(capsys.readouterr().out)["bundle"])
    assert main(["keys", "export"]) == 0
    key = tmp_path / "key.pem"
    key.write_text(capsys.readouterr().out)
    scores = bundle / "data/results/scores.json"
    scores.write_bytes(scores.read_bytes().replace(b"1.0000000000", b"0.9000000000", 1))
    assert main(["rescore", str(bundle), "--key", str(key)]) == 8
    assert "does not verify" in capsys.readouterr().err
