import unittest

import api
import store


class Store(unittest.TestCase):
    def test_header_counts(self):
        s = store.Store()
        s.add({"id": "a"})
        s.add({"id": "b"})
        self.assertEqual((s.count(), s.get(2)), (2, {"id": "b"}))

    def test_the_contract_with_api(self):
        s = store.Store()
        self.assertTrue(api.accepted(api.put(s, {"id": "c"})))
        self.assertEqual(s.count(), 1)
