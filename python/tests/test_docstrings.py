"""Every function of the module says what each of its options is."""

import inspect
import re
import unittest

import tilewright


def functions():
    for name in [*tilewright.__all__, "map"]:
        made = getattr(tilewright, name)
        if inspect.isfunction(made) and name != "side_by_side":
            yield name, made
    for name in ("from_onnx", "from_torch", "from_einsum", "from_text", "of", "with_bits"):
        yield f"Network.{name}", getattr(tilewright.Network, name)


class Docstrings(unittest.TestCase):
    def test_every_option_is_described(self):
        seen = 0
        for name, function in functions():
            said = inspect.getdoc(function) or ""
            for option, parameter in inspect.signature(function).parameters.items():
                if option == "self" or parameter.kind in (parameter.VAR_KEYWORD, parameter.VAR_POSITIONAL):
                    continue
                seen += 1
                with self.subTest(f"{name}({option})"):
                    self.assertRegex(said, rf"\b{re.escape(option)}\b")
        self.assertGreater(seen, 60)

    def test_a_result_has_the_summary_of_its_report(self):
        result = tilewright.map(tilewright.Network("alexnet", layers="fc8"), "eyeriss")
        self.assertEqual(result.edp, result.edp_pj_cycles)
        self.assertEqual(sum(bound["layers"] for bound in result.summary["bounds"]), 1)
        self.assertGreater(result.summary["spilled_activations"]["bytes"], 0)


if __name__ == "__main__":
    unittest.main()
