import unittest

from shelfmark.aliases import AliasTable


class Aliases(unittest.TestCase):
    def test_a_catalogue_overrides_an_abbreviation(self):
        table = AliasTable({"St.": "street"})
        self.assertEqual(table.expand("Main st. guides"), "Main street guides")

    def test_b_standard_abbreviations_without_additions(self):
        self.assertEqual(AliasTable().expand("St. Gallen"), "saint Gallen")

    def test_c_the_same_heading_in_another_catalogue(self):
        self.assertEqual(AliasTable().expand("Main st. guides"), "Main saint guides")
