"""Tokens a second of Llama-3-8B from `tilewright llm`, beside the sums of the layers that were measured on the H100 and the TPU v6e.

What was measured is one layer after the other, 32 blocks of them and the head. Two predictions: `llm`, which knows no software (an einsum is a
kernel), and the layers as the software runs them (software/, the machine's calibrated numbers)."""

import json
import subprocess

import kernels
import measured

BLOCKS = 32
ONCE = {"embedding", "final_layernorm", "lm_head"}
ATTENTION = {"h100": "masked", "tpu-v6e": "unfused"}  # as the software ran it
FILES = {"h100": ["H100-llama3.1-8b-layers.csv.gz"],
         "tpu-v6e": ["TPU-v6e-1-llama3.1-8b-layers.csv.gz", "TPU-v6e-1-llama3.1-8b-attention.csv.gz"]}
PROMPTS = [128, 512, 1024, 2048]
BATCHES = [1, 8, 64]
KEPT = 1024  # tokens in the cache, the one that is computed included


def layer_times(path):
    """us by layer and tokens."""
    lines = [line.split(",") for line in measured.text_of(path).splitlines()[1:]]
    return {(name, int(tokens)): float(ns) / 1e3 for name, tokens, _, devices, ns in lines if devices == "1"}


def attention_times(path):
    """us by new tokens of a prompt (0: decode), tokens kept and prompts; of rows that are there twice the first."""
    times = {}
    for line in measured.text_of(path).splitlines()[1:]:
        chunk, kept, batch, _, _, median, *_ = line.split(",")
        times.setdefault((int(chunk), int(kept), int(batch)), float(median) / 1e3)
    return times


def tokens_of(name, phase, batch, prompt):
    """Rows of a layer: the head and the norm before it are for the last token of each prompt."""
    if phase == "decode":
        return batch
    return 1 if name in ("final_layernorm", "lm_head") else prompt


def measured_us(layers, attention, phase, batch, prompt):
    """The sum of all layers, and whether attention is in it."""
    total = 0.0
    for name in {name for name, _ in layers} - {"attn"}:
        time = layers.get((name, tokens_of(name, phase, batch, prompt)))
        total += (time or 0.0) * (1 if name in ONCE else BLOCKS)
    key = (prompt, 0, 1) if phase == "prefill" else (0, KEPT, batch)
    one = attention.get(key) if attention else layers.get(("attn", prompt)) if phase == "prefill" else None
    return total + BLOCKS * (one or 0.0), one is not None


def software_us(program, machine, paths, phase, batch, prompt):
    """Measured and predicted sums of the layers that the software's list has."""
    rows = []
    for path in paths:
        for row in measured.rows_of(path):
            about = row.get("attention")
            if about and "kept" in about or about and "sequences" in about:
                wanted = (about.get("chunk") == prompt and about.get("kept") == 0 if phase == "prefill"
                          else about.get("sequences") == batch and about.get("kept_each") == KEPT)
            elif about:
                wanted = phase == "prefill" and row["tokens"] == prompt
            else:
                wanted = row["tokens"] == tokens_of(row["layer"], phase, batch, prompt)
            if wanted and not (about and any("attention" in other for other in rows)):
                rows.append(row)
    found, _ = kernels.predicted(program, machine, rows)
    times = [1 if row["layer"] in ONCE else BLOCKS for row in found]
    return (sum(count * row["us"] for count, row in zip(times, found)), sum(count * row["zoo"] for count, row in zip(times, found)))


def served(program, machine):
    command = [program, "llm", "--arch", machine, "--net", "llama3-8b", "--attention", ATTENTION[machine], "--json", "--batch", ",".join(map(str, BATCHES)),
               "--prompt", ",".join(map(str, PROMPTS)), "--context", str(KEPT - 1)]
    points = json.loads(subprocess.run(command, capture_output=True, text=True, check=True).stdout)["points"]
    return [point for point in points if point["phase"] == "decode" or point["batch"] == 1]


def rows(programs, machine, folder):
    """Of every point: phase, batch, tokens, what was measured and predicted (us), and whether attention is in both."""
    paths = [folder / name for name in FILES[machine]]
    layers = layer_times(paths[0])
    attention = attention_times(paths[1]) if len(paths) > 1 else {}
    result = []
    for point in served(programs / "tilewright", machine):
        phase, batch, prompt = point["phase"], point["batch"], point["tokens"]
        truth, whole = measured_us(layers, attention, phase, batch, prompt)
        seconds = point["seconds"] - (0.0 if whole else point["attention_seconds"])
        same, software = software_us(programs / "silicon_kernels", measured.machine_of(paths[0]), paths, phase, batch, prompt)
        result.append({"machine": machine, "phase": phase, "batch": batch, "tokens": prompt if phase == "prefill" else KEPT, "measured_us": truth,
                       "llm_us": seconds * 1e6, "has_attention": whole, "software_measured_us": same, "software_us": software})
    return result


def line(row):
    made = row["tokens"] if row["phase"] == "prefill" else row["batch"]
    error = row["measured_us"] / row["llm_us"] - 1.0  # of tokens a second
    software = row["software_measured_us"] / row["software_us"] - 1.0
    return [row["machine"], row["phase"], row["batch"], f"{row['tokens']:,}", "yes" if row["has_attention"] else "no", f"{made / row['measured_us'] * 1e6:,.0f}",
            f"{made / row['llm_us'] * 1e6:,.0f}", f"{100 * error:+.0f} %", f"{100 * software:+.0f} %"]


def table(found):
    return (["machine", "phase", "batch", "tokens", "with attention", "tokens/s, measured layers", "tokens/s, llm", "error", "error, software's kernels"],
            [line(row) for row in found])
