"""A pass of a compiler: 3,000 operations of 40 shapes get mappings, on four threads with one cache, each within a budget and all of them
until another thread says stop (compiler_pass.py 1000: once 1,000 have theirs). Prints answers a second."""

from __future__ import annotations

import concurrent.futures
import sys
import time
from typing import Dict, List, Tuple

import tilewright

OPERATIONS, SHAPES, THREADS = 3000, 40, 4

Shape = Tuple[str, Dict[str, int]]


def operations() -> List[Shape]:
    """What a pass is given: an operation is a product of matrices or a convolution, and most are like others."""
    shapes: List[Shape] = []
    for i in range(1, SHAPES // 2 + 1):
        shapes.append(("Outputs[m,n] += Inputs[m,k] * Weights[k,n]", {"m": 16 * i, "n": 128, "k": 64}))
        shapes.append(("Outputs[k,p] += Weights[k,c,r] * Inputs[c,p+r]", {"k": 8 * i, "p": 14, "c": 16, "r": 3}))
    return [shapes[i * 7 % SHAPES] for i in range(OPERATIONS)]


def main(enough: int) -> int:
    machine = tilewright.Architecture("eyeriss").with_unnamed("ignore")
    cache = tilewright.AnswerCache()
    stop = tilewright.StopSource()
    options: tilewright.MapOptions = {"threads": 1, "layer_time_limit": 10.0, "cache": cache, "stop": stop}
    energies: List[float] = []

    def answer(operation: Shape) -> None:
        if stop.requested():
            return
        text, extents = operation
        layer = tilewright.Network.of([("operation", text, extents)])
        result = tilewright.map(layer, machine, **options)
        if not result.interrupted:
            energies.append(result["operation"].energy_pj)
        if len(energies) >= enough:
            stop.request()

    begin = time.perf_counter()
    with concurrent.futures.ThreadPoolExecutor(THREADS) as pool:
        list(pool.map(answer, operations()))
    seconds = time.perf_counter() - begin
    print(f"{len(energies)} of {OPERATIONS} operations mapped{', stopped' if stop.requested() else ''}; {cache.found()} answers were known")
    print(f"{len(energies) / seconds:.0f} answers a second")
    print(f"{sum(energies) * 1e-6:.4f} uJ")
    return 0 if len(energies) == OPERATIONS or stop.requested() else 1


if __name__ == "__main__":
    sys.exit(main(int(sys.argv[1]) if len(sys.argv) > 1 else OPERATIONS + 1))
