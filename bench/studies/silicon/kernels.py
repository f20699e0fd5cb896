"""Layers of language models on GPUs and a TPU: roofline, data sheets alone, four calibrated numbers; by kind and by tokens."""

import json
import subprocess

import errors
import measured

BANDS = [(1, 16), (17, 128), (129, 512), (513, 2048)]
MODELS = ["roofline", "sheet", "calibrated", "zoo"]


def predicted(program, machine, rows, calibration=None):
    """Each row with its predictions, and the calibration that the named rows give (or the one that is given)."""
    about = measured.ABOUT["machines"][machine]
    request = {"rows": rows, "named": measured.named(machine, rows)}
    if calibration:
        request["calibration"] = calibration
    answer = subprocess.run([program, about["zoo"]], input=json.dumps(request), capture_output=True, text=True, check=True)
    answer = json.loads(answer.stdout)
    return [{**row, **values} for row, values in zip(rows, answer["rows"])], answer["calibration"]


def of_the_zoo(program, machine):
    """The numbers that the zoo's file of a machine has, calibrated on the rows that were given."""
    request = json.dumps({"rows": [], "named": {}})
    answer = subprocess.run([program, measured.ABOUT["machines"][machine]["zoo"]], input=request, capture_output=True, text=True, check=True)
    return json.loads(answer.stdout)["zoo"]


def pairs(rows, model):
    return [(row["us"], row[model]) for row in rows]


def band_of(row):
    if isinstance(row["tokens"], list):
        return None
    return next((f"{low} to {high}" for low, high in BANDS if low <= row["tokens"] <= high), "more")


def grouped(rows, key):
    groups = {}
    for row in rows:
        groups.setdefault(key(row), []).append(row)
    return groups


def products(rows):
    return [row for row in rows if row["kind"] == "matmul"]


def line(name, rows):
    cells = [errors.short(pairs(rows, model)) for model in MODELS]
    return [name, len(rows), *cells, f"{100 * errors.bias(pairs(rows, 'calibrated')):+.0f}"]


HEADER = ["layers", "rows", "roofline", "data sheets alone", "calibrated on named rows", "the zoo's file", "bias, %"]


def tables(rows):
    """Errors (median / 90th percentile, %) of all products, by kind and layer, and by tokens."""
    lines = []
    if products(rows):
        lines.append(line("all products", products(rows)))
        for band, some in grouped(products(rows), band_of).items():
            if band:
                lines.append(line(f"products, {band} tokens", some))
        for name, some in sorted(grouped(products(rows), lambda row: row["layer"]).items()):
            if name != "matmul":
                lines.append(line(name, some))
    for kind, some in sorted(grouped([row for row in rows if row["kind"] != "matmul"], lambda row: row["kind"]).items()):
        lines.append(line(kind, some))
    return HEADER, lines


def calibration_line(machine, values):
    """The four numbers in the data sheet's terms."""
    text = f"launch {values['launch_us']:.2f} us, bandwidth {values['bandwidth_share']:.3f}, rate {values['rate_share']:.3f}"
    if values["compiled_launch_us"] >= 0:
        text += f", compiled launch {values['compiled_launch_us']:.1f} us"
    if values["cache_bytes_per_us"] > 0:
        text += f", cache {values['cache_bytes_per_us'] / 1e6:.2f} TB/s"
    rows = ", ".join(f"{what}: {name} {tokens}" for what, (name, tokens) in measured.ABOUT["machines"][machine]["named"].items())
    return f"{text} ({rows})"


def worth(rows):
    """How much the mapper's answer depends on there being a choice: mappings compared, and how many answers split or take waves."""
    found = [row["mapping"] for row in products(rows)]
    if not found or found[0][4] == 1:
        return None
    return (f"{sum(mapping[4] for mapping in found):,} mappings of {len(found):,} products compared, all there are; {len({tuple(m[:2]) for m in found})} "
            f"tiles and {sum(m[2] > 1 for m in found):,} splits among the answers")
