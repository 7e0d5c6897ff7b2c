"""keys <-> bytes in a folder or an S3-compatible bucket: what the archive stands on.

A key is whole or not there; nothing is ever changed in place.
"""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any, Protocol
from urllib.parse import urlsplit

from clawpro_artifact.adapters import store
from clawpro_artifact.errors import InfraError, UsageError

_CHUNK = 1 << 20


class Backend(Protocol):
    """Raises InfraError where the disk or the server refuses."""

    where: str

    def has(self, key: str) -> bool:
        """Whether the key is there."""
        ...

    def read(self, key: str) -> Iterator[bytes]:
        """Its bytes, streamed."""
        ...

    def write(self, key: str, source: Path) -> None:
        """Puts the bytes of a file there, in one step."""
        ...

    def keys(self, prefix: str) -> list[tuple[str, int]]:
        """(key, bytes) of all keys below a prefix, sorted."""
        ...

    def remove(self, key: str) -> None:
        """Takes a key away, if it is there."""
        ...


def open_backend(place: str) -> Backend:
    """`s3://BUCKET/PREFIX` (endpoint and keys as boto3 finds them) or a folder."""
    if place.startswith("s3://"):
        parts = urlsplit(place)
        return Bucket(parts.netloc, parts.path.strip("/"))
    return Folder(Path(place))


class Folder:
    """A local folder."""

    def __init__(self, root: Path) -> None:
        self.root = root
        self.where = str(root)

    def has(self, key: str) -> bool:
        return (self.root / key).is_file()

    def read(self, key: str) -> Iterator[bytes]:
        path = self.root / key
        with store.disk(path), path.open("rb") as file:
            while chunk := file.read(_CHUNK):
                yield chunk

    def write(self, key: str, source: Path) -> None:
        path = self.root / key
        store.make_folder(path.parent)
        with store.disk(source), source.open("rb") as file:
            store.write(path, iter(lambda: file.read(_CHUNK), b""), mode=0o444)

    def keys(self, prefix: str) -> list[tuple[str, int]]:
        folder = self.root / prefix
        with store.disk(folder):
            if not folder.is_dir():
                return []
            return sorted(
                (path.relative_to(self.root).as_posix(), path.stat().st_size)
                for path in folder.rglob("*")
                if path.is_file() and not path.name.startswith(".tmp-")
            )

    def remove(self, key: str) -> None:
        path = self.root / key
        with store.disk(path):
            path.unlink(missing_ok=True)
            if path.parent.is_dir():
                store.sync_folder(path.parent)


class Bucket:
    """A bucket of an S3-compatible server; needs `boto3` (the extra `s3`)."""

    def __init__(self, bucket: str, prefix: str = "", client: Any = None) -> None:
        self.where = f"s3://{bucket}/{prefix}"
        self._bucket, self._prefix = bucket, f"{prefix}/" if prefix else ""
        self._client = client or _client()

    def has(self, key: str) -> bool:
        from botocore.exceptions import ClientError  # type: ignore[import-untyped,import-not-found,unused-ignore]

        try:
            self._client.head_object(Bucket=self._bucket, Key=self._prefix + key)
        except ClientError as error:
            if error.response["ResponseMetadata"]["HTTPStatusCode"] == 404:
                return False
            raise _refused(self.where, error) from error
        return True

    def read(self, key: str) -> Iterator[bytes]:
        body = self._call("get_object", Key=self._prefix + key)["Body"]
        with body:
            while chunk := body.read(_CHUNK):
                yield chunk

    def write(self, key: str, source: Path) -> None:
        from boto3.exceptions import S3UploadFailedError  # type: ignore[import-untyped,import-not-found,unused-ignore]
        from botocore.exceptions import BotoCoreError, ClientError  # type: ignore[import-untyped,import-not-found,unused-ignore]

        try:
            self._client.upload_file(str(source), self._bucket, self._prefix + key)
        except (BotoCoreError, ClientError, S3UploadFailedError) as error:
            raise _refused(self.where, error) from error

    def keys(self, prefix: str) -> list[tuple[str, int]]:
        found: list[tuple[str, int]] = []
        token: dict[str, str] = {}
        while True:
            page = self._call("list_objects_v2", Prefix=self._prefix + prefix, **token)
            found += [
                (item["Key"].removeprefix(self._prefix), item["Size"])
                for item in page.get("Contents", [])
            ]
            if not page.get("IsTruncated"):
                return sorted(found)
            token = {"ContinuationToken": page["NextContinuationToken"]}

    def remove(self, key: str) -> None:
        self._call("delete_object", Key=self._prefix + key)

    def _call(self, name: str, **arguments: Any) -> Any:
        from botocore.exceptions import BotoCoreError, ClientError  # type: ignore[import-untyped,import-not-found,unused-ignore]

        try:
            return getattr(self._client, name)(Bucket=self._bucket, **arguments)
        except (BotoCoreError, ClientError) as error:
            raise _refused(self.where, error) from error


def _client() -> Any:
    try:
        import boto3  # type: ignore[import-untyped,import-not-found,unused-ignore]
    except ImportError:
        raise UsageError(
            "an archive in a bucket needs boto3", do="pip install 'clawpro-artifact[s3]'"
        ) from None
    return boto3.client("s3")


def _refused(where: str, error: Exception) -> InfraError:
    return InfraError("the bucket refused", where=where, found=str(error)[:200], do="try again")
