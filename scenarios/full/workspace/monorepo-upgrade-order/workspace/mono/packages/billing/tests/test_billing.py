import unittest

import billing
import ledgerfmt


class Billing(unittest.TestCase):
    def test_total(self):
        self.assertEqual(billing.total([ledgerfmt.line("a", 5), ledgerfmt.line("b", 7)]), "total=12")
