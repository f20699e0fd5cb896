"""AlexNet's convolutions on the Eyeriss chip: row-stationary mappings with the parameters that its authors published, cycles beside the
chip's latency, and energy by component beside the figure of ISCA 2016."""

import json
import pathlib
import subprocess

COSTS = {"DRAM": 200.0, "register files": 1.0}  # of an access, in multiply-accumulates
SPADS = ["ifmap_spad", "weights_spad", "psum_spad"]

# A group of each layer: channels, filters, outputs, kernel, stride; how many groups; and JSSC 2017's parameters of the mapping: m filters
# and n images in the buffer, e rows of outputs in a set of elements, p filters and q channels in an element, r and t sets that take
# other channels and other filters.
LAYERS = {
    "conv1": dict(c=3, k=96, out=55, kernel=11, stride=4, groups=1, m=96, n=1, e=7, p=16, q=1, r=1, t=2),
    "conv2": dict(c=48, k=128, out=27, kernel=5, stride=1, groups=2, m=64, n=1, e=27, p=16, q=2, r=1, t=1),
    "conv3": dict(c=256, k=384, out=13, kernel=3, stride=1, groups=1, m=64, n=4, e=13, p=16, q=4, r=1, t=4),
    "conv4": dict(c=192, k=192, out=13, kernel=3, stride=1, groups=2, m=64, n=4, e=13, p=16, q=3, r=2, t=2),
    "conv5": dict(c=192, k=128, out=13, kernel=3, stride=1, groups=2, m=64, n=4, e=13, p=16, q=3, r=2, t=2),
}


def einsum(layer, batch):
    s = layer["stride"] if layer["stride"] > 1 else ""
    extents = {"R": layer["kernel"], "S": layer["kernel"], "P": layer["out"], "Q": layer["out"], "C": layer["c"], "K": layer["k"], "N": batch}
    text = f"Outputs[N,K,Q,P] += Weights[K,C,R,S] * Inputs[N,C,R+{s}P,S+{s}Q]"
    return text, ",".join(f"{name}={size}" for name, size in extents.items())


def rounded_up(a, b):
    return -(-a // b)


def factor(name, steps, extent=None):
    """"Q=7,6": seven steps, six where the loops around it are at their last, for they cover `extent` together."""
    if extent is None or steps == 1:
        return f"{name}={steps}"
    rest = extent % steps or steps
    return f"{name}={steps}" if rest == steps else f"{name}={steps},{rest}"


def mapping(layer, batch):
    """Loops outermost first; a set of more rows than columns of the array is folded: the rest of it lies below."""
    m, n, e, p, q, r, t = (layer[name] for name in "mnepqrt")
    columns, folds = (e, 1) if e <= 14 else (14, rounded_up(e, 14))
    beside = 14 // columns if folds == 1 and columns * t <= 14 else 1  # sets beside each other take other filters
    bands = rounded_up(layer["out"], e)
    dram = [f"Q={bands}", f"N={batch // n}", f"K={layer['k'] // m}", f"C={layer['c'] // (q * r)}"]
    glb = [f"K={m // (p * t)}", f"N={n}", f"P={layer['out']}"]
    across = [factor("Q", columns, layer["out"] if folds == 1 else None), f"K={min(t, beside)}"]
    down = [factor("Q", folds, layer["out"]), f"K={t // min(t, beside)}", f"C={r}", f"S={layer['kernel']}"]
    return [("DRAM", "temporal", dram), ("shared_glb", "temporal", glb), ("inter_PE_column_spatial", "spatial", across),
            ("inter_PE_spatial", "spatial", down), ("weights_spad", "temporal", [f"C={q}", f"R={layer['kernel']}"]), ("psum_spad", "temporal", [f"K={p}"])]


def mapping_text(layer, batch):
    keeps = {"DRAM": ["Weights", "Inputs", "Outputs"], "shared_glb": ["Inputs", "Outputs"], "inter_PE_column_spatial": [], "inter_PE_spatial": [],
             "ifmap_spad": ["Inputs"], "weights_spad": ["Weights"], "psum_spad": ["Outputs"]}
    lines = ["mapping:"]
    for target, kept in keeps.items():
        bypass = [name for name in ("Weights", "Inputs", "Outputs") if name not in kept]
        lines.append(f"- {{target: {target}, type: datatype, keep: [{', '.join(kept)}], bypass: [{', '.join(bypass)}]}}")
    for target, kind, factors in mapping(layer, batch):
        order = ", ".join(one.split("=")[0] for one in reversed(factors))
        split = ", split: 999" if kind == "spatial" and "column" in target else ", split: 0" if kind == "spatial" else ""
        quoted = ", ".join(f'"{one}"' for one in factors)
        lines.append(f"- {{target: {target}, type: {kind}, factors: [{quoted}], permutation: [{order}]{split}}}")
    return "\n".join(lines) + "\n"


def evaluated(program, folder, name, batch):
    layer = LAYERS[name]
    folder = pathlib.Path(folder) / "eyeriss"
    folder.mkdir(parents=True, exist_ok=True)
    path = folder / f"{name}-batch{batch}.mapping.yaml"
    path.write_text(mapping_text(layer, batch))
    text, extents = einsum(layer, batch)
    command = [program, "evaluate", "--arch", "eyeriss-chip", "--einsum", text, "--extents", extents, str(path), "--json"]
    answer = subprocess.run(command, capture_output=True, text=True, check=False)
    if answer.returncode:
        raise RuntimeError(f"{name}: {answer.stderr}")
    return json.loads(answer.stdout)["layers"][0]["evaluation"]


def words(evaluation, memory, *actions):
    found = next(one for one in evaluation["memories"] if one["name"] == memory)
    return sum(tensor[f"{action}_words"] for tensor in found["tensors"] for action in actions)


def components(evaluation, groups):
    """Of all groups, in 1e9 multiply-accumulates: the multipliers, DRAM, and what computing reads and writes in the register files."""
    accesses = {"DRAM": words(evaluation, "DRAM", "read", "update"), "register files": sum(words(evaluation, spad, "read", "update") for spad in SPADS)}
    return [groups * evaluation["computes"] / 1e9, *(groups * accesses[name] * cost / 1e9 for name, cost in COSTS.items())]


def tables(program, facts, out):
    cycles, energy = [], []
    for name, measured in facts["alexnet_batch_4"].items():
        groups = LAYERS[name]["groups"]
        evaluation = evaluated(program, out, name, 4)
        ms = groups * evaluation["cycles"] / 200e3
        units = evaluation["computes"] / evaluation["compute_cycles"]
        total = evaluation["energy_pj"]
        shares = {memory["name"]: memory["energy_pj"] / total for memory in evaluation["memories"]}
        cycles.append([name, f"{groups * evaluation['computes'] / 1e6:.1f}", f"{units:.1f}", measured["active_pes"], f"{ms:.1f}", measured["latency_ms"],
                       f"{100 * (ms / measured['latency_ms'] - 1):+.0f} %", *(f"{100 * shares[key]:.0f} %" for key in ("DRAM", "shared_glb")),
                       f"{100 * sum(shares[spad] for spad in SPADS):.0f} %"])
    figure = facts["isca16_fig10_alexnet_batch_16_1e9_mac_energies"]
    for name in LAYERS:
        found = components(evaluated(program, out, name, 16), LAYERS[name]["groups"])
        energy.append([name, *(f"{value:.2f} ({printed:.2f})" for value, printed in zip(found, figure[name])),
                       f"{max(abs(value - printed) for value, printed in zip(found, figure[name])):.3f}"])
    return [(["batch 4", "million MACs", "active units", "on the chip", "ms", "on the chip", "error", "DRAM's share of energy", "buffer's", "scratchpads'"], cycles),
            (["batch 16, 1e9 MAC energies (printed)", "multipliers", "DRAM", "register files", "largest difference"], energy)]
