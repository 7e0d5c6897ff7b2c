"""Rounding of money."""


def cents(amount):
    """To cents."""
    return round(amount, 2)
