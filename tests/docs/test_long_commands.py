"""Commands of the pages that take longer than the others (test_commands.py): minutes in all."""

import unittest

import test_commands


class LongCommands(test_commands.Commands):
    def run_long(self):
        return sum(self.run_document(path, 0, False, lambda command: not test_commands.READERS_OWN.search(command) and
                                     test_commands.LONG.search(command)) for path in test_commands.others())


def load_tests(loader, tests, pattern):
    """The long ones alone, not those that are inherited."""
    return unittest.TestSuite([LongCommands("run_long")])
