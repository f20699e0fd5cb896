#!/usr/bin/env python3
"""Grids that the four rows of MAESTRO's Table 3 may have been explored on: how many designs are valid on each of a family, by the rules
of its sources and by ours.

    bench/studies/explore/grids.py             # row-stationary: 16 seconds
    bench/studies/explore/grids.py --quick     # a part of the family

The numbers of explored designs say how many counts of units (31, row-stationary 28) and of bandwidths (31) a grid has, not which. The
family: units from FIRST by TICK, bandwidths likewise, with all channel tiles. Needs Python 3 alone."""

import argparse
import collections
import math

import first_public

UNITS = {"nvdla": 31, "rs": 28}
BANDWIDTHS = 31
VALID = {"nvdla c2": 175_861, "nvdla c11": 260_028, "rs c2": 319_268, "rs c11": 115_209}
RULES = {"of its sources": first_public.Rules(),
         "exact": first_public.Rules(breaks=False, drops_folds=False, truncates=False, one_element=False, windows=False, whole_filter=False)}
FIRST_UNITS, UNIT_TICKS = range(1, 65), range(1, 17)
FIRST_BANDWIDTHS, BANDWIDTH_TICKS = range(1, 33), range(1, 17)
QUICK = (range(16, 41, 8), range(1, 9, 7), range(1, 9, 7), range(2, 5, 2))


class Sizes:
    """Buffers of the designs of one flow, layer and rules: what does not depend on the units is kept."""

    def __init__(self, flow, layer, rules):
        self.flow, self.layer, self.rules = flow, layer, rules
        self.extents = first_public.LAYERS[layer]
        self.cluster = 3 if flow == "rs" else 1
        self.kept = {}

    def of(self, c, k):
        """Words of the tiles, of those that are new for the neighbour, and how often the spatial axis is taken."""
        if (c, k) not in self.kept:
            design = first_public.Design(self.flow, self.layer, self.cluster, c, k, self.rules)
            words = (sum(design.words(tensor, in_space=space) for tensor in first_public.TENSORS) for space in (False, True))
            self.kept[c, k] = (*words, design.positions(design.spatial))
        return self.kept[c, k]

    def bytes(self, units, c, k):
        """L1 and L2."""
        words, next_words, positions = self.of(c, k)
        tiles = units // self.cluster
        if self.rules.drops_folds:
            folds, edge = max(positions // tiles, 1), positions % tiles or tiles
        else:
            folds = -(-positions // tiles)
            edge = positions - (folds - 1) * tiles
        return 2 * words, words + ((edge if folds == 1 else tiles) - 1) * next_words

    def largest_bandwidths(self, units):
        """How many designs have which largest bandwidth within the limits. Sizes grow with the tiles, so that the first that does not
        fit ends its row; area and power grow evenly with the bandwidth."""
        found = collections.Counter()
        if units < self.cluster:
            return found
        area, power = first_public.area_and_power(units, 0, 0, 0)
        area2, power2 = first_public.area_and_power(units, 1, 0, 0)
        for c in range(1, self.extents["C"] + 1):
            for k in range(1, self.extents["K"] + 1):
                own_area, own_power = first_public.area_and_power(units, 0, *self.bytes(units, c, k))
                most = min((first_public.AREA_MM2 - own_area) / (area2 - area), (first_public.POWER_MW - own_power) / (power2 - power))
                if most <= 1:
                    break
                found[math.ceil(most) - 1] += 1
            if k == 1:
                break
        return found


def valid_by_bandwidths(found, first, tick):
    """How many of these designs and of 31 bandwidths are within the limits."""
    return sum(min((most - first) // tick + 1, BANDWIDTHS) * count for most, count in found.items() if most >= first)


def counts(flow, layer, rules, family):
    """By grid (first units, their tick, first bandwidth, its tick)."""
    first_units, unit_ticks, first_bandwidths, bandwidth_ticks = family
    last = first_units[-1] + unit_ticks[-1] * (UNITS[flow] - 1)
    needed = sorted({first + tick * i for first in first_units for tick in unit_ticks for i in range(UNITS[flow])})
    sizes = Sizes(flow, layer, rules)
    by_units = [{}] * (last + 1)
    for units in needed:
        by_units[units] = sizes.largest_bandwidths(units)
    result = {}
    for bandwidth in first_bandwidths:
        for bandwidth_tick in bandwidth_ticks:
            valid = [valid_by_bandwidths(found, bandwidth, bandwidth_tick) for found in by_units]
            for first in first_units:
                for tick in unit_ticks:
                    result[first, tick, bandwidth, bandwidth_tick] = sum(valid[first:first + tick * UNITS[flow]:tick])
    return result


def search(family, flows):
    """Lines of a table: of each rule and flow, the grids with the paper's numbers."""
    lines = ["| rules | row | paper | grids with it | nearest | its grid | both rows on one grid, at best off by |", "|---|---|---|---|---|---|---|"]
    for name, rules in RULES.items():
        for flow in flows:
            found = {layer: counts(flow, layer, rules, family) for layer in first_public.LAYERS}
            paper = {layer: VALID[f"{flow} {layer}"] for layer in found}
            both = min(max(abs(found[layer][grid] / paper[layer] - 1) for layer in found) for grid in found["c2"])
            behind = sum(found["c2"][grid] > found["c11"][grid] for grid in found["c2"])
            for layer, by_grid in found.items():
                grid = min(by_grid, key=lambda one: (abs(by_grid[one] - paper[layer]), one))
                exact = sum(valid == paper[layer] for valid in by_grid.values())
                lines.append(f"| {name} | {flow} {layer} | {paper[layer]:,} | {exact} | {by_grid[grid]:,} | "
                             f"units {grid[0]} by {grid[1]}, bandwidths {grid[2]} by {grid[3]} | {100 * both:.1f} % |")
            lines.append(f"| {name} | {flow}: C2 ahead of C11 | | {behind} of {len(found['c2']):,} | | | |")
    return lines


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--quick", action="store_true", help="a part of the family")
    parser.add_argument("--flows", default="rs", help="of nvdla, rs (default rs)")
    options = parser.parse_args()
    family = QUICK if options.quick else (FIRST_UNITS, UNIT_TICKS, FIRST_BANDWIDTHS, BANDWIDTH_TICKS)
    print("\n".join(search(family, options.flows.split(","))))


if __name__ == "__main__":
    main()
