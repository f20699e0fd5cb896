"""The rules of MAESTRO's first public version (2019), by which the explorations of its paper went.

Restated from the sources (hoangt/MAESTRO at e300c1b for the analysis, maestro-project/maestro at e1eab62 for areas and
powers). test_study.py holds it to what those sources gave when they were run (shared/golden/maestro/dse.json): six
counts of valid designs, and their best ones. Each rule that differs from the exact analysis (docs/maestro.md) can be
switched off: that tells what it does to the numbers.
"""

import dataclasses

LAYERS = {"c2": {"K": 64, "C": 64, "R": 3, "S": 3, "Y": 224, "X": 224},
          "c11": {"K": 512, "C": 512, "R": 3, "S": 3, "Y": 14, "X": 14}}
TENSORS = {"weight": "KCRS", "input": "CYX", "output": "KYX"}
LATENCY = 1
L1_ENERGY, L2_ENERGY, MAC_ENERGY = 2.91, 32.2, 1.73  # of an access, of a multiply-accumulate
AREA_MM2, POWER_MW = 16.0, 450.0


@dataclasses.dataclass(frozen=True)
class Rules:
    """True: as the sources have it."""

    breaks: bool = True         # the first tile of output channels over a limit ends the row of larger ones
    drops_folds: bool = True    # of 73 tiles on 72 units there is one fold, and it has the one tile that is left over
    truncates: bool = True      # where a tile does not divide its dimension, the rest is dropped
    windows: bool = True        # an output tile is as large as the window of inputs
    whole_filter: bool = True   # row-stationary: each unit of a cluster holds all rows of filter and window
    one_element: bool = True    # NVDLA: the window of inputs is one element, as Table 2 prints it


def ceil_div(dividend, divisor):
    return -(-dividend // divisor)


class Design:
    """NVDLA's or the row-stationary ("rs") dataflow on a layer: tiles of c input and k output channels."""

    def __init__(self, flow, layer, units, c, k, rules):
        self.extents, self.units, self.rules = LAYERS[layer], units, rules
        if flow == "nvdla":
            window = 1 if rules.one_element else 3
            self.order, self.spatial, self.unrolled, cluster = "RSCYXK", "K", "", 1
            self.size = {"R": 3, "S": 3, "C": c, "Y": window, "X": window, "K": k}
            self.offset = {"R": 3, "S": 3, "C": c, "Y": 1, "X": 1, "K": k}
        else:
            rows = 3 if rules.whole_filter else 1
            self.order, self.spatial, self.unrolled, cluster = "KCY*X", "X", "RS", 3  # *: the cluster, over X
            self.size = {"K": k, "C": c, "Y": rows, "X": 3, "*": 3, "R": rows, "S": 3}
            self.offset = {"K": k, "C": c, "Y": 1, "X": 1}
        self.output_size = dict(self.size, **({} if rules.windows else {"Y": 1, "X": 1}))
        self.tiles = units // cluster
        positions = self.positions(self.spatial)
        if rules.drops_folds:
            self.folds = max(positions // self.tiles, 1)
            self.edge = positions % self.tiles or self.tiles
        else:
            self.folds = ceil_div(positions, self.tiles)
            self.edge = positions - (self.folds - 1) * self.tiles
        self.steps = 1
        for axis in self.order:
            if axis not in (self.spatial, "*"):
                self.steps *= self.positions(axis)
        self.stays = {tensor: self.steps_that_stay(tensor) for tensor in TENSORS}

    def positions(self, axis):
        if self.rules.truncates:
            return max(self.extents[axis] // self.offset[axis], 1)
        return ceil_div(self.extents[axis], self.offset[axis])

    def words(self, tensor, in_time=False, in_space=False):
        """Of a tile; only those that are new in the next step, for the neighbour, or for both."""
        size = self.output_size if tensor == "output" else self.size
        count = 1
        for axis in TENSORS[tensor]:
            if axis in self.unrolled:
                count *= 1 if in_space and not in_time else size[axis]
                continue
            moves = in_space if axis == self.spatial else in_time
            count *= min(size[axis], self.offset[axis]) if moves else size[axis]
        return count

    def steps_that_stay(self, tensor):
        """How many steps a tensor stays, by maps below its first one and above the spatial one that it does not have."""
        if self.spatial in TENSORS[tensor]:
            return 1
        steps, has_begun = 1, False
        for axis in self.order[:self.order.index(self.spatial)]:
            if axis in TENSORS[tensor]:
                has_begun = True
            elif has_begun:
                steps *= max(self.extents["X" if axis == "*" else axis] // self.size[axis], 1)
        return steps

    def l1_bytes(self):
        return 2 * sum(self.words(tensor) for tensor in TENSORS)

    def l2_bytes(self):
        tiles = self.edge if self.folds == 1 else self.tiles
        return sum(self.words(tensor) + (tiles - 1) * self.words(tensor, in_space=True) for tensor in TENSORS)

    def l2_reads(self, tensor, in_space=True):
        def sent(in_time, tiles):
            return self.words(tensor, in_time) + (tiles - 1) * self.words(tensor, in_time, in_space)

        stays = self.stays[tensor]
        first = sent(False, self.edge) + (self.folds - 1) * sent(False, self.tiles)
        later = sent(True, self.edge) // stays + (self.folds - 1) * (sent(True, self.tiles) // stays)
        return first + (self.steps - 1) * later

    def energy(self):
        """Of L1 and L2, in the units of the sources."""
        l1 = l2 = 0
        for tensor, axes in TENSORS.items():
            tile = self.words(tensor)
            l1 += self.steps * ((self.folds - 1) * self.tiles + self.edge) * (self.units // self.tiles) * tile
            l1 += self.l2_reads(tensor, False) * (tile // self.words(tensor, in_space=True))
            whole = 1
            for axis in axes:
                whole *= self.extents[axis]
            l2 += self.l2_reads(tensor) + whole
        return L1_ENERGY * l1 + L2_ENERGY * l2

    def counted_share(self):
        """Tiles that the energies count, of all that the layer has."""
        counted = self.steps * ((self.folds - 1) * self.tiles + self.edge)
        all_steps = 1
        for axis in self.order:
            if axis != "*":
                all_steps *= ceil_div(self.extents[axis], self.offset[axis])
        return counted / all_steps

    def cycles(self, bandwidth):
        def delay(words):
            return LATENCY + ceil_div(words, bandwidth) - 1

        def sent(tiles, in_space):
            return sum((self.words(tensor) + (tiles - 1) * self.words(tensor, in_space=in_space)) // self.stays[tensor]
                       for tensor in ("weight", "input"))

        busy = delay(self.tiles * self.words("output", True, True)) + max(self.words("weight"), self.words("input"))
        at_edge, whole = sent(self.edge, True), sent(self.tiles, True)
        total = delay(self.edge * (self.words("weight") + self.words("input")))
        total += max(self.folds - 2, 0) * max(delay(sent(self.edge, False)), busy) + max(delay(at_edge), busy)
        # The traffic of the fold before is not taken back.
        total += (self.steps - 1) * (self.folds - 1) * max(delay(at_edge + sent(self.tiles, False)), busy)
        return total + (self.steps - 1) * max(delay(whole), busy)


def area_and_power(units, bandwidth, l1_bytes, l2_bytes):
    """mm2 and mW (examples/explore/cost_28nm.yaml)."""
    cells1, cells2 = max(ceil_div(l1_bytes, 64), 1), max(ceil_div(l2_bytes, 32768), 1)
    bus = 14.662 * units + 28.895
    arbiter = 1.2886 * units ** 2 + 5.5814 * units - 23.711
    area = (units * (4470.9014 + 4505.1889 * cells1) + 4161.536 * cells2 + 101.7938 * bus * bandwidth
            + max(395.473 * arbiter, 395.473))
    power = (units * (1.2223 + 0.2208 * cells1) + 4.0 * cells2 + 0.8e-3 * bus * bandwidth + max(0.34e-3 * arbiter, 0.34))
    return area * 1e-6, power


def fits(units, bandwidth, l1_bytes, l2_bytes):
    area, power = area_and_power(units, bandwidth, l1_bytes, l2_bytes)
    return area < AREA_MM2 and power < POWER_MW


def channel_tiles(flow, layer, units, bandwidth, rules, largest=10**9):
    """The designs of which one with this bandwidth, the least, is within the limits. `largest`: tile."""
    for c in range(1, min(LAYERS[layer]["C"], largest) + 1):
        for k in range(1, min(LAYERS[layer]["K"], largest) + 1):
            design = Design(flow, layer, units, c, k, rules)
            l1_bytes = design.l1_bytes()
            if fits(units, bandwidth, l1_bytes, design.l2_bytes()):
                yield design, c, k
            elif rules.breaks or not fits(units, bandwidth, l1_bytes, 0):
                break


def valid_counts(flow, layer, units, bandwidths, rules=Rules(), largest=10**9):
    """By units: how many designs are valid."""
    counts = {}
    for count in units:
        counts[count] = 0
        for design, _, _ in channel_tiles(flow, layer, count, bandwidths[0], rules, largest):
            l1_bytes, l2_bytes = design.l1_bytes(), design.l2_bytes()
            for bandwidth in bandwidths:
                if not fits(count, bandwidth, l1_bytes, l2_bytes):
                    break
                counts[count] += 1
    return counts


def best_designs(flow, layer, units, bandwidths, rules=Rules()):
    """The design with the most throughput and the one with the least energy, ties by the other."""
    operations = 1
    for axis in "KCRSYX":
        operations *= LAYERS[layer][axis]
    best = {}
    for count in units:
        for design, c, k in channel_tiles(flow, layer, count, bandwidths[0], rules):
            energy, l1_bytes, l2_bytes = design.energy(), design.l1_bytes(), design.l2_bytes()
            fitting = [bandwidth for bandwidth in bandwidths if fits(count, bandwidth, l1_bytes, l2_bytes)]
            bandwidth = fitting[-1]  # more of it is never slower
            cycles = design.cycles(bandwidth)
            area, power = area_and_power(count, bandwidth, l1_bytes, l2_bytes)
            row = {"units": count, "c": c, "k": k, "noc": bandwidth, "cycles": cycles, "energy": energy,
                   "throughput": operations / cycles, "l1": l1_bytes, "l2": l2_bytes, "area": area, "power": power,
                   "share": design.counted_share()}
            for name, key in (("throughput", (cycles, energy)), ("energy", (energy, cycles))):
                if name not in best or key < best[name][0]:
                    best[name] = (key, row)
    return {name: row for name, (_, row) in best.items()}
