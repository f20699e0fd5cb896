"""A compiler's pass in Python: tiles for the products of a model, and a table for those of every batch.

Usage: pass.py RULES MACHINE"""

import sys

import tilewright

tiles = tilewright.Tiles(sys.argv[1], sys.argv[2])
for m, n, k in ((1, 4096, 4096), (512, 4096, 14336)):
    answer = tiles.ask(M=m, N=n, K=k)
    print(m, n, k, answer.claim, answer.format("triton"), end="")
table = tiles.table(M=range(1, 513), N=4096, K=4096, loss=0.05)
print(len(table.intervals), "intervals; M = 100:", table.lookup(100).point)
