"""Units of energy, in kilowatt hours."""

from decimal import Decimal

FACTORS = {
    "kwh": Decimal("1"),
    "mwh": Decimal("1000"),
    "gj": Decimal("277.78"),
    "therm": Decimal("29.307"),
}


def to_kwh(amount, unit):
    """An amount in kilowatt hours, as a Decimal; the unit in any case."""
    return Decimal(str(amount)) * FACTORS[unit.lower()]
