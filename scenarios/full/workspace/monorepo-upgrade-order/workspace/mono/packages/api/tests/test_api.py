import unittest

import api
import core
import store


class Api(unittest.TestCase):
    def test_put_and_fetch(self):
        s = store.Store()
        answer = api.put(s, {"id": "d"})
        self.assertEqual(str(api.number(answer)), "1")
        self.assertEqual(core.unpack(api.fetch(s, api.number(answer))), {"id": "d"})
