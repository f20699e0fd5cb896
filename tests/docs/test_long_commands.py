"""Commands of the blocks of all other pages (test_commands.py has the rest): minutes in all."""

import unittest

import test_commands


class LongCommands(test_commands.Commands):
    def run_the_other_pages(self):
        """All but those of a reader's own files."""
        pages = test_commands.others()
        self.assertGreater(len(pages), 15)
        run = sum(self.run_document(page, 0, False, lambda command: not test_commands.READERS_OWN.search(command)) for page in pages)
        self.assertGreater(run, 60)


def load_tests(loader, tests, pattern):
    """The long ones alone, not those that are inherited."""
    return unittest.TestSuite([LongCommands("run_the_other_pages")])
