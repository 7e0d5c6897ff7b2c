"""The status page."""

import api
import store
import wire


def status(records):
    """The status line after putting some records."""
    s = store.Store()
    answers = [api.put(s, r) for r in records]
    good = sum(api.accepted(a) for a in answers)
    return wire.encode({"good": good, "rows": s.count()})


def healthy(line):
    """Whether all that was put was accepted."""
    fields = wire.decode(line)
    return fields["good"] == fields["rows"] != "0"
