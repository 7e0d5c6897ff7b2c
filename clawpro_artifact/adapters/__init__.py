"""the only code that touches the world (engine, sockets, keys, clock, disk)."""
