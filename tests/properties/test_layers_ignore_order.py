"""A layer is a function of the set of its members."""

from __future__ import annotations

import io
import random

from hypothesis import given
from hypothesis import strategies as st

from clawpro_artifact.formats import tar

NAMES = st.text(alphabet="abAB.-_é", min_size=1, max_size=120).filter(
    lambda n: n not in (".", "..") and not n.startswith(".wh.")
)


@given(st.dictionaries(NAMES, st.binary(max_size=600), max_size=8), st.randoms())
def test_the_order_in_which_files_come_does_not_matter(
    files: dict[str, bytes], order: random.Random
) -> None:
    members = [tar.file_of(name, data) for name, data in files.items()]
    first, second = io.BytesIO(), io.BytesIO()
    one = tar.write_layer(members, first, mtime=0)
    order.shuffle(members)
    assert (tar.write_layer(members, second, mtime=0), second.getvalue()) == (one, first.getvalue())
