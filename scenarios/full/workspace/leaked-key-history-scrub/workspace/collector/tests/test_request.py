import os
import unittest
from unittest import mock

from collector import config, request

HERE = os.path.dirname(__file__)


def shown(headers, secret):
    """Headers as the snapshots keep them."""
    return "".join(f"{k}: {v}\n" for k, v in headers.items())


class Requests(unittest.TestCase):
    def test_headers_carry_the_key(self):
        settings = {"url": "u", "key": "k-1", "batch": 1}
        self.assertEqual(request.headers(settings), {"X-Ingest-Key": "k-1"})

    def test_old_gateways_get_user_and_key(self):
        settings = {"url": "u", "key": "k-1", "batch": 1}
        self.assertEqual(request.headers(settings, True), {"X-Ingest-Auth": "aW5nZXN0OmstMQ=="})

    def test_snapshots_have_the_right_headers(self):
        for name, header in (("batch.txt", "X-Ingest-Key: "), ("batch-old.txt", "X-Ingest-Auth: ")):
            with open(os.path.join(HERE, "snapshots", name)) as file:
                self.assertTrue(any(line.startswith(header) for line in file))

    def test_settings(self):
        with mock.patch.dict(os.environ, {"TELEMETRY_KEY": "k-2"}):
            self.assertEqual(config.load("config/collector.toml")["batch"], 200)
