"""Meter readings as they come."""


def parse(text):
    """A reading as a float; a comma is a decimal comma, points before it group thousands."""
    text = text.strip()
    if "," in text:
        text = text.replace(".", "").replace(",", ".")
    return float(text)
