import unittest

from shelfmark.order import sort_headings


class Order(unittest.TestCase):
    def test_case_does_not_split_the_alphabet(self):
        self.assertEqual(sort_headings(["Zorn", "abel", "Mann"]), ["abel", "Mann", "Zorn"])

    def test_marks_do_not_split_the_alphabet(self):
        self.assertEqual(
            sort_headings(["Zorn", "\u00c9luard", "Eliot", "Emerson"]),
            ["Eliot", "\u00c9luard", "Emerson", "Zorn"],
        )

    def test_equal_headings_keep_their_order(self):
        self.assertEqual(sort_headings(["b", "a", "a"]), ["a", "a", "b"])
