"""The promise of docs/report.md: within the number of a schema fields are added, never changed or taken away.

tests/golden/documents has documents from before 0.2.0, and fields.txt: every field that their schemas had with 0.2.0. A line of
it is changed by a new number only; `python3 test_old_documents.py --write` adds the lines of fields that are new.
"""

import functools
import json
import sys
import unittest

import yaml
from program import ROOT, Case

try:
    import jsonschema
except ImportError:
    jsonschema = None

OLD = ROOT / "tests" / "golden" / "documents"
PROMISED = ["report-2", "fused-1", "fusion-1", "mapping-1"]
PRODUCT = ["--einsum", "O[m,n] += A[m,k] * B[k,n]", "--extents", "m=8,n=16,k=4"]
CHAIN = ["--einsum", "B[m,k] += A[m,e] * V[e,k]; C[m,n] += B[m,k] * W[k,n]", "--extents", "m=64,e=16,k=32,n=16"]


def schema_of(name):
    return json.loads((ROOT / "schemas" / f"{name}.schema.json").read_text())


def fields_of(schema):
    """{path: (types, whether it is always there)} of every field; a type inside itself is entered once."""
    found = {}

    def meant(node):
        return functools.reduce(lambda place, key: place[key], node["$ref"].split("/")[1:], schema) if "$ref" in node else node

    def enter(node, path, inside):
        if "$ref" in node:
            if node["$ref"] in inside:
                return
            inside = inside | {node["$ref"]}
            node = meant(node)
        for key, value in node.get("properties", {}).items():
            add(value, f"{path}.{key}", inside, key in node.get("required", []))
        for part in ("oneOf", "anyOf", "allOf"):
            for choice in node.get(part, []):
                enter(choice, path, inside)
        for part, sign in (("items", "[]"), ("additionalProperties", "*")):
            if isinstance(node.get(part), dict):
                add(node[part], f"{path}.{sign}", inside, False)

    def add(value, path, inside, always):
        before = found.get(path, (set(), True))
        found[path] = (before[0] | types_of(value), before[1] and always)
        enter(value, path, inside)

    def types_of(value):
        value = meant(value)
        kinds = value.get("type", [])
        kinds = set(kinds if isinstance(kinds, list) else [kinds])
        if "const" in value or "enum" in value:
            kinds.add("word")
        for part in ("oneOf", "anyOf"):
            for choice in value.get(part, []):
                kinds |= types_of(choice)
        return kinds

    enter(schema, "", frozenset())
    return found


def lines_of(name, schema):
    return [f"{name}{path} {'|'.join(sorted(types)) or 'any'}{' always' if always else ''}"
            for path, (types, always) in sorted(fields_of(schema).items())]


def changes(lines):
    """What of the recorded fields is no more, and which of the new ones older documents lack though they are always there."""
    recorded = (OLD / "fields.txt").read_text().splitlines()
    paths = {line.split(" ")[0] for line in recorded}
    return ([line for line in recorded if line not in lines]
            + [line for line in lines if line.endswith(" always") and line.split(" ")[0] not in paths])


class OldDocuments(Case):
    def all_lines(self):
        return [line for name in PROMISED for line in lines_of(name, schema_of(name))]

    def test_fields_are_added_and_never_changed(self):
        self.assertEqual(changes(self.all_lines()), [], "a new number for the schema, or the field as it was")

    def test_a_change_would_be_told(self):
        lines = self.all_lines()
        self.assertGreater(len(lines), 400)
        for number in (0, 100, -1):
            gone = [line for line in lines if line != lines[number]]
            self.assertEqual(changes(gone), [lines[number]])
            other = [line + "x" if line == lines[number] else line for line in lines]
            self.assertEqual(changes(other), [lines[number]])
        self.assertEqual(changes([*lines, "report-2.new number"]), [])
        self.assertEqual(changes([*lines, "report-2.new number always"]), ["report-2.new number always"])

    @unittest.skipIf(jsonschema is None, "python3-jsonschema is not installed")
    def test_the_schemas_take_them(self):
        for name in PROMISED:
            path = next(OLD.glob(f"{name}.*"))
            with self.subTest(document=path.name):
                schema = schema_of(name)
                document = (json.loads if path.suffix == ".json" else yaml.safe_load)(path.read_text())
                jsonschema.validators.validator_for(schema)(schema).validate(document)

    def test_the_program_reads_them(self):
        for command in (["report", OLD / "report-2.json", OLD / "fusion-1.json", "-o", "page.html"],
                        ["plot", "energy", OLD / "report-2.json", "-o", "energy.svg"],
                        ["plot", "fusion", OLD / "fusion-1.json", "-n", "2", "-o", "fusion.svg"],
                        ["evaluate", "--arch=simba-cosa", *PRODUCT, OLD / "mapping-1.yaml", "-q"],
                        ["evaluate", "--arch=fused-npu", "--set", "buffer.depth=2048", *CHAIN, "--fused-mapping",
                         OLD / "chain.fused", "-q"]):
            with self.subTest(command=command):
                result = self.run_program(*command)
                self.assertEqual((result.returncode, result.stderr), (0, ""))


if __name__ == "__main__":
    if sys.argv[1:] == ["--write"]:
        every = OldDocuments().all_lines()
        recorded = (OLD / "fields.txt").read_text().splitlines() if (OLD / "fields.txt").exists() else []
        (OLD / "fields.txt").write_text("".join(f"{line}\n" for line in recorded + [line for line in every if line not in recorded]))
    else:
        unittest.main()
