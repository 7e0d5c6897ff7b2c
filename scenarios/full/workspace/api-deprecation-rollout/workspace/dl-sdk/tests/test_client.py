import unittest

from dl import create_client, from_config, shorten_all


class ClientTest(unittest.TestCase):
    def test_默认值(self):
        self.assertEqual(create_client("https://a.example").attempts(), 4)

    def test_配置里不认识的键(self):
        with self.assertRaises(ValueError):
            from_config({"base": "https://a.example", "colour": 1})

    def test_批量(self):
        self.assertEqual(shorten_all("https://a.example", ["u"]), [("u", 2)])
