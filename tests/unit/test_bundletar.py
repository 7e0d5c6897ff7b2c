from __future__ import annotations

import io
import tarfile

import pytest

from clawpro_artifact.errors import InputError
from clawpro_artifact.formats import bundletar

LONG = "data/" + "d" * 90 + "/" + "f" * 99


def tar_of(*files: tuple[str, bytes]) -> bytes:
    return b"".join(bundletar.write("release-1", [(p, len(d), [d]) for p, d in files]))


def test_python_reads_the_tar_as_it_was_written() -> None:
    data = tar_of(("bagit.txt", b"x" * 513), (LONG, b"long"), ("data/é/a", b""))
    with tarfile.open(fileobj=io.BytesIO(data)) as tar:
        found = [(m.name, m.type, m.mode, m.size, m.uid, m.gid, m.mtime) for m in tar]
        content = tar.extractfile(f"release-1/{LONG}")
        assert content is not None
        assert content.read() == b"long"
    assert found == [
        ("release-1", b"5", 0o755, 0, 0, 0, 0),
        ("release-1/bagit.txt", b"0", 0o644, 513, 0, 0, 0),
        ("release-1/data", b"5", 0o755, 0, 0, 0, 0),
        ("release-1/data/" + "d" * 90, b"5", 0o755, 0, 0, 0, 0),
        (f"release-1/{LONG}", b"0", 0o644, 4, 0, 0, 0),
        ("release-1/data/é", b"5", 0o755, 0, 0, 0, 0),
        ("release-1/data/é/a", b"0", 0o644, 0, 0, 0, 0),
    ]


@pytest.mark.parametrize(
    "files",
    [
        [("b", b""), ("a", b"")],
        [("a", b""), ("a", b"")],
        [("../a", b"")],
        [("/a", b"")],
    ],
)
def test_files_out_of_order_or_with_unsafe_names_are_not_written(
    files: list[tuple[str, bytes]],
) -> None:
    with pytest.raises(InputError):
        tar_of(*files)


@pytest.mark.parametrize("size", [0, 2, 4])
def test_content_of_another_size_is_not_written(size: int) -> None:
    with pytest.raises(InputError, match=f"{size} bytes"):
        b"".join(bundletar.write("r", [("a", size, [b"xyz"])]))


def test_a_file_too_large_for_ustar_is_refused() -> None:
    bundletar.encode(bundletar.Header("a", 8 * 2**30 - 1))
    with pytest.raises(InputError, match="too large for the bundle's tar"):
        bundletar.encode(bundletar.Header("a", 8 * 2**30))


def test_a_header_survives_decoding() -> None:
    for path, size in (("r/", 0), ("r/a", 5), (f"r/{LONG}", 2**33 - 1)):
        header = bundletar.Header(path, size)
        assert bundletar.decode(bundletar.encode(header), "t") == header
