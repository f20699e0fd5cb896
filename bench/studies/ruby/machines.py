"""The machines of the study, made from the zoo's."""

import re

from inputs import replaced

TOY = """# {units} processing elements with a scratchpad of 1 KiB each, under DRAM.
architecture:
  version: 0.4
  nodes:
  - !Container
    name: toy{units}
    attributes: {{technology: "45nm", datawidth: 8}}
  - !Component
    name: DRAM
    class: DRAM
    attributes: {{type: LPDDR4, width: 64}}
  - !Container
    name: PE
    spatial: {{meshX: {units}}}{constraints}
  - !Component
    name: scratchpad
    class: smartbuffer_SRAM
    attributes: {{depth: 1024, width: 8}}
  - !Component
    name: mac
    class: intmac
    attributes: {{multiplier_width: 8, adder_width: 8}}
"""

CHANNELS_ONLY = """
    constraints:
      spatial:
        factors: [N=1, P=1, Q=1, R=1, S=1]"""


ONE_DIMENSION = """
    constraints:
      spatial:
        factors: [n=1, k=1]"""

KEEP_INPUTS = "mapspace_constraints:\n- {target: scratchpad, type: datatype, keep: [A], bypass: [O]}\n"

# Figure 9. A column takes a row of the output's columns, 14 at a time; five filter rows of two channels go down it.
STRIPS = """mapspace_constraints:
- {target: PE_column, type: spatial, factors: [Q=14]}
- {target: PE, type: spatial, factors: [S=5, C=2]}
"""

# Eyeriss's passes for AlexNet's second layer (JSSC 2017, its table of mapping parameters): sets of 5 filter rows and 27 outputs, cut
# into strips of 14 and 13 that lie above each other; 16 filters and 2 channels in an element; sums of 64 filters in the buffer. An
# element slides along the 27 rows of outputs with its weights, then comes the next pass with other filters, then the next channels.
PASSES = """mapping:
- {target: DRAM, type: temporal, factors: [K=2, C=24], permutation: [C, K]}
- {target: shared_glb, type: datatype, keep: [Inputs, Outputs], bypass: [Weights]}
- {target: shared_glb, type: temporal, factors: ["K=4,2", P=27], permutation: [P, K]}
- {target: PE_column, type: spatial, factors: [Q=14], permutation: [Q], split: 999}
- {target: PE, type: spatial, factors: [S=5, "Q=2,1"], permutation: [S, Q], split: 0}
- {target: ifmap_spad, type: datatype, keep: [Inputs], bypass: [Weights, Outputs]}
- {target: weights_spad, type: datatype, keep: [Weights], bypass: [Inputs, Outputs]}
- {target: weights_spad, type: temporal, factors: [R=5, C=2], permutation: [R, C]}
- {target: psum_spad, type: datatype, keep: [Outputs], bypass: [Weights, Inputs]}
- {target: psum_spad, type: temporal, factors: [K=16], permutation: [K]}
"""


def toy(units, constraints=""):
    return TOY.format(units=units, constraints=constraints)


def rows_take_outputs(eyeriss_text):
    """The machine with rows of the array that may take output columns."""
    return replaced(eyeriss_text, ("factors: [N=1, P=1, Q=1, R=1]", "factors: [N=1, P=1, R=1]"),
                    ("permutation: [N, P, Q, R, S, C, K]", "permutation: [N, P, R, S, Q, C, K]"))


def eyeriss(zoo, columns, rows, weights=192):
    """The zoo's Eyeriss with another array; `weights`: words of each weight scratchpad."""
    return replaced(zoo, ("name: eyeriss", f"name: eyeriss-{columns}x{rows}"), ("{meshX: 14}", f"{{meshX: {columns}}}"),
                    ("{meshY: 12}", f"{{meshY: {rows}}}"), ("{depth: 192, width: 16,", f"{{depth: {weights}, width: 16,"))


def simba(zoo, elements, lanes):
    """The zoo's Simba with so many processing elements of lanes x lanes multipliers."""
    zoo = replaced(zoo, ("name: simba\n", f"name: simba-{elements}-{lanes}x{lanes}\n"), ("{meshX: 16}", f"{{meshX: {elements}}}"),
                   ("width: 128, cluster_size: 16", f"width: {8 * lanes * lanes}, cluster_size: {lanes * lanes}"))
    return re.sub(r"\{meshY: 4\}", f"{{meshY: {lanes}}}", zoo)
