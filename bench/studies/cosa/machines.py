"""The machines of the CoSA paper (its Table V and section V-B), and schedules of its Figures 3 and 4."""

import itertools

from inputs import replaced

DIMENSIONS = "RSPQCKN"


def machines(zoo):
    baseline = zoo["simba-cosa"]
    # The paper doubles the bandwidth of DRAM and of the network on chip; ours has no bound on the latter.
    wide = replaced(zoo["simba-cosa-large"], ("read_bandwidth: 10\n", "read_bandwidth: 20\n"), ("write_bandwidth: 10\n", "write_bandwidth: 20\n"))
    # Buffers of a processing element doubled, the global one eight times as large.
    sram = replaced(baseline, ("name: simba_cosa\n", "name: simba_cosa_sram\n"), ("{depth: 8192,", "{depth: 65536,"),
                    ("{depth: 512,", "{depth: 1024,"), ("{depth: 2048,", "{depth: 4096,"), ("depth: 64\n", "depth: 128\n"))
    # Table V has 32 KB for weights in a processing element, of which half is being filled: 2 KB for each of 8 lanes. The released
    # architecture has eight times as much; all else is the same.
    table5 = replaced(baseline, ("name: simba_cosa\n", "name: simba_cosa_table5\n"), ("{depth: 2048,", "{depth: 256,"))
    return {"baseline": baseline, "Table V": table5, "64 PEs": wide, "large SRAM": sram}


def nest(loops):
    """A mapping file. `loops`: by level and kind, factors from the inside outwards; what is not named is 1."""
    text = "mapping:\n"
    for level, keep, spatial in [("DRAM", "Weights Inputs Outputs", False), ("GlobalBuffer", "Inputs Outputs", False), ("inter_PE_spatial", "", True),
                                 ("InputBuffer", "Inputs", False), ("inter_lane_spatial", "", True), ("WeightBuffer", "Weights", False),
                                 ("AccumulationBuffer", "Outputs", False), ("inter_vector_mac_spatial", "", True), ("Registers", "Weights", False)]:
        kept = keep.split()
        passed = [tensor for tensor in ("Weights", "Inputs", "Outputs") if tensor not in kept]
        text += f"- {{target: {level}, type: datatype, keep: [{', '.join(kept)}], bypass: [{', '.join(passed)}]}}\n"
        if spatial:
            text += f"- {{target: {level}, type: temporal, {factors({})}}}\n"
        text += f"- {{target: {level}, type: {'spatial' if spatial else 'temporal'}, {factors(loops.get(level, {}))}{', split: 7' if spatial else ''}}}\n"
    return text


def factors(loops):
    rest = [d for d in DIMENSIONS if d not in loops]
    sizes = " ".join(f"{d}={loops.get(d, 1)}" for d in [*loops, *rest])
    return f"factors: {sizes}, permutation: {''.join([*loops, *rest])}"


def ordered(order):
    """Figure 3: R = S = 3, P = Q = 8, C = 32, K = 1024; the loops at the global buffer in this order, outermost first."""
    sizes = {"P": 8, "C": 4, "K": 4}
    return nest({"DRAM": {"K": 2}, "GlobalBuffer": {d: sizes[d] for d in reversed(order)}, "inter_PE_spatial": {"K": 16}, "inter_lane_spatial": {"K": 8},
                 "AccumulationBuffer": {"R": 3, "S": 3}, "inter_vector_mac_spatial": {"C": 8}, "Registers": {"Q": 8}})


def spread(spatial):
    """Figure 4: R = S = 1, P = Q = 16, C = 256, K = 1024; factors of 4 of P, C and K are shared out between the 16
    processing elements (`spatial`) and the global buffer's loops."""
    left = {d: 4 // spatial.get(d, 1) for d in "CPK"}
    return nest({"DRAM": {"C": 2, "K": 8}, "GlobalBuffer": left, "inter_PE_spatial": spatial, "inter_lane_spatial": {"K": 8},
                 "WeightBuffer": {"K": 4}, "AccumulationBuffer": {"C": 4}, "inter_vector_mac_spatial": {"C": 8}, "Registers": {"P": 4, "Q": 16}})


FIGURE_3 = "3_8_32_1024_1"
TITLE_3 = "Figure 3: orders at the global buffer, outermost first; R = S = 3, P = Q = 8, C = 32, K = 1024"
FIGURE_4 = "1_16_256_1024_1"
TITLE_4 = "Figure 4: what 16 processing elements share; R = S = 1, P = Q = 16, C = 256, K = 1024"


def all_orders():
    """The mappings of Figure 3, by the order of their loops."""
    return {"".join(order): ordered(order) for order in itertools.permutations("CKP")}


def all_shares():
    """The mappings of Figure 4, by what 16 elements share."""
    found = {}
    for shares in itertools.product((1, 2, 4), repeat=3):
        if shares[0] * shares[1] * shares[2] == 16:
            spatial = {d: share for d, share in zip("PCK", shares) if share > 1}
            found["".join(f"{d}{share}" for d, share in spatial.items())] = spread(spatial)
    return found
