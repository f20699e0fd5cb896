// tilewright init: a commented machine to begin with, for given sizes.
#include <fmt/format.h>
#include <algorithm>
#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "base/error.hpp"
#include "base/files/file.hpp"
#include "options/verb.hpp"
#include "output/output.hpp"
#include "timeloop/components/units.hpp"
#include "timeloop/files/load.hpp"
#include "timeloop/machine/architecture.hpp"

namespace tilewright::cli {
namespace {

// Starting files of machines, with comments, for `tilewright init`: texts in Timeloop's form (docs/timeloop-inputs.md).

// What a starting file is written for. Sizes and bandwidths have their units: they stand in the file as they are.
struct StartingSizes {
    std::int64_t rows = 16;
    std::int64_t columns = 16;
    std::string buffer = "256KiB";  ///< the buffer that all elements share
    std::string local = "";         ///< of the memories of one element; "": as the machine's kind has it
    std::string dram_bandwidth = "25.6GB/s";
    std::int64_t bits = 8;               ///< of an operand's word
    std::int64_t accumulator_bits = 32;  ///< of a partial sum's word
    std::string frequency = "1GHz";
    std::string technology = "45nm";
    std::int64_t vector_lanes = 0;  ///< of a vector unit beside the array; 0: there is none
};

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

struct MachineKind {
    std::string name;
    std::string what;   ///< its first line, of rows and columns
    std::string local;  ///< size of an element's memory
    const char* body;
};

const std::vector<MachineKind>& kinds() {
    static const std::vector<MachineKind> kAll{
        {"systolic", "A systolic array of {rows} x {columns} multiply-accumulate units; weights stay in the array.",
         "4KiB", kSystolic},
        {"spatial", "An array of {rows} x {columns} elements, a multiply-accumulate unit and registers each.", "512B",
         kSpatial},
        {"npu", "{rows} x {columns} elements of 8 multiply-accumulate units, with memories of their own.", "32KiB",
         kNpu}};
    return kAll;
}

const MachineKind& kind_named(const std::string& name) {
    for (const MachineKind& kind : kinds())
        if (kind.name == name) return kind;
    return kinds().front();
}

std::string filled(const std::string& text, const MachineKind& kind, const StartingSizes& sizes,
                   const std::string& what) {
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

// "systolic", "spatial", "npu"
const std::vector<std::string>& starting_kinds() {
    static const std::vector<std::string> kNames = [] {
        std::vector<std::string> names;
        for (const MachineKind& kind : kinds()) names.push_back(kind.name);
        return names;
    }();
    return kNames;
}

// The text of a file. Requires a kind of starting_kinds().
std::string starting_machine(const std::string& name, const StartingSizes& sizes) {
    const MachineKind& kind = kind_named(name);
    const std::string text = std::string(kHead) + kind.body + (sizes.vector_lanes > 0 ? kVectorUnit : "");
    return filled(text, kind, sizes, filled(kind.what, kind, sizes, ""));
}

constexpr const char* kInit = "init";

class Init : public Command {
   public:
    void declare(Options& options) override {
        options.take_words("KIND",
                           "what the machine is like:\n"
                           "systolic\tweights stay in an array through which inputs and partial sums move\n"
                           "spatial\telements with registers around one buffer; nothing is forbidden\n"
                           "npu\telements with a vector of multipliers and memories for each tensor",
                           &words_);
        options.group("Sizes");
        options.value("rows", 0, "N", "of the array (16)", &rows_).between(1, 65'536);
        options.value("columns", 0, "N", "of the array (16)", &columns_).between(1, 65'536);
        options.value("buffer", 0, "SIZE", "shared by all elements: 256KiB, 2MiB (256KiB)", &buffer_);
        options.value("local", 0, "SIZE", "a memory of one element, or of one column of accumulators", &local_);
        options.value("vector-lanes", 0, "N", "of a vector unit: softmax, norms, activations (none)", &vector_lanes_)
            .between(1, 65'536);
        options.value("dram-bandwidth", 0, "RATE", "25.6GB/s, 64B/cycle (25.6GB/s)", &dram_bandwidth_);
        options.value("word", 0, "BITS", "bits of an operand (8)", &bits_).between(1, 64);
        options.value("accumulator", 0, "BITS", "bits of a partial sum (32)", &accumulator_bits_).between(1, 128);
        options.value("frequency", 0, "F", "of the clock: 200MHz, 1GHz (1GHz)", &frequency_);
        options.value("technology", 0, "T", "for what is estimated: 45nm, 7nm (45nm)", &technology_);
        options.group("Output");
        options.value("output", 'o', "FILE", "write there instead of printing; an existing file stays", &file_)
            .completes = "file";
    }

    ExitStatus run() override {
        const std::vector<std::string>& kinds = starting_kinds();
        if (words_.size() != 1) fail_usage(kInit, "takes one KIND of machine: " + list_words(kinds));
        if (std::ranges::find(kinds, words_.front()) == kinds.end())
            fail_usage(kInit, fmt::format("there is no kind '{}'{}; there are {}", words_.front(),
                                          did_you_mean(words_.front(), kinds), list_words(kinds)));
        const std::string text = starting_machine(words_.front(), given());
        check(text);
        if (file_.empty()) return print(text), ExitStatus::done;
        write(text);
        return ExitStatus::done;
    }

   private:
    StartingSizes given() const {
        StartingSizes sizes;
        sizes.rows = rows_.value_or(sizes.rows);
        sizes.columns = columns_.value_or(sizes.columns);
        sizes.bits = bits_.value_or(sizes.bits);
        sizes.accumulator_bits = accumulator_bits_.value_or(sizes.accumulator_bits);
        sizes.vector_lanes = vector_lanes_.value_or(sizes.vector_lanes);
        if (!buffer_.empty()) sizes.buffer = buffer_;
        if (!local_.empty()) sizes.local = local_;
        if (!dram_bandwidth_.empty()) sizes.dram_bandwidth = dram_bandwidth_;
        if (!frequency_.empty()) sizes.frequency = frequency_;
        if (!technology_.empty()) sizes.technology = technology_;
        check_bytes(sizes.buffer, "--buffer");
        if (!sizes.local.empty()) check_bytes(sizes.local, "--local");
        return sizes;
    }

    static void check_bytes(const std::string& text, const char* option) {
        const std::optional<timeloop::Amount> amount = timeloop::amount_in(text);
        if (!amount || amount->unit != timeloop::Unit::bytes || amount->number < 1.0)
            fail_usage(kInit, fmt::format("{} takes bytes with their unit, such as 64KiB, found '{}'", option, text));
    }

    // What is written can be read: a size, a bandwidth or a clock that cannot is said as the reader says it.
    static void check(const std::string& text) {
        try {
            static_cast<void>(timeloop::read_architecture(timeloop::load_text(text, "machine")));
        } catch (const InputError& error) {  // of a text that the user has not got: without its place
            fail_usage(kInit, error.message());
        }
    }

    void write(const std::string& text) const {
        std::error_code unknown;
        if (std::filesystem::exists(file_, unknown))
            throw InputError(ErrorCode::io, {file_}, "is there already; init overwrites nothing");
        write_files("", {{std::filesystem::absolute(file_).string(), text}});
        print(fmt::format("wrote {0}\ntilewright map --arch {0} --net resnet18 maps a network on it\n",
                          file_.find('/') == std::string::npos && !file_.ends_with(".yaml") ? "./" + file_ : file_));
    }

    std::vector<std::string> words_;
    std::optional<std::int64_t> rows_;
    std::optional<std::int64_t> columns_;
    std::optional<std::int64_t> bits_;
    std::optional<std::int64_t> accumulator_bits_;
    std::optional<std::int64_t> vector_lanes_;
    std::string buffer_;
    std::string local_;
    std::string dram_bandwidth_;
    std::string frequency_;
    std::string technology_;
    std::string file_;
};

}  // namespace

std::unique_ptr<Command> make_init() { return std::make_unique<Init>(); }

}  // namespace tilewright::cli
