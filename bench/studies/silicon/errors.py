"""Relative errors of predictions and their summary."""

import statistics


def errors(pairs):
    """|predicted / measured - 1| of (measured, predicted), sorted."""
    return sorted(abs(predicted / measured - 1.0) for measured, predicted in pairs)


def percentile(ordered, share):
    """Between the two nearest in proportion."""
    place = (len(ordered) - 1) * share
    low = int(place)
    high = min(low + 1, len(ordered) - 1)
    return ordered[low] + (ordered[high] - ordered[low]) * (place - low)


def bias(pairs):
    return statistics.median(predicted / measured - 1.0 for measured, predicted in pairs)


def ranks(values):
    """Equal values share the mean of their places."""
    order = sorted(range(len(values)), key=values.__getitem__)
    result, first = [0.0] * len(values), 0
    while first < len(order):
        last = first
        while last + 1 < len(order) and values[order[last + 1]] == values[order[first]]:
            last += 1
        for i in range(first, last + 1):
            result[order[i]] = (first + last) / 2
        first = last + 1
    return result


def rank_correlation(pairs):
    a, b = ranks([pair[0] for pair in pairs]), ranks([pair[1] for pair in pairs])
    mean = (len(a) - 1) / 2
    both = sum((x - mean) * (y - mean) for x, y in zip(a, b))
    own = (sum((x - mean) ** 2 for x in a) * sum((y - mean) ** 2 for y in b)) ** 0.5
    return both / own if own else 0.0


def summary(pairs):
    ordered = errors(pairs)
    return {"cases": len(ordered), "median": percentile(ordered, 0.5), "ninetieth": percentile(ordered, 0.9), "worst": ordered[-1],
            "bias": bias(pairs), "rank": rank_correlation(pairs)}


def percent(share):
    return f"{100 * share:.1f} %"


def short(pairs):
    """"3.5 / 18.5": median and 90th percentile in percent."""
    ordered = errors(pairs)
    return f"{100 * percentile(ordered, 0.5):.1f} / {100 * percentile(ordered, 0.9):.1f}"
