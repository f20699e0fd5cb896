"""The einsum of a layer in tilewright's reports: addresses for the plain loop, and the same layer in PyTorch."""

import math
import re

TENSOR = re.compile(r"(\w+)\[([^\]]*)\]")
TERM = re.compile(r"(?:(\d+)\*)?(\w+)$")


class Einsum:
    """`tensors` holds (name, ranks, written), operands first; a rank is a dictionary from dimensions to coefficients."""

    def __init__(self, extents, tensors):
        self.extents = extents
        self.tensors = tensors

    def operations(self):
        return math.prod(self.extents.values())

    def shape(self, ranks):
        return [1 + sum(factor * (self.extents[name] - 1) for name, factor in rank.items()) for rank in ranks]

    def strides(self, ranks):
        """By how many words the tensor moves with each dimension."""
        moves = dict.fromkeys(self.extents, 0)
        step = 1
        for rank, extent in zip(reversed(ranks), reversed(self.shape(ranks))):
            for name, factor in rank.items():
                moves[name] += factor * step
            step *= extent
        return [moves[name] for name in self.extents]

    def measure_words(self):
        """What measure.cpp wants to know: extents, strides, words."""
        words = [len(self.extents), *self.extents.values()]
        for _, ranks, _ in self.tensors:
            words += self.strides(ranks)
        return words + [math.prod(self.shape(ranks)) for _, ranks, _ in self.tensors]

    def convolution(self):
        """Arguments of a 2-D convolution, or None when this is something else."""
        tensors = {name: ranks for name, ranks, _ in self.tensors}
        size = lambda name: self.extents.get(name, 1)
        if set(tensors) != {"Weights", "Inputs", "Outputs"} or set(self.extents) - set("RSPQCKNG"):
            return None
        width, height = tensors["Inputs"][-2:]
        if set(width) != {"R", "P"} or set(height) != {"S", "Q"} or [set(rank) for rank in tensors["Outputs"][-2:]] != [{"Q"}, {"P"}]:
            return None
        groups = size("G")
        columns, rows = self.shape([width, height])
        return {"input": (size("N"), groups * size("C"), rows, columns), "weight": (groups * size("K"), size("C"), size("S"), size("R")),
                "stride": (height["Q"], width["P"]), "dilation": (height["S"], width["R"]), "groups": groups}

    def product(self):
        """(rows, inner, columns) of a matrix product written as a convolution, or None."""
        shape = self.convolution()
        if shape is None or any(self.extents.get(name, 1) != 1 for name in "RSPQG"):
            return None
        return self.extents["N"], self.extents["C"], self.extents["K"]

    def torch_work(self, torch):
        """A function that computes the layer once on the GPU, or None when PyTorch has no such layer."""
        random = lambda *shape: torch.randn(*shape, device="cuda")
        if product := self.product():
            rows, inner, columns = product
            first, second = random(rows, inner), random(inner, columns)
            return lambda: torch.matmul(first, second)
        if shape := self.convolution():
            inputs, weights = random(*shape["input"]), random(*shape["weight"])
            return lambda: torch.nn.functional.conv2d(inputs, weights, stride=shape["stride"], dilation=shape["dilation"],
                                                      groups=shape["groups"])
        return None


def read(report):
    """From the `einsum` of a layer in report.json."""
    extents = {dimension["name"]: dimension["extent"] for dimension in report["dimensions"]}
    ranks = {name: [rank_of(rank) for rank in text.split(",")] if text.strip() else []
             for name, text in TENSOR.findall(report["text"])}
    tensors = [(tensor["name"], ranks[tensor["name"]], tensor["written"]) for tensor in report["tensors"]]
    if [written for _, _, written in tensors] != [False, False, True]:
        raise ValueError(f"this study knows two operands and one result, in this order: {report['text']}")
    return Einsum(extents, tensors)


def rank_of(text):
    """"R+2*P" -> {"R": 1, "P": 2}"""
    rank = {}
    for term in text.replace(" ", "").split("+"):
        if term == "0":
            continue
        match = TERM.match(term)
        if match is None:
            raise ValueError(f"cannot read the index '{text}'")
        rank[match[2]] = rank.get(match[2], 0) + int(match[1] or 1)
    return rank
