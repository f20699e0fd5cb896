"""What docs/papers.md says of a figure, in one line: its key there, and the figures."""

from figures import front_means, share
from inputs import geomean
from points import edp, network


def figure7(result):
    ends = {part: {rule: found["curve"][-1][1] for rule, found in by_rule.items()} for part, by_rule in result.items()}
    def over_perfect(one):
        return ", ".join(f"{rule} {one[rule] / one['perfect']:.2f}" for rule in ("ruby-s", "ruby-t", "ruby"))
    return "Ruby Fig. 7: " + "; ".join(f"({part}) {over_perfect(one)}" for part, one in ends.items() if len(part) == 1)


def figure8(result):
    by = {one["extent"]: one for one in result}
    def over(what, extent):
        return by[extent][what] / by[extent]["ruby-s"]
    return (f"Ruby Fig. 8: padding at 127: {over('padded', 127):.3f}; at 113: {over('padded', 113):.3f}; "
            f"perfect at 127: {over('perfect', 127):.1f} times")


def figure9(result):
    hand, perfect, ruby = result["passes by hand"], result["perfect"], result["ruby-s"]
    used = ", ".join(f"{100 * one['utilization']:.1f} %" for one in (perfect, hand, ruby))
    return (f"Ruby Fig. 9: used by perfect, by hand, by Ruby-S: {used}; Ruby-S over by hand: EDP {share(edp(ruby), edp(hand))}, "
            f"energy {share(ruby['energy_pj'], hand['energy_pj'])}, accesses of the buffer "
            f"{share(ruby['memories']['shared_glb']['accesses'], hand['memories']['shared_glb']['accesses'])}")


def by_network(key):
    def line(result):
        old, new = network(result["perfect"]), network(result["ruby-s"])
        gains = [edp(one) / edp(other) for one, other in zip(result["ruby-s"], result["perfect"])]
        return (f"{key}: EDP {share(edp(new), edp(old))}, energy {share(new['energy_pj'], old['energy_pj'])}, cycles "
                f"{share(new['cycles'], old['cycles'])}; mean of shapes {share(geomean(gains), 1.0)}, best {share(min(gains), 1.0)}")
    return line


def arrays(key):
    def line(result):
        rows = dict((what, over) for what, over, _, _ in front_means(result["points"], result["random"]))
        return (f"{key}: mean of arrays {rows['mean of all arrays']}, best array {rows['best array']}, "
                f"on the front {next(over for what, over in rows.items() if what.startswith('mean of the front'))}")
    return line


def table1(result):
    return "Ruby Table I: " + "; ".join(f"{rule} {', '.join(map(str, counts))}" for rule, counts in result.items())


LINES = {"I": table1, "7": figure7, "8": figure8, "9": figure9, "10": by_network("Ruby Fig. 10"), "11": by_network("Ruby Fig. 11"),
         "12": by_network("Ruby Fig. 12"), "12b": by_network("Ruby Fig. 12, 9 elements"), "13": arrays("Ruby Fig. 13a"),
         "13b": arrays("Ruby Fig. 13b")}
