import unittest

import charts


class Charts(unittest.TestCase):
    def test_drawn(self):
        self.assertEqual(charts.drawn(charts.bar("N4", 3)), "### N4")
