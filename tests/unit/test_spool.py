"""the spool: what was kept comes back, and memory holds none of it."""

from __future__ import annotations

import tracemalloc

from clawpro_artifact.pipeline.spool import Part, Spool


def test_values_come_back_in_the_order_in_which_they_were_kept(tmp_path):
    spool: Spool[list[int]] = Spool(tmp_path)
    for name in "cab":
        spool.keep(name, [ord(name)])
    assert dict(spool) == {"c": [99], "a": [97], "b": [98]}
    assert list(Part(spool, sum).values()) == [99, 97, 98]
    assert not list(tmp_path.iterdir())


def test_memory_does_not_grow_with_what_is_kept(tmp_path):
    spool: Spool[bytes] = Spool(tmp_path)
    tracemalloc.start()
    for number in range(100):
        spool.keep(str(number), bytes(100_000))
    held = tracemalloc.get_traced_memory()[0]
    tracemalloc.stop()
    assert held < 500_000
    assert len(spool["99"]) == 100_000
