import unittest

from shelfmark.isbn import check_digit_10


class Isbn(unittest.TestCase):
    def test_check_digit(self):
        self.assertEqual(check_digit_10("030640615"), "2")
