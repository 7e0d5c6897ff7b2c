"""ScenarioFolder -> files on disk: lays out a trial's workspace, the same for every runtime."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

from clawpro_artifact.formats.scenarios import ScenarioFolder


def lay_out(folder: ScenarioFolder, space: Path, filled: Callable[[bytes], bytes]) -> None:
    """Write the workspace of `folder` into the empty `space`; `filled` puts canaries in.

    Raises OSError as the file system gives it.
    """
    for item in folder.workspace():
        target = space / item.path
        target.parent.mkdir(parents=True, exist_ok=True)
        if item.target is not None:
            target.symlink_to(item.target)
            continue
        target.write_bytes(filled(item.data))
        if item.executable:
            target.chmod(0o755)
