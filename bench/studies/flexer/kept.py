"""Answers by layer, a row each: a run that was cut short goes on with the next layer, and those that took hours are kept in
docs/evidence/kept."""

import csv
import json
import pathlib
import re

KEPT = pathlib.Path(__file__).resolve().parents[3] / "docs" / "evidence" / "kept" / "flexer_layers.csv"
KEY = ["network", "machine", "rule", "options", "layer"]
WHATS = ["latency_cycles", "traffic_bytes"]
FOUND = [f"{of}_{what}" for of in ("schedule", "baseline", "bounds") for what in WHATS]
COLUMNS = [*KEY, "repeats", *FOUND, "seconds"]


def shapes(shown):
    """Of what `tilewright show --net` prints: the names of the layers of each shape, in the order of the first ones. Strides are not
    told apart."""
    groups = {}
    for name, shape in re.findall(r"(?m)^  (\S+) +(?:Conv|Gemm) +\d+ +[\d,]+  (.+)$", shown):
        groups.setdefault(shape, []).append(name)
    return list(groups.values())


class Layers:
    """`out`: the file of a run's rows; with `keep` new ones become rows of KEPT."""

    def __init__(self, out, keep=False, path=KEPT):
        self.path = path if keep else out
        self.rows = {}
        for file in (path, out):
            for row in csv.DictReader(file.read_text().splitlines()) if file.exists() else []:
                self.rows[tuple(row[name] for name in KEY)] = row

    def starting_with(self, key, name):
        """The row whose first layer it is; None: there is none. `key`: without layers."""
        return next((row for known, row in self.rows.items() if known[:-1] == key and known[-1].split(",")[0] == name), None)

    def add(self, key, layer, seconds):
        """`key`: without layers."""
        key = (*key, ",".join(layer["names"]))
        found = [layer[of][what] for of in ("schedule", "baseline", "bounds") for what in WHATS]
        row = dict(zip(COLUMNS, [*key, layer["repeats"], *found, f"{seconds:.2f}"]))
        self.rows[key] = row
        fresh = not self.path.exists()
        with self.path.open("a", newline="") as file:
            writer = csv.DictWriter(file, COLUMNS, lineterminator="\n")
            if fresh:
                writer.writeheader()
            writer.writerow(row)


def report_of(rows):
    """The part of a report that the figures read."""
    layers = [{"names": row["layer"].split(","), "repeats": int(row["repeats"]),
               **{of: {what: int(row[f"{of}_{what}"]) for what in WHATS} for of in ("schedule", "baseline", "bounds")}} for row in rows]
    totals = {}
    for what in WHATS:
        for name, of in ((what, "schedule"), (f"baseline_{what}", "baseline"), (what.replace("_", "_bound_"), "bounds")):
            totals[name] = sum(layer["repeats"] * layer[of][what] for layer in layers)
    return {"layers": layers, "totals": totals}


def layers_of(folder):
    return json.loads((folder / "report.json").read_text())["layers"]
