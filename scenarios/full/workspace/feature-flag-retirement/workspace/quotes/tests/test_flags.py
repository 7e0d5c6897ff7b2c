import sys
import unittest
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parents[1] / "src"))

from quotes.flags import flag


class Flags(unittest.TestCase):
    def test_a_region_goes_before_the_default(self):
        self.assertTrue(flag("new_invoice", "south"))
        self.assertFalse(flag("new_invoice", "north"))
