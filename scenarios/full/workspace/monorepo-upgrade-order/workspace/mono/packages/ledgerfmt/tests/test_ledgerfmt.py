import unittest

import ledgerfmt


class Ledger(unittest.TestCase):
    def test_cents(self):
        self.assertEqual(ledgerfmt.cents(ledgerfmt.line("4400", -1250)), -1250)
