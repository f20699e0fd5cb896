"""Gemmini's RTL cycles: what the zoo's machine predicts of each row, by cross-validation over shapes, and Gemmini's own tiling."""

import errors

HEADER = ["model", "rows", "median", "90th percentile", "worst", "bias", "rank"]


def line(name, pairs):
    one = errors.summary(pairs)
    return [name, one["cases"], *(errors.percent(one[key]) for key in ("median", "ninetieth", "worst", "bias")), f"{one['rank']:.4f}"]


def kind_of(row):
    c, k, n, p, q, r, s = row["shape"].split("_")
    return "matrix product" if row["product"] else f"{r}x{s}" + (" stride 2" if row["stride"] > 1 else "")


def table(rows):
    lines = [line("zoo's machine", pairs(rows, "predicted")), line("replayed tile by tile", pairs(rows, "replayed")), line("7 folds by shape", pairs(rows, "cross_validated"))]
    if all("timeloop" in row for row in rows):
        lines.append(line("Timeloop", pairs(rows, "timeloop")))
    return HEADER, lines


def pairs(rows, key):
    return [(row["measured"], row[key]) for row in rows]


def kinds(rows):
    """Errors by kind of layer, and what takes the time there."""
    by = {}
    for row in rows:
        by.setdefault(kind_of(row), []).append(row)
    lines = []
    for kind, some in sorted(by.items(), key=lambda item: -len(item[1])):
        bounds = [row["bound"] for row in some]
        common = max(sorted(set(bounds)), key=bounds.count)
        lines.append([kind, len(some), errors.short(pairs(some, "predicted")), errors.short(pairs(some, "timeloop")) if "timeloop" in some[0] else "-",
                      f"{common} ({bounds.count(common)} of {len(bounds)})"])
    return ["layer", "rows", "median / 90th percentile, %", "Timeloop's", "mostly bound by"], lines


def worst(rows, count=12):
    """The rows that are furthest off, with the cycles of a tile."""
    ordered = sorted(rows, key=lambda row: -abs(row["predicted"] / row["measured"] - 1))[:count]
    return ["C_K_N_P_Q_R_S", "tile", "predicted / measured", "load", "compute", "store", "bound"], [
        [row["shape"], row["tile"], f"{row['predicted'] / row['measured']:.2f}", *(round(row[key]) for key in ("load", "compute", "store")),
         row["bound"]] for row in ordered]


def own(rows):
    """Proven mappings of ours and DOSA's mappings beside Gemmini's own tiling: ratios of cycles in the model, and in RTL. The tiler's search
    runs on the host inside the measured call, so small layers flatter every mapping there."""
    rows = [row for row in rows if "own" in row]
    lines = []
    for name, some in (("all", rows), ("own tiling of 500,000 cycles and more", [row for row in rows if row["own_measured"] >= 5e5])):
        if some:
            ratios = [sorted(row["own"] / row["proven"] for row in some), sorted(row["predicted"] / row["proven"] for row in some),
                      sorted(row["own"] / row["predicted"] for row in some), sorted(row["own_measured"] / row["measured"] for row in some)]
            lines.append([name, len(some), *(f"{errors.percentile(one, 0.5):.2f} ({one[0]:.2f} to {one[-1]:.2f})" for one in ratios),
                          line("", [(row["own_measured"], row["own"]) for row in some])[2]])
    return ["rows", "number", "Gemmini's own tiling / proven, model", "DOSA's mapping / proven, model", "own / DOSA's, model", "own / DOSA's, RTL",
            "model's median error on own tilings"], lines
