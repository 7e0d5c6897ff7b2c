import unittest

import admin


class Admin(unittest.TestCase):
    def test_healthy(self):
        self.assertTrue(admin.healthy(admin.status([{"id": "e"}, {"id": "f"}])))

    def test_nothing_put_is_not_healthy(self):
        self.assertFalse(admin.healthy(admin.status([])))
