"""same_outputs.py itself: it runs at least forty commands, finds nothing where there is nothing, and what is planted."""

import os
import pathlib
import tempfile
import unittest

import same_outputs

PROGRAM = os.environ["TILEWRIGHT"]
QUICK = ["show", "uneven", "scalesim", "nowhere", "eyeriss_like"]


class SameOutputs(unittest.TestCase):
    def quick(self):
        return [group for group in same_outputs.GROUPS if len(group) == 1 and any(word in group[0] for word in QUICK) and
                not group[0].startswith("map --arch eyeriss") and "salsa" not in group[0]]

    def test_it_has_forty_commands_of_every_verb_that_computes(self):
        self.assertGreaterEqual(len(same_outputs.COMMANDS), 40)
        verbs = {command.split()[0] for command in same_outputs.COMMANDS}
        self.assertEqual(verbs, {"map", "evaluate", "compare", "show", "explore", "schedule", "check", "plot", "report", "convert",
                                 "simulate", "calibrate"})

    def test_a_program_answers_as_itself(self):
        self.assertGreaterEqual(len(self.quick()), 8)
        for group in self.quick():
            self.assertEqual(same_outputs.differences(PROGRAM, PROGRAM, group), [])

    def test_one_changed_letter_is_found(self):
        """In what is printed and in a file that is written."""
        with tempfile.TemporaryDirectory() as folder:
            other = pathlib.Path(folder) / "other"
            other.write_text(f'#!/bin/sh\n"{PROGRAM}" "$@" | sed s/utilization/utilisation/\n'
                             '[ ! -f out/report.json ] || sed -i s/cycles/cycle/ out/report.json\n')
            other.chmod(0o755)
            found = same_outputs.differences(PROGRAM, str(other), [
                "evaluate examples/scalesim/machine.cfg examples/scalesim/products.csv -o out"])
        self.assertEqual([line.rpartition(": ")[2] for line in found if line.endswith(" differs")],
                         ["file out/report.json differs", "stdout differs"])


if __name__ == "__main__":
    unittest.main()
