""".git of the snapshot + arguments -> Found: branches, commits, changed paths, a clean tree.

The repository is read from a copy of its objects, refs and index alone: its configuration, hooks,
alternates and links are the agent's and are never read, so nothing of them can run.
"""

from __future__ import annotations

import re
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from dulwich.ignore import IgnoreFilter
from dulwich.index import Index
from dulwich.object_store import iter_tree_contents
from dulwich.objects import Blob, Commit, Tag
from dulwich.repo import Repo
from pydantic import Field, model_validator

from clawpro_artifact.checking.context import (
    Context,
    EvidenceError,
    InvalidOutputError,
    matches,
)
from clawpro_artifact.checking.library import Found, kind, verdict
from clawpro_artifact.checking.values import compiled
from clawpro_artifact.model.base import Value

_COPIED = re.compile(
    r"(?:objects/(?:[0-9a-f]{2}/[0-9a-f]{38}|pack/pack-[0-9a-f]{40}\.(?:pack|idx))"
    r"|refs/.+|HEAD|packed-refs|index)"
)
_MAX_COMMITS = 2_000
_CONFIG = b"[core]\n\trepositoryformatversion = 0\n\tbare = false\n"


class Repository(Value):
    """A repository: the folder (of the workspace, "" for itself) that holds `.git`."""

    repository: str = ""


class Head(Repository):
    """The branch that is checked out."""

    branch: str


class Commits(Repository):
    """Commits that `revision` has and `since` (a revision of the state before) has not.

    `messages`: one pattern each, every one found in some new commit; `count`: how many there are.
    """

    revision: str = "HEAD"
    since: str
    least: int = Field(default=1, ge=0)
    most: int | None = None
    messages: tuple[str, ...] = ()

    @model_validator(mode="after")
    def _compiles(self) -> Commits:
        for pattern in self.messages:
            compiled(pattern)
        return self


class Difference(Repository):
    """Paths that differ between two commits: all of `touches`, nothing outside `within`."""

    revision: str = "HEAD"
    since: str
    within: tuple[str, ...] = Field(min_length=1)
    touches: tuple[str, ...] = ()


class Contains(Repository):
    """`revision` has a file `path` whose text is found by all patterns and by none of `none`."""

    revision: str = "HEAD"
    path: str
    all: tuple[str, ...] = Field(min_length=1)
    none: tuple[str, ...] = ()

    @model_validator(mode="after")
    def _compiles(self) -> Contains:
        for pattern in self.all + self.none:
            compiled(pattern)
        return self


@contextmanager
def opened(c: Context, repository: str) -> Iterator[Repo]:
    """The repository after the trial, from a private copy; any defect is InvalidOutputError."""
    root = f"{repository}/.git/" if repository else ".git/"
    with tempfile.TemporaryDirectory(prefix="clawpro-") as folder:
        control = Path(folder) / ".git"
        for name in ("objects/pack", "refs/heads", "refs/tags"):
            (control / name).mkdir(parents=True)
        (control / "config").write_bytes(_CONFIG)
        for path, entry in c.after.items():
            name = path.removeprefix(root)
            if not path.startswith(root) or entry.kind != "file" or not _COPIED.fullmatch(name):
                continue
            target = control / name
            target.parent.mkdir(parents=True, exist_ok=True)
            target.write_bytes(c.entry_bytes(entry, limit=64_000_000))
        try:
            with Repo(folder) as repo:
                yield repo
        except (InvalidOutputError, EvidenceError):
            raise
        except Exception as error:  # dulwich raises many types on damaged repositories
            raise InvalidOutputError(
                f"the repository '{repository}' cannot be read: {type(error).__name__}"
            ) from None


def commit_of(repo: Repo, revision: str) -> Commit:
    """The commit of HEAD, a branch, a tag or a full hash; raises InvalidOutputError."""
    name = revision.encode()
    refs = {bytes(k): bytes(v) for k, v in repo.get_refs().items()}
    for candidate in (name, b"refs/heads/" + name, b"refs/tags/" + name):
        if candidate in refs:
            name = refs[candidate]
            break
    else:
        if not re.fullmatch(r"[0-9a-f]{40}", revision):
            raise InvalidOutputError(f"there is no revision {revision}")
    found = repo[name]
    while isinstance(found, Tag):
        found = repo[found.object[1]]
    if not isinstance(found, Commit):
        raise InvalidOutputError(f"{revision} is no commit")
    return found


def ancestors(repo: Repo, start: Commit) -> dict[bytes, Commit]:
    """All commits that `start` reaches, itself included."""
    seen: dict[bytes, Commit] = {}
    waiting = [start]
    while waiting:
        commit = waiting.pop()
        if commit.id in seen:
            continue
        if len(seen) >= _MAX_COMMITS:
            raise InvalidOutputError(f"more than {_MAX_COMMITS} commits")
        seen[commit.id] = commit
        for parent in commit.parents:
            found = repo[parent]
            if isinstance(found, Commit):
                waiting.append(found)
    return seen


def tree_of(repo: Repo, commit: Commit) -> dict[str, bytes]:
    """Path -> blob id of a commit's files."""
    return {
        entry.path.decode("utf-8", "surrogateescape"): entry.sha
        for entry in iter_tree_contents(repo.object_store, commit.tree)
    }


@kind("git-branch", Head)
def git_branch(a: Head, c: Context) -> Found:
    """The named branch is checked out and has a commit."""
    with opened(c, a.repository) as repo:
        head = Path(repo.controldir()) / "HEAD"
        target = head.read_bytes()[:1000] if head.exists() else b""
        name = target.removeprefix(b"ref: refs/heads/").decode("utf-8", "replace").strip()
        exists = b"refs/heads/" + a.branch.encode() in {bytes(k) for k in repo.get_refs()}
    return verdict(name == a.branch and exists, "branch checked out", expected=a.branch, found=name)


@kind("git-commits", Commits)
def git_commits(a: Commits, c: Context) -> Found:
    """New commits since a revision, how many and with which messages."""
    with opened(c, a.repository) as repo:
        known = ancestors(repo, commit_of(repo, a.since))
        new = [
            commit
            for sha, commit in ancestors(repo, commit_of(repo, a.revision)).items()
            if sha not in known
        ]
        texts = [commit.message.decode("utf-8", "replace")[:10_000] for commit in new]
    lacks = [p for p in a.messages if not any(re.search(p, t, re.MULTILINE) for t in texts)]
    good = len(new) >= a.least and (a.most is None or len(new) <= a.most) and not lacks
    return verdict(good, f"commits of {a.revision} since {a.since}", count=len(new), missing=lacks)


@kind("git-diff-paths", Difference)
def git_diff_paths(a: Difference, c: Context) -> Found:
    """A commit differs from another in the declared paths and in no other."""
    with opened(c, a.repository) as repo:
        old = tree_of(repo, commit_of(repo, a.since))
        new = tree_of(repo, commit_of(repo, a.revision))
    changed = sorted(p for p in old.keys() | new.keys() if old.get(p) != new.get(p))
    outside = [p for p in changed if not matches(p, a.within)]
    lacks = [g for g in a.touches if not any(matches(p, (g,)) for p in changed)]
    return verdict(
        bool(changed) and not outside and not lacks,
        f"paths changed from {a.since} to {a.revision}",
        outside=[p.encode("utf-8", "replace").decode() for p in outside[:20]],
        missing=lacks,
    )


@kind("git-file", Contains)
def git_file(a: Contains, c: Context) -> Found:
    """A file as committed holds the patterns."""
    with opened(c, a.repository) as repo:
        sha = tree_of(repo, commit_of(repo, a.revision)).get(a.path)
        blob = repo[sha] if sha is not None else None
        data = blob.data if isinstance(blob, Blob) else None
    if data is None:
        return verdict(False, f"{a.path} is not in {a.revision}")
    text = data[:1_000_000].decode("utf-8", "replace")
    lacks = [p for p in a.all if re.search(p, text, re.MULTILINE) is None]
    extra = [p for p in a.none if re.search(p, text, re.MULTILINE) is not None]
    return verdict(
        not lacks and not extra, f"{a.path} in {a.revision}", missing=lacks, forbidden=extra
    )


@kind("git-clean", Repository)
def git_clean(a: Repository, c: Context) -> Found:
    """Work tree, index and HEAD agree and nothing is untracked (give `requires`)."""
    root = f"{a.repository}/" if a.repository else ""
    with opened(c, a.repository) as repo:
        head = tree_of(repo, commit_of(repo, "HEAD"))
        index_path = Path(repo.controldir()) / "index"
        index = Index(str(index_path)) if index_path.exists() else None
        staged = (
            {}
            if index is None
            else {
                path.decode("utf-8", "surrogateescape"): getattr(index[path], "sha", b"")
                for path in index
            }
        )
    files = {
        path.removeprefix(root): entry
        for path, entry in c.after.items()
        if path.startswith(root)
        and entry.kind == "file"
        and not path.removeprefix(root).startswith(".git/")
    }
    ignore = IgnoreFilter(_ignored(c, root))
    dirty = sorted(p for p in head.keys() | staged.keys() if head.get(p) != staged.get(p))
    for path, sha in head.items():
        entry = files.get(path)
        if entry is None or Blob.from_string(c.entry_bytes(entry)).id != sha:
            dirty.append(path)
    dirty += [p for p in files if p not in head and not ignore.is_ignored(p)]
    return verdict(
        not dirty,
        "the work tree is clean",
        dirty=[p.encode("utf-8", "replace").decode() for p in dirty[:20]],
    )


def _ignored(c: Context, root: str) -> list[bytes]:
    entry = c.after.get(f"{root}.gitignore")
    if entry is None or entry.kind != "file":
        return []
    return [line for line in c.entry_bytes(entry).splitlines() if line and line[:1] != b"#"][:1000]
