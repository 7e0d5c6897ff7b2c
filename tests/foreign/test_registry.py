"""A bundle goes through a real registry (Debian's docker-registry) and comes back as it was."""

from __future__ import annotations

import os
import shutil
import socket
import subprocess
import time
from collections.abc import Iterator
from pathlib import Path

import pytest

from clawpro_artifact import bundling
from clawpro_artifact.adapters.publishing import Registry
from clawpro_artifact.errors import InfraError, InputError, TrustError, UsageError
from clawpro_artifact.formats import canonical
from clawpro_artifact.verifying import verify
from tests import bundles

CONFIG = """\
version: 0.1
log: {{level: error}}
storage: {{filesystem: {{rootdirectory: {root}}}}}
http: {{addr: 127.0.0.1:{port}}}
"""


@pytest.fixture(scope="module")
def place(tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    program = os.environ.get("CLAWPRO_TEST_REGISTRY") or shutil.which("docker-registry")
    if program is None:
        pytest.skip("docker-registry is not installed")
    folder = tmp_path_factory.mktemp("registry")
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    (folder / "config.yml").write_text(CONFIG.format(root=folder / "data", port=port))
    process = subprocess.Popen(
        [program, "serve", str(folder / "config.yml")],
        stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL,
    )  # fmt: skip
    try:
        for _ in range(100):
            with socket.socket() as probe:
                if probe.connect_ex(("127.0.0.1", port)) == 0:
                    break
            time.sleep(0.05)
        yield f"127.0.0.1:{port}/team/releases"
    finally:
        process.terminate()
        process.wait()


@pytest.fixture(scope="module")
def tar(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("published")
    bundles.sign(bundles.files(folder / "d"), folder / "bundle", [bundles.ALICE, bundles.BOB])
    bundling.write_tar(folder / "bundle", folder / "bundle.tar")
    return folder / "bundle.tar"


@pytest.mark.slow
def test_a_bundle_comes_back_from_a_registry_and_verifies(
    place: str, tar: Path, tmp_path: Path
) -> None:
    registry = Registry(f"{place}:1.0.0", plain_http=True)
    published = registry.publish(tar)
    assert registry.fetch(tmp_path / "back.tar") == published.digest
    assert (tmp_path / "back.tar").read_bytes() == tar.read_bytes()
    assert verify(tmp_path / "back.tar", [bundles.ALICE.public]).answer == "yes"


@pytest.mark.slow
def test_each_signature_refers_to_the_artifact(place: str, tar: Path) -> None:
    registry = Registry(f"{place}:1.0.1", plain_http=True)
    published = registry.publish(tar)
    found = registry.referrers(published.digest)
    assert {d["digest"] for d in found} == set(published.referrers)
    assert len(published.referrers) == 2


@pytest.mark.slow
def test_publishing_again_changes_nothing(place: str, tar: Path) -> None:
    registry = Registry(f"{place}:1.0.2", plain_http=True)
    assert registry.publish(tar) == registry.publish(tar)


@pytest.mark.slow
def test_a_tag_of_another_artifact_is_never_moved(place: str, tar: Path, tmp_path: Path) -> None:
    registry = Registry(f"{place}:1.0.3", plain_http=True)
    registry.publish(tar)
    bundles.sign({"data/x": b"x"}, tmp_path / "other")
    bundling.write_tar(tmp_path / "other", tmp_path / "other.tar")
    with pytest.raises(TrustError, match="never moved"):
        registry.publish(tmp_path / "other.tar")


@pytest.mark.slow
def test_nothing_published_is_an_input_error(place: str, tmp_path: Path) -> None:
    with pytest.raises(InputError, match="nothing is published"):
        Registry(f"{place}:9.9.9", plain_http=True).fetch(tmp_path / "x.tar")


def test_a_registry_that_is_away_can_be_tried_again(tar: Path) -> None:
    with pytest.raises(InfraError, match="does not answer"):
        Registry("127.0.0.1:1/x:1", plain_http=True).publish(tar)


@pytest.mark.parametrize("target", ["x", "host/x", "host/X:1", "host/../x:1 y", "/x:1"])
def test_a_malformed_place_is_a_usage_error(target: str) -> None:
    with pytest.raises(UsageError, match="not a place"):
        Registry(target)


def test_the_empty_config_is_the_one_of_the_specification() -> None:
    """OCI image specification 1.1, "Guidance for an Empty Descriptor"."""
    assert canonical.bytes_digest(b"{}") == (
        "sha256:44136fa355b3678a1146ad16f7e8649e94fb4fc21fe77e8310c060f61caaff8a"
    )
