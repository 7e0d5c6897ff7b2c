import sys
import unittest
from pathlib import Path
from unittest import mock

sys.path.insert(0, str(Path(__file__).parents[1] / "src"))

from quotes import discount, pricing


def flags(**on):
    """Flags by name, in every region."""
    return lambda name, region: on.get(name, False)


class Prices(unittest.TestCase):
    def test_new_price_in_the_north(self):
        with mock.patch("quotes.pricing.flag", flags(new_pricing=True)):
            self.assertEqual(pricing.price("north", "A", 10), 1060)

    def test_old_price_in_the_north(self):
        with mock.patch("quotes.pricing.flag", flags(new_pricing=False)):
            self.assertEqual(pricing.price("north", "A", 10), 930)

    def test_south_rebate_of_the_old_price(self):
        with mock.patch("quotes.pricing.flag", flags(new_pricing=False)):
            self.assertEqual(pricing.price("south", "A", 20), 1390)


class Discounts(unittest.TestCase):
    def test_both_areas_new(self):
        with mock.patch("quotes.discount.flag", flags(new_pricing=True, new_invoice=True)):
            self.assertEqual(discount.discount("south", "B"), 5)
