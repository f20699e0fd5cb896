"""Inputs made from the zoo's files, and means of what comes out."""

import math


def replaced(text, *changes):
    """Each (old, new) has to apply exactly once: the zoo's files may change."""
    for old, new in changes:
        if text.count(old) != 1:
            raise ValueError(f"{old!r} is {text.count(old)} times in the zoo's file, not once")
        text = text.replace(old, new)
    return text


def geomean(values):
    return math.exp(sum(map(math.log, values)) / len(values))
