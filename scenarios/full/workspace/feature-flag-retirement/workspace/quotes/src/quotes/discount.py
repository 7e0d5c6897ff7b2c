"""Discounts, in percent."""

from quotes.flags import flag

AREAS = ("pricing", "invoice")


def discount(region, customer_class):
    """Two percent for each area that works the new way, one more for class B."""
    percent = 2 * sum(flag(f"new_{area}", region) for area in AREAS)
    return percent + (1 if customer_class == "B" else 0)
