"""Every bad input of cases/ gets its one message: at its place, in bounded memory, with nothing written."""

import pathlib
import unittest

from cases import first_line, read, run

FOLDER = pathlib.Path(__file__).resolve().parent / "cases"
LEAST = 300


class BadInput(unittest.TestCase):
    maxDiff = None

    def check(self, case):
        status, out, err, written = run(case)
        line = first_line(err)
        expected = case.answer.removesuffix("...")
        self.assertEqual(line[:len(expected)] if case.answer.endswith("...") else line, expected)
        self.assertEqual(status, case.status)
        self.assertEqual(written, set(), "nothing is written")
        self.assertNotRegex(err + out, rb"[\x00-\x08\x0b-\x1f\x7f]", "nothing that a terminal would obey")
        (err + out).decode()  # and all of it is text
        if case.status == 2:
            self.assertTrue(out == b"" or case.command[0] == "check", "check also says what is sound")
            self.assertNotIn(b"defect of tilewright", err)

    def test_there_are_many(self):
        cases = [case for path in FOLDER.glob("*.txt") for case in read(path)]
        self.assertGreaterEqual(len(cases), LEAST)
        self.assertEqual(len({(case.name, str(case)) for case in cases}), len(cases))


def add_tests():
    for path in sorted(FOLDER.glob("*.txt")):
        def test(self, cases=read(path)):
            for case in cases:
                with self.subTest(f"{case.place} {case.name}"):
                    self.check(case)
        setattr(BadInput, f"test_{path.stem}", test)


add_tests()

if __name__ == "__main__":
    unittest.main()
