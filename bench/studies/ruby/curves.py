"""Figure 7's curves: the best so far over random mappings, as mean of many runs, and their picture."""

import math
from bisect import bisect_right

COLORS = {"perfect": "#1b6ca8", "ruby": "#c0392b", "ruby-s": "#2d8a4e", "ruby-t": "#b9770e"}
WIDTH, HEIGHT, LEFT, TOP, RIGHT, BOTTOM = 430, 300, 62, 34, 26, 44


def mean(searches, streams, each):
    """`searches`: of `compare --json`, `streams` of them in a row are one run. Mean over the runs of the best so far, after so many
    mappings of all streams together, and the best of all."""
    checkpoints = sorted({*(step for step in (1, 2, 4, 8, 17, 42, 83, 208) if step < each), each})
    runs = [searches[first:first + streams] for first in range(0, len(searches), streams)]
    curve = [(streams * at, sum(min(best_by(one, at) for one in run) for run in runs) / len(runs)) for at in checkpoints]
    return {"best": min(best_by(one, each) for one in searches), "curve": curve}


def best_by(search, evaluations):
    """Score of the best mapping of a search after so many evaluations; every search starts with a legal one."""
    found = search["improvements"]
    return found[bisect_right([one["evaluations"] for one in found], evaluations) - 1]["score"]


def shown(curve):
    """Of a curve, where the table has it."""
    spent = [at for at, _ in curve]
    return spent[::2] if spent[-1] in spent[::2] else [*spent[::2], spent[-1]]


def picture(parts):
    """SVG: a panel for each part (its title, and curves by rule), two in a row, both axes logarithmic."""
    panels = []
    for number, (title, by_rule) in enumerate(parts.items()):
        values = [value for curve in by_rule.values() for _, value in curve]
        low, high = math.log10(min(values)) - 0.05, math.log10(max(values)) + 0.05
        first, last = (math.log10(at) for at in (next(iter(by_rule.values()))[0][0], next(iter(by_rule.values()))[-1][0]))
        def x(at, first=first, last=last):
            return LEFT + (math.log10(at) - first) / (last - first) * (WIDTH - LEFT - RIGHT)
        def y(value, low=low, high=high):
            return TOP + (high - math.log10(value)) / (high - low) * (HEIGHT - TOP - BOTTOM)
        shapes = [f'<text x="{LEFT}" y="20" font-size="13">{title}</text>',
                  f'<rect x="{LEFT}" y="{TOP}" width="{WIDTH - LEFT - RIGHT}" height="{HEIGHT - TOP - BOTTOM}" fill="none" stroke="#999"/>',
                  f'<text x="{(LEFT + WIDTH) // 2}" y="{HEIGHT - 8}" text-anchor="middle">mappings</text>']
        for at in (10 ** power for power in range(math.ceil(first), math.floor(last) + 1)):
            shapes.append(f'<text x="{x(at):.1f}" y="{HEIGHT - BOTTOM + 16}" text-anchor="middle">{at:,}</text>')
        for tick in (step * 10.0 ** power for power in range(math.floor(low), math.ceil(high)) for step in (1, 2, 5)):
            if low <= math.log10(tick) <= high:
                shapes.append(f'<text x="{LEFT - 6}" y="{y(tick) + 4:.1f}" text-anchor="end">{tick:.0e}</text>'
                              f'<path d="M{LEFT} {y(tick):.1f}H{WIDTH - RIGHT}" stroke="#eee"/>')
        for place, (rule, curve) in enumerate(by_rule.items()):
            path = " ".join(f"{x(at):.1f},{y(value):.1f}" for at, value in curve)
            shapes.append(f'<polyline points="{path}" fill="none" stroke="{COLORS[rule]}" stroke-width="1.6"/>'
                          f'<text x="{WIDTH - RIGHT - 8}" y="{TOP + 16 + 15 * place}" text-anchor="end" '
                          f'fill="{COLORS[rule]}">{rule}</text>')
        panels.append(f'<g transform="translate({number % 2 * WIDTH} {number // 2 * HEIGHT})">{"".join(shapes)}</g>')
    height = HEIGHT * -(-len(parts) // 2)
    return (f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {2 * WIDTH} {height}" font-family="sans-serif" font-size="11">'
            f'<rect width="100%" height="100%" fill="white"/>{"".join(panels)}</svg>\n')
