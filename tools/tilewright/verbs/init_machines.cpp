#include "verbs/init_machines.hpp"

#include <fmt/format.h>

#include <algorithm>

namespace tilewright::cli {
namespace {

constexpr const char* kHead = R"(# {what}
#
# Written by `tilewright init {kind}`; every number is yours to change, and so is the rest. Memories stand outermost first.
# Sizes: 256KiB, or depth: rows of `width` bits. Bandwidths, of one memory: 25.6GB/s, 64B/cycle, or words a cycle (16).
#   tilewright check FILE                          says what it reads, and every mistake with its line
#   tilewright map --arch FILE --net resnet18      maps a network
architecture:
  version: 0.4
  nodes:
  - !Container
    name: {kind}
    # Energies and areas that are not given are estimated for the technology. A word has `datawidth` bits.
    attributes: {{technology: "{technology}", datawidth: {bits}, frequency: {frequency}}}

  - !Component # the bandwidth is shared by reading and writing
    name: DRAM
    class: DRAM
    attributes: {{type: LPDDR4, width: 64, shared_bandwidth: {dram}}}
)";

constexpr const char* kSystolic = R"(
  - !Component # activations; weights go straight to the array
    name: buffer
    class: smartbuffer_SRAM
    attributes: {{size: {buffer}, width: {buffer_width}, read_bandwidth: {rows}, write_bandwidth: {columns}}}
    constraints:
      dataspace: {{keep: [Inputs, Outputs], bypass: [Weights]}}

  - !Container # a column makes one output channel: K may lie across the columns, nothing else may
    name: column
    spatial: {{meshX: {columns}}}
    constraints:
      spatial:
        no_iteration_over_dataspaces: [Inputs] # they pass along a row: its neighbours share them
        split: 999 # all of it along X

  - !Component # the partial sums of a column
    name: accumulator
    class: smartbuffer_SRAM
    attributes: {{size: {local}, width: {accumulator_bits}, datawidth: {accumulator_bits}}}
    constraints:
      dataspace: {{keep: [Outputs], bypass: [Weights, Inputs]}}

  - !Container # what is summed over (C, R, S) may lie across the rows
    name: row
    spatial: {{meshY: {rows}}}
    constraints:
      spatial:
        no_iteration_over_dataspaces: [Outputs] # partial sums move down a column: all of it adds to one
        split: 0 # all of it along Y

  - !Component # the weight in use, and the next one, which is shifted in meanwhile
    name: weight
    class: regfile
    attributes: {{depth: 2, width: {bits}, multiple_buffering: 2}}
    constraints:
      dataspace: {{keep: [Weights], bypass: [Inputs, Outputs]}}
      temporal:
        factors: [K=1, C=1, R=1, S=1] # a weight stays while the pixels pass

  - !Component
    name: mac
    class: intmac
    attributes: {{multiplier_width: {bits}, adder_width: {accumulator_bits}}}
)";

constexpr const char* kSpatial = R"(
  - !Component # shared by all elements
    name: buffer
    class: smartbuffer_SRAM
    attributes: {{size: {buffer}, width: {buffer_width}, read_bandwidth: {columns}, write_bandwidth: {columns}}}

  # Any dimension may lie across the elements. An array that cannot do everything says so here:
  #   constraints: {{spatial: {{factors: [N=1, P=1, Q=1, R=1, S=1]}}}}   (only C and K may)
  - !Container
    name: element
    spatial: {{meshX: {columns}, meshY: {rows}}}

  - !Component # one for each element; it may keep every tensor. To send one past: constraints: {{dataspace: {{bypass: [Weights]}}}}
    name: registers
    class: regfile
    attributes: {{size: {local}, width: {bits}}}

  - !Component
    name: mac
    class: intmac
    attributes: {{multiplier_width: {bits}, adder_width: {accumulator_bits}}}
)";

constexpr const char* kNpu = R"(
  - !Component # activations; weights go straight to the elements
    name: buffer
    class: smartbuffer_SRAM
    attributes: {{size: {buffer}, width: {buffer_width}, read_bandwidth: {buffer_words}, write_bandwidth: {buffer_words}}}
    constraints:
      dataspace: {{keep: [Inputs, Outputs], bypass: [Weights]}}

  - !Container # elements: each has memories of its own for the three tensors
    name: element
    spatial: {{meshX: {columns}, meshY: {rows}}}

  - !Component
    name: inputs
    class: smartbuffer_SRAM
    attributes: {{size: {local}, width: 64}}
    constraints:
      dataspace: {{keep: [Inputs], bypass: [Weights, Outputs]}}

  - !Component
    name: weights
    class: smartbuffer_SRAM
    attributes: {{size: {local}, width: 64}}
    constraints:
      dataspace: {{keep: [Weights], bypass: [Inputs, Outputs]}}

  - !Component # partial sums
    name: accumulators
    class: smartbuffer_RF
    attributes: {{depth: 64, width: {accumulator_bits}, datawidth: {accumulator_bits}}}
    constraints:
      dataspace: {{keep: [Outputs], bypass: [Weights, Inputs]}}

  - !Container # a vector of multipliers whose products are added up: input channels may lie across it
    name: lane
    spatial: {{meshX: 8}}
    constraints:
      spatial:
        factors: [R=1, S=1]
        no_iteration_over_dataspaces: [Outputs]

  - !Component
    name: mac
    class: intmac
    attributes: {{multiplier_width: {bits}, adder_width: {accumulator_bits}}}
)";

// 16-bit floating point of M. Horowitz, "Computing's energy problem", ISSCC 2014, at 45 nm.
constexpr const char* kVectorUnit = R"(
# Beside the array: softmax, norms, activations and additions run here, {lanes} operations a cycle, and not on the array.
# Energies, pJ of one operation: of 16-bit floating point at 45 nm (Horowitz, ISSCC 2014); a division or an exponential is
# assumed to take four multiply-adds, in time as in energy.
vector_unit:
  memory: buffer # that it reads and writes
  add: {{energy: 0.4, per_cycle: {lanes}}}
  multiply: {{energy: 1.1, per_cycle: {lanes}}}
  divide: {{energy: 6.0, per_cycle: {quarter}}}
  exponential: {{energy: 6.0, per_cycle: {quarter}}}
  multiply_add: {{energy: 1.5, per_cycle: {lanes}}}
)";

struct Kind {
    std::string name;
    std::string what;   ///< its first line, of rows and columns
    std::string local;  ///< size of an element's memory
    const char* body;
};

const std::vector<Kind>& kinds() {
    static const std::vector<Kind> kAll{
        {"systolic", "A systolic array of {rows} x {columns} multiply-accumulate units; weights stay in the array.",
         "4KiB", kSystolic},
        {"spatial", "An array of {rows} x {columns} elements, a multiply-accumulate unit and registers each.", "512B",
         kSpatial},
        {"npu", "{rows} x {columns} elements of 8 multiply-accumulate units, with memories of their own.", "32KiB",
         kNpu}};
    return kAll;
}

const Kind& kind_named(const std::string& name) {
    for (const Kind& kind : kinds())
        if (kind.name == name) return kind;
    return kinds().front();
}

std::string filled(const std::string& text, const Kind& kind, const StartingSizes& sizes, const std::string& what) {
    constexpr std::int64_t kNarrow = 64;
    const std::int64_t row = std::max(kNarrow, sizes.columns * sizes.bits);
    using fmt::arg;
    return fmt::format(fmt::runtime(text), arg("what", what), arg("kind", kind.name), arg("rows", sizes.rows),
                       arg("columns", sizes.columns), arg("buffer", sizes.buffer), arg("buffer_width", row),
                       arg("buffer_words", row / sizes.bits), arg("dram", sizes.dram_bandwidth),
                       arg("local", sizes.local.empty() ? kind.local : sizes.local), arg("bits", sizes.bits),
                       arg("accumulator_bits", sizes.accumulator_bits), arg("frequency", sizes.frequency),
                       arg("technology", sizes.technology), arg("lanes", sizes.vector_lanes),
                       arg("quarter", static_cast<double>(sizes.vector_lanes) / 4.0));
}

}  // namespace

const std::vector<std::string>& starting_kinds() {
    static const std::vector<std::string> kNames = [] {
        std::vector<std::string> names;
        for (const Kind& kind : kinds()) names.push_back(kind.name);
        return names;
    }();
    return kNames;
}

std::string starting_machine(const std::string& name, const StartingSizes& sizes) {
    const Kind& kind = kind_named(name);
    const std::string text = std::string(kHead) + kind.body + (sizes.vector_lanes > 0 ? kVectorUnit : "");
    return filled(text, kind, sizes, filled(kind.what, kind, sizes, ""));
}

}  // namespace tilewright::cli
