import unittest

import charts
import reports


class Reports(unittest.TestCase):
    def test_heading_over_a_bar(self):
        page = [reports.text(reports.heading("Bays", 2026)), charts.drawn(charts.bar("N4", 1))]
        self.assertEqual(page, ["Bays 2026", "# N4"])
