// FuseMax's baselines: attention unfused and after FLAT, by its Timeloop inputs, against the traffic and latency that
// it recorded for four models and lengths of 1 Ki to 1 Mi.
//
// Its scripts put those together from Timeloop's counts of the two products and of the four passes of softmax: bytes of
// DRAM, and of the buffer what does not fit; time by 400 GiB/s and 940 MHz, the slowest of DRAM, array and vector.
#include <gtest/gtest.h>

#include <fmt/format.h>
#include <algorithm>
#include <cmath>
#include <filesystem>
#include <map>
#include <sstream>

#include "arch/estimation/estimate.hpp"
#include "base/files/file.hpp"
#include "timeloop/account/timeloop.hpp"
#include "timeloop/files/load.hpp"
#include "timeloop/machine/architecture.hpp"
#include "timeloop/mapping/mapping.hpp"
#include "timeloop/problem/problem.hpp"

namespace tilewright::fusemax_test {
namespace {

const std::filesystem::path kFolder = "../shared/golden/fusion/fusemax";
const std::filesystem::path kInputs = kFolder / "inputs/yamls/baselines";

constexpr double kBytesPerSecond = 400.0 * 1073741824.0;
constexpr double kCyclesPerSecond = 940e6;
constexpr std::int64_t kArray = 256;
constexpr std::int64_t kLongestUnfused = 65536;  // beyond it a head's operands do not fit, and a search was asked

using Row = std::map<std::string, std::string>;

std::vector<Row> rows_of(const std::filesystem::path& file) {
    std::vector<Row> rows;
    std::vector<std::string> names;
    std::istringstream lines(read_file(file));
    for (std::string line; std::getline(lines, line);) {
        std::vector<std::string> cells;
        std::istringstream in(line);
        for (std::string cell; std::getline(in, cell, ',');) cells.push_back(cell);
        if (names.empty()) {
            names = cells;
            continue;
        }
        Row& row = rows.emplace_back();
        for (std::size_t i = 0; i < std::min(cells.size(), names.size()); ++i) row[names[i]] = cells[i];
    }
    return rows;
}

std::int64_t whole(const Row& row, const char* name) { return std::stoll(row.at(name)); }

/// Timeloop's counts of one product or pass, by tensor.
struct Counted {
    Einsum einsum;
    account::TimeloopResult result;

    double words(int memory, const std::string& tensor, bool updates) const {
        const account::TimeloopTensor& one = result.memories[memory].tensors[find_tensor(einsum, tensor)];
        return static_cast<double>(updates ? one.updates : one.reads) * one.instances;
    }
};

/// Of a machine and its problems "qk" and "av".
struct Inputs {
    yaml::Node machine;
    std::map<std::string, yaml::Node> problems;
};

Inputs shared_inputs() {
    return {timeloop::load({kInputs / "arch-2d.yaml"}),
            {{"qk", timeloop::load({kInputs / "problems/qk.yaml"})},
             {"av", timeloop::load({kInputs / "problems/av.yaml"})}}};
}

/// The same array in our words: what counts is which memories there are, and how many of each.
Inputs own_inputs() {
    std::string machine =
        "architecture:\n  version: 0.4\n  nodes:\n"
        "  - !Component {name: DRAM, class: DRAM, attributes: {width: 64, datawidth: 16}}\n"
        "  - !Component {name: L3, class: SRAM, attributes: {depth: 134217728, width: 64, datawidth: 16}}\n"
        "  - !Container {name: PE_col, spatial: {meshX: 256}}\n  - !Container {name: PE, spatial: {meshY: 256}}\n"
        "  - !Parallel\n    nodes:\n";
    for (int i = 0; i < 3; ++i)
        machine += fmt::format(
            "    - !Component {{name: reg{}, class: regfile, attributes: {{depth: 1, width: 16, "
            "datawidth: 16}}}}\n",
            i);
    machine += "  - !Component {name: mac, class: intmac}\n";
    const auto problem = [](const std::string& inner, const std::string& a, const std::string& b, const std::string& c,
                            const std::string& axes_a, const std::string& axes_b, const std::string& axes_c) {
        const auto space = [](const std::string& name, const std::string& axes) {
            std::string text = "    - name: " + name + "\n      projection: [";
            for (const char axis : axes) text += std::string(text.back() == '[' ? "" : ", ") + "[[" + axis + "]]";
            return text + "]\n";
        };
        return timeloop::load_text("problem:\n  version: 0.4\n  shape:\n    name: " + c + "\n    dimensions: [B, " +
                                   inner + ", H, M, P]\n    data_spaces:\n" + space(a, axes_a) + space(b, axes_b) +
                                   space(c, axes_c) + "      read_write: True\n  instance: {B: 1, " + inner +
                                   ": 1, H: 1, M: 1, P: 1}\n");
    };
    return {timeloop::load_text(machine),
            {{"qk", problem("E", "Q", "K", "QK", "BEHP", "BEHM", "BHMP")},
             {"av", problem("F", "A", "V", "AV", "BHMP", "BFHM", "BFHP")}}};
}

Counted counted(const Inputs& inputs, const std::string& problem, const Row& row, const std::string& mapping) {
    Architecture architecture = timeloop::read_architecture(inputs.machine);
    static_cast<void>(estimate(architecture));
    Counted made;
    made.einsum = timeloop::read_problem(inputs.problems.at(problem));
    for (Dimension& dimension : made.einsum.dimensions) dimension.extent = whole(row, dimension.name.c_str());
    const Mapping nest = timeloop::read_mapping(timeloop::load_text(mapping), made.einsum, architecture);
    made.result = account::timeloop(made.einsum, architecture, nest);
    return made;
}

// Whatever is not in L3 comes from the DRAM. Rows of 256 fill the array along the second and the third letter; what a
// dimension lacks stays idle.
std::string product_mapping(const Row& row, const std::string& order, const std::vector<std::string>& tensors,
                            const std::vector<std::string>& in_dram) {
    const bool by_row = row.at("fusion_granularity") == "row";
    const std::int64_t rows = by_row ? whole(row, "P1") : whole(row, "P");
    const auto extent = [&](char letter) { return letter == 'P' ? rows : whole(row, std::string(1, letter).c_str()); };
    std::string permutation;
    std::string l3;
    for (const char letter : order) {
        permutation += (permutation.empty() ? "" : ", ") + std::string(1, letter);
        const bool temporal = letter == 'B' || letter == 'H';
        const std::int64_t all = temporal ? 1 : extent(letter);
        const std::int64_t count = letter == order[0] ? all : std::max<std::int64_t>(1, all / kArray);
        l3 += fmt::format("{}{}={}", l3.empty() ? "" : ", ", letter, count);
    }
    const auto list = [](const std::vector<std::string>& names) {
        std::string text;
        for (const std::string& name : names) text += (text.empty() ? "" : ", ") + name;
        return text;
    };
    const auto others = [&](const std::vector<std::string>& kept) {
        std::vector<std::string> left;
        for (const std::string& name : tensors)
            if (std::ranges::find(kept, name) == kept.end()) left.push_back(name);
        return left;
    };
    std::vector<std::string> in_l3;
    for (const std::string& name : tensors)
        if (row.at(name + "_loc") == "onchip") in_l3.push_back(name);
    const auto spread = [&](char letter) { return std::min(kArray, extent(letter)); };
    std::string text =
        fmt::format("mapping:\n- {{target: DRAM, type: temporal, factors: [B={}, H={}, P={}], permutation: [{}]}}\n",
                    row.at("B"), row.at("H"), whole(row, "P") / rows, permutation);
    text += fmt::format("- {{target: DRAM, type: dataspace, keep: [{}], bypass: [{}]}}\n", list(in_dram),
                        list(others(in_dram)));
    text += fmt::format("- {{target: L3, type: temporal, factors: [{}], permutation: [{}]}}\n", l3, permutation);
    text +=
        fmt::format("- {{target: L3, type: dataspace, keep: [{}], bypass: [{}]}}\n", list(in_l3), list(others(in_l3)));
    text += fmt::format("- {{target: PE_col, type: spatial, factors: [{}={}], split: 5, permutation: [{}]}}\n",
                        order[1], spread(order[1]), permutation);
    text += fmt::format("- {{target: PE, type: spatial, factors: [{}={}], split: 0, permutation: [{}]}}\n", order[2],
                        spread(order[2]), permutation);
    for (std::size_t i = 0; i < tensors.size(); ++i)
        text += fmt::format("- {{target: reg{}, type: dataspace, keep: [{}], bypass: [{}]}}\n", i, tensors[i],
                            list(others({tensors[i]})));
    return text;
}

std::string order_of(const std::string& stationarity, char inner) {
    if (stationarity == "output") return inner == 'E' ? "EMPHB" : "MFPHB";
    if (stationarity == "weight") return inner == 'E' ? "PEMHB" : "PFMHB";
    return inner == 'E' ? "MEPHB" : "FMPHB";
}

/// Bytes through DRAM, and seconds of the array or the vector.
struct Part {
    double bytes = 0.0;
    double seconds = 0.0;
};

// A tensor that lies in L3 goes through the DRAM as far as it does not fit; what else it would have moved there shrinks
// with it. Reads that are as many as the writes are first reads.
Part product(const Inputs& inputs, const Row& row, const std::string& problem, const std::string& order,
             const std::vector<std::string>& tensors, const std::string& passed) {
    std::vector<std::string> in_dram;
    for (const std::string& name : tensors)
        if (name != passed || row.at(name + "_loc") != "onchip") in_dram.push_back(name);
    const Counted one = counted(inputs, problem, row, product_mapping(row, order, tensors, in_dram));
    EXPECT_FALSE(one.result.refusal) << problem << " " << row.at("models") << " " << row.at("seq_len");
    if (one.result.refusal) return {};
    const double spilled = std::stod(row.at("proportion_spilled"));
    double words = 0.0;
    for (const std::string& name : tensors) {
        const bool in_l3 = row.at(name + "_loc") == "onchip";
        const auto moved = [&](int memory, double share) {
            const double reads = one.words(memory, name, false);
            const double writes = one.words(memory, name, true);
            words += ((reads != writes ? reads : 0.0) + writes) * share;
        };
        if (in_l3) moved(1, spilled);
        if (name != passed || !in_l3) moved(0, in_l3 ? 1.0 - spilled : 1.0);
    }
    return {2.0 * words, static_cast<double>(one.result.compute_cycles) / kCyclesPerSecond};
}

// Four passes over all scores; those in L3 are read by two and written and read by one each, and the weights written.
Part softmax(const Row& row) {
    const double scores =
        static_cast<double>(whole(row, "B") * whole(row, "H")) * static_cast<double>(whole(row, "M") * whole(row, "P"));
    constexpr double kPasses = 4.0;
    const bool on_chip = row.at("QK_loc") == "onchip";
    const double bytes = on_chip ? 5.0 * 2.0 * scores * std::stod(row.at("proportion_spilled")) : 2.0 * 2.0 * scores;
    return {bytes, kPasses * scores / static_cast<double>(kArray) / kCyclesPerSecond};
}

void expect_close(double ours, const std::string& recorded, const Row& row, const char* what) {
    const double value = std::stod(recorded);
    EXPECT_NEAR(ours / value, 1.0, 1e-12) << what << " " << row.at("models") << " " << row.at("seq_len");
}

// Compares traffic and latency.
void compare_flat(const Inputs& inputs, const Row& row, const Row& recorded) {
    const Part qk = product(inputs, row, "qk", order_of(row.at("QK_stationarity"), 'E'), {"Q", "K", "QK"}, "QK");
    const Part av = product(inputs, row, "av", order_of(row.at("AV_stationarity"), 'F'), {"A", "V", "AV"}, "A");
    const Part vector = softmax(row);
    const double bytes = qk.bytes + av.bytes + vector.bytes;
    expect_close(bytes, recorded.at("traffic"), row, "traffic");
    expect_close(std::max({bytes / kBytesPerSecond, qk.seconds + av.seconds, vector.seconds}), recorded.at("latency"),
                 row, "latency");
}

TEST(FuseMax, TrafficAndLatencyOfFlatAreTheRecordedOnes) {
    if (!exists(kFolder)) GTEST_SKIP() << "skipped: there is no folder " << kFolder;
    const std::filesystem::path results = kFolder / "outputs/pregenerated/results";
    const std::vector<Row> machines = rows_of(results / "flat_validation.csv");
    const Inputs inputs = shared_inputs();
    int compared = 0;
    for (const Row& recorded : rows_of(results / "attn-flat.csv")) {
        const auto found = std::ranges::find_if(machines, [&](const Row& row) {
            return row.at("platform") == "cloud" && row.at("models") == recorded.at("model") &&
                   row.at("seq_len") == recorded.at("seq_len");
        });
        ASSERT_NE(found, machines.end());
        compare_flat(inputs, *found, recorded);
        compared += 2;
    }
    EXPECT_EQ(compared, 48);
}

// The same of some lengths, of inputs that are written here.
TEST(FuseMax, FactsOfFlat) {
    const Inputs inputs = own_inputs();
    int compared = 0;
    for (const Row& row : rows_of("tests/golden/fusemax/flat.csv")) {
        compare_flat(inputs, row, row);
        compared += 2;
    }
    EXPECT_EQ(compared, 14);
}

// Each of the two products and softmax by itself, what lies between written and read back.
TEST(FuseMax, TrafficAndLatencyOfUnfusedAttentionAreTheRecordedOnes) {
    if (!exists(kFolder)) GTEST_SKIP() << "skipped: there is no folder " << kFolder;
    const std::filesystem::path results = kFolder / "outputs/pregenerated/results";
    const std::vector<Row> machines = rows_of(results / "flat_validation.csv");
    int compared = 0;
    for (const Row& recorded : rows_of(results / "attn-unfused.csv")) {
        const auto found = std::ranges::find_if(machines, [&](const Row& row) {
            return row.at("platform") == "cloud" && row.at("models") == recorded.at("model") &&
                   row.at("seq_len") == recorded.at("seq_len");
        });
        ASSERT_NE(found, machines.end());
        Row row = *found;
        // A head's operands stay in the buffer while they fit: each is read once.
        if (whole(row, "M") > kLongestUnfused) continue;
        row["QK_loc"] = row["A_loc"] = "offchip";
        const auto words = [&](const char* a, const char* b) {
            return static_cast<double>(whole(row, "B") * whole(row, "H")) *
                   static_cast<double>(whole(row, a) * whole(row, b));
        };
        const Part vector = softmax(row);
        const double array = words("M", "P") * static_cast<double>(whole(row, "E")) /
                             static_cast<double>(kArray * kArray) / kCyclesPerSecond;
        const double qk = 2.0 * (words("P", "E") + words("M", "E") + words("M", "P"));
        const double av = 2.0 * (words("M", "P") + words("M", "F") + words("P", "F"));
        expect_close(qk + av + vector.bytes, recorded.at("traffic"), row, "traffic");
        expect_close(std::max(qk / kBytesPerSecond, array) + std::max(av / kBytesPerSecond, array) +
                         std::max(vector.bytes / kBytesPerSecond, vector.seconds),
                     recorded.at("latency"), row, "latency");
        compared += 2;
    }
    EXPECT_EQ(compared, 32);
}

}  // namespace
}  // namespace tilewright::fusemax_test
