"""The proof wing speaks the field's words: private ones that were replaced do not come back."""

import pathlib
import re
import unittest

ROOT = pathlib.Path(__file__).resolve().parents[2]
FOLDERS = ["src/mapper/optimal", "src/certificate", "src/mapspace", "src/model", "src/schedule", "src/run", "tools/tilewright"]
REPLACED = {  # by what
    "asleep": "idled", "put_to_sleep": "without_savings", "wakes": "resumes", "closes_up": "repacks", "may_close_up": "may_repack",
    "close up": "repack", "dive": "narrow search", "forget_wires": "relax_wires", "Later": "LargerBound", "Bill": "PartialCost",
    "Coming": "Deliveries", "Mark": "Pruning", "what lives": "which labels survive", "united": "union_size", "LooseBound": "CompulsoryBound",
    "Together": "DisjointSets", "HomelessEvaluator": "RelocatedEvaluator", "GivenBeside": "ProvidedInputs", "Leniency": "Relaxation",
    "PerfectPoint": "TilingPoint", "takes its time": "searches until it is proven"}


# Sentences have a subject of the field's: a leaf, an operation, a file.
PERSONS = re.compile(r"\b(somebody|nobody|anybody)\b", re.IGNORECASE)
SENTENCES = ["src", "tools", "include", "report-ui/src", "python/tilewright", "python/binding", "schemas", "data/arch", "docs"]


def found_in(text):
    return sorted(word for word in REPLACED if re.search(rf"\b{re.escape(word)}\b", text))


class Words(unittest.TestCase):
    def test_replaced_words_do_not_come_back(self):
        read = 0
        for folder in FOLDERS:
            for path in sorted((ROOT / folder).rglob("*.[ch]pp")):
                read += 1
                self.assertEqual(found_in(path.read_text()), [], path.relative_to(ROOT))
        self.assertGreater(read, 400)

    def test_no_sentence_is_about_somebody(self):
        read = 0
        for folder in SENTENCES:
            for path in sorted((ROOT / folder).rglob("*")):
                if path.suffix not in (".cpp", ".hpp", ".ts", ".py", ".json", ".yaml", ".md") or "evidence" in path.parts:
                    continue
                read += 1
                self.assertEqual(PERSONS.findall(path.read_text()), [], path.relative_to(ROOT))
        self.assertGreater(read, 1000)
        self.assertEqual(PERSONS.findall("// Nobody's: nobody_asks"), ["Nobody"])

    def test_a_planted_word_is_found(self):
        self.assertEqual(found_in("// of those that are asleep, what lives: a Bill; sleepless Billing\n"), ["Bill", "asleep", "what lives"])


if __name__ == "__main__":
    unittest.main()
