"""Results of Timeloop's hybrid search that are kept in docs/evidence/kept, a row each: it takes most of a minute for a layer."""

import csv
import pathlib

KEPT = pathlib.Path(__file__).resolve().parents[3] / "docs" / "evidence" / "kept" / "cosa_timeloop_hybrid.csv"
COLUMNS = ["machine", "objective", "layer", "streams", "seed", "seconds", "samples", "legal", "cycles", "energy_uj"]
SEED = 1  # of every search here


class Searches:
    """`streams`: of the search, 32 in the paper; `keep`: whether new results become rows of the file."""

    def __init__(self, streams=32, keep=False, path=KEPT):
        self.streams, self.keep, self.path = streams, keep, pathlib.Path(path)
        rows = csv.DictReader(self.path.read_text().splitlines()) if self.path.exists() else []
        self.rows = {(row["machine"], row["objective"], row["layer"]): row for row in rows if int(row["streams"]) == streams}

    def arguments(self):
        return ["--mapper", "timeloop-hybrid", "--streams", str(self.streams), "--timeout", "0"]

    def kept(self, machine, objective, layer):
        """As schedule_of() has it, with the seconds; None: not kept. What the search did not look for may be missing."""
        row = self.rows.get((machine, objective, layer))
        if row is None:
            return None
        return {"cycles": int(row["cycles"]) if row["cycles"] else None,
                "energy_pj": float(row["energy_uj"]) * 1e6 if row["energy_uj"] else None,
                "sampled": int(row["samples"]), "evaluations": int(row["legal"]), "seconds": float(row["seconds"])}

    def add(self, machine, objective, layer, found, seconds):
        if not self.keep or (machine, objective, layer) in self.rows:
            return
        row = dict(zip(COLUMNS, [machine, objective, layer, self.streams, SEED, f"{seconds:.1f}", found["sampled"], found["evaluations"],
                                 found["cycles"], f"{found['energy_pj'] * 1e-6:.4g}"]))
        self.rows[machine, objective, layer] = row
        with self.path.open("a", newline="") as file:
            csv.DictWriter(file, COLUMNS, lineterminator="\n").writerow(row)
