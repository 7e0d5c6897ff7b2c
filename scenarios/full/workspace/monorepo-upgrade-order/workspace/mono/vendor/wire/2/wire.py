"""wire 2: messages as text."""


def encode(fields):
    """key=value pairs joined by semicolons; every value becomes text."""
    return ";".join(f"{k}={v}" for k, v in fields.items())


def decode(message):
    """The fields of a message, all values as text."""
    return dict(part.split("=", 1) for part in message.split(";") if part)
