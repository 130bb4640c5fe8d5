import unittest

from slugs import slug


class SlugTest(unittest.TestCase):
    def test_words_are_joined(self):
        self.assertEqual(slug("Hello, World!"), "hello-world")

    def test_accents_are_kept(self):
        # Known to be wrong since the first version.
        self.assertEqual(slug("Café"), "cafe")


if __name__ == "__main__":
    unittest.main()
