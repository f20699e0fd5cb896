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


def toy(units, channels_only=False):
    return TOY.format(units=units, constraints=CHANNELS_ONLY if channels_only else "")


def eyeriss(zoo, columns, rows, weights=192):
    """The zoo's Eyeriss with another array; `weights`: words of each weight scratchpad."""
    return replaced(zoo, ("name: eyeriss", f"name: eyeriss-{columns}x{rows}"), ("{meshX: 14}", f"{{meshX: {columns}}}"),
                    ("{meshY: 12}", f"{{meshY: {rows}}}"), ("{depth: 192, width: 16,", f"{{depth: {weights}, width: 16,"))


def simba(zoo, elements, lanes):
    """The zoo's Simba with so many processing elements of lanes x lanes multipliers."""
    zoo = replaced(zoo, ("name: simba\n", f"name: simba-{elements}-{lanes}x{lanes}\n"), ("{meshX: 16}", f"{{meshX: {elements}}}"),
                   ("width: 128, cluster_size: 16", f"width: {8 * lanes * lanes}, cluster_size: {lanes * lanes}"))
    return re.sub(r"\{meshY: 4\}", f"{{meshY: {lanes}}}", zoo)
