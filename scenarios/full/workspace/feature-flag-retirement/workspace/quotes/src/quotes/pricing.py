"""Prices of a shipment, in cents."""

from quotes.flags import flag
from quotes.zones import ZONES


def price(region, customer_class, kilos):
    """The price before discount."""
    if flag("new_pricing", region):
        return _base(kilos) + _zone_fee(region)
    amount = _base_2019(kilos)
    if region == "south":
        amount -= _south_rebate_2019(kilos)
    if region == "islands":
        amount += _ferry_2019(customer_class)
    return amount


def _base(kilos):
    return 390 + 55 * kilos


def _zone_fee(region):
    return ZONES[region] * 120


def _base_2019(kilos):
    steps = -(-kilos // 5)
    return 450 + 240 * steps


def _south_rebate_2019(kilos):
    return _rebate_step_2019(kilos) * 10


def _rebate_step_2019(kilos):
    return min(kilos // 10, 9)


def _ferry_2019(customer_class):
    return 310 if customer_class == "F" else 840
