import unittest

import core


class Core(unittest.TestCase):
    def test_round_trip(self):
        record = {"id": "crate-7", "bay": "N4"}
        self.assertEqual(core.unpack(core.pack(record)), record)
