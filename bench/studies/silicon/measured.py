"""Public files of measured layers as rows: which layer, how many tokens, how long, and the work that the layer is.

A file's header says its form, its name the machine (machines.json) and the model ("70b", else 8b)."""

import csv
import gzip
import json
import pathlib
import re

HERE = pathlib.Path(__file__).resolve().parent
ABOUT = json.loads((HERE / "machines.json").read_text())
LONG_ROW = 1024  # elements; a compiled norm reads longer rows twice, the library's softmax three times


def machine_of(path):
    """The name that machines.json has; longer names first, for one may end another."""
    for name in sorted(ABOUT["machines"], key=len, reverse=True):
        if name in str(path):
            return name
    raise SystemExit(f"no machine that is known in the name of {path}: {', '.join(ABOUT['machines'])}")


def model_of(path):
    return ABOUT["models"]["70b" if re.search("70b", str(path), re.IGNORECASE) else "8b"]


def software_of(machine):
    name = ABOUT["machines"][machine]["software"]
    return json.loads((HERE / "software" / f"{name}.json").read_text())


def text_of(path):
    path = pathlib.Path(path)
    return gzip.open(path, "rt").read() if path.suffix == ".gz" else path.read_text()


def rows_of(path):
    """A list of {"layer", "kind", "tokens", "us", and "product", "stream" or "attention"}."""
    machine, model, text = machine_of(path), model_of(path), text_of(path)
    first = text.split("\n", 1)[0]
    if first.startswith("layer_name,"):
        return layer_rows(machine, model, csv.DictReader(text.splitlines()))
    if first.startswith("layer,tokens"):
        return [row for one in csv.DictReader(text.splitlines())
                for row in [layer(software_of(machine), model, one["layer"], int(one["tokens"]), float(one["time_us"]))] if row]
    if first.startswith("prefill_chunk,"):
        return engine_attention(model, csv.DictReader(text.splitlines()))
    if first.startswith("prefill_chunk_size,"):
        return tpu_attention(model, csv.DictReader(text.splitlines()))
    return operator_rows(path, text)


def size(name, model):
    """"h", "2i" or "q+2kv" in words of the model."""
    return sum(int(factor or 1) * model[letter] for factor, letter in re.findall(r"(\d*)([a-z]+)", name))


def layer(software, model, name, tokens, us):
    """A row, or None for a layer that the software's list does not have."""
    about = software["layers"].get(name)
    if about is None:
        return None
    row = {"layer": name, "tokens": tokens, "us": us}
    if "product" in about:
        columns, depth = about["product"]
        return {**row, "kind": "matmul", "product": {"rows": tokens, "columns": size(columns, model), "depth": size(depth, model),
                                                     "weights_resident": about.get("weights_resident", False)}}
    words = sum(size(one, model) for one in about["width"]) * tokens
    stream = {"kernels": about["kernels"], **{key: about.get(key, 0) * words for key in ("ideal_bytes", "bytes", "cold_bytes")}}
    return {**row, "kind": about["kind"], "stream": stream}


def layer_rows(machine, model, table):
    software = software_of(machine)
    alone = [one for one in table if one.get("tp_size", "1") == "1"]  # else a layer is cut over several machines
    table = [(one["layer_name"], int(one["input"]), float(one["latency(ns)"]) / 1e3) for one in alone]
    ups = {tokens for name, tokens, _ in table if name == "up_proj"}
    rows = []
    for name, tokens, us in table:
        if name == "attn" and software["attention"] == "masked":
            rows.append({"layer": name, "kind": "attention", "tokens": tokens, "us": us, "attention": attention(model, "masked", chunk=tokens)})
            continue
        row = layer(software, model, name, tokens, us)
        if row and machine.startswith("TPU"):
            row = as_tagged(row, model, tokens in ups)
        if row:
            rows.append(row)
    return rows


def as_tagged(row, model, has_up):
    """What a tag of the TPU's trace holds: the time of up_proj is in gate_proj at 1 token, and in down_proj as long as it has no rows of
    its own; lm_head at 1 token is twice as fast as its bytes allow; norms but these are at a floor of no meaning."""
    name, tokens = row["layer"], row["tokens"]
    if (name == "lm_head" and tokens == 1) or (name == "post_layernorm" and tokens != 2):
        return None
    if name == "gate_proj" and tokens == 1:
        row["product"]["columns"] = 2 * model["i"]
    if name == "down_proj" and tokens > 1 and not has_up:
        row["product"]["depth"] = 2 * model["i"]
    return row


def attention(model, kind, **sizes):
    return {"heads": model["heads"], "head_width": model["head_width"], "key_heads": model["key_heads"], "kind": kind, **sizes}


def engine_attention(model, table):
    rows = []
    for one in table:
        chunk, kept, sequences, each = (int(one[name]) for name in ("prefill_chunk", "kv_prefill", "n_decode", "kv_decode"))
        if (chunk == 0) == (sequences == 0):
            continue  # both in one batch, or neither
        kind = "attention, prefill" if chunk else "attention, decode"
        rows.append({"layer": kind, "kind": kind, "tokens": chunk + kept if chunk else each, "us": float(one["time_us"]),
                     "attention": attention(model, "flash", chunk=chunk, kept=kept, sequences=sequences, kept_each=each)})
    return rows


def tpu_attention(model, table):
    rows = []
    for one in table:
        chunk, kept, sequences = (int(one[name]) for name in ("prefill_chunk_size", "kv_cache_size", "batch_size"))
        us = float(one["p50_ns"]) / 1e3
        if one["is_prefill"] == "True":
            sizes = {"chunk": chunk, "kept": kept}
        else:
            sizes = {"sequences": sequences, "kept_each": kept}
        kind = "attention, prefill" if "chunk" in sizes else "attention, decode"
        rows.append({"layer": kind, "kind": kind, "tokens": chunk + kept if "chunk" in sizes else kept, "us": us,
                     "attention": attention(model, "unfused", **sizes)})
    return rows


def operator_rows(path, text):
    """LLMCompass' files: m, n, k, ms and T/s of products; rows, columns and G elements/s of others (GELU: elements)."""
    operator = re.search("(matmul|softmax|layernorm|gelu)_", pathlib.Path(path).name)
    if not operator:
        raise SystemExit(f"{path}: a file of no form that is known")
    name, rows = operator.group(1), []
    for line in filter(str.strip, text.splitlines()):
        numbers = [float(re.sub("[^0-9.eE+-]", "", word.replace("Tflops", "").replace("ms", ""))) for word in line.split(",")]
        if name == "matmul":
            m, n, k = map(int, numbers[:3])
            rows.append({"layer": name, "kind": name, "tokens": [m, n, k], "us": numbers[3] * 1e3,
                         "product": {"rows": m, "columns": n, "depth": k}})
            continue
        sizes = [int(number) for number in numbers[:-1]]
        elements = sizes[0] * (sizes[1] if len(sizes) > 1 else 1)
        once = 4.0 * elements
        again = 0.0 if len(sizes) == 1 or sizes[1] <= LONG_ROW else {"layernorm": once / 2, "softmax": once}[name]
        rows.append({"layer": name, "kind": name, "tokens": sizes, "us": elements / (numbers[-1] * 1e3),
                     "stream": {"ideal_bytes": once, "bytes": once + again, "repeated_bytes": again, "is_compiled": name != "softmax"}})
    return rows


def named(machine, rows):
    """By what is calibrated: the number of the row that machines.json names, where the file has it."""
    result = {}
    for what, (name, tokens) in ABOUT["machines"][machine]["named"].items():
        result[what] = next((i for i, row in enumerate(rows) if row["layer"] == name and row["tokens"] == tokens), None)
    return result
