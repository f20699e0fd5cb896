// Our hybrid routers and transactions against recorded runs of CoSA's own simulator (github.com/ucb-bar/cosa, c4798a7).
#include <gtest/gtest.h>

#include <cstdio>
#include <filesystem>
#include <fstream>
#include <map>
#include <memory>
#include <nlohmann/json.hpp>
#include <sstream>

#include "dramsim2_devices.hpp"
#include "mapping/tiling_point.hpp"
#include "sim/machine/cosa/cosa_replay.hpp"
#include "sim/noc/transactions.hpp"
#include "timeloop/files/zoo.hpp"
#include "timeloop/machine/architecture.hpp"
#include "workload/einsum_text.hpp"

namespace tilewright::golden::cosa_transactions_test {
namespace {

using sim::Transaction;
using sim::TransactionTimes;

/// The recorded clock begins at 2: the reset ends then.
constexpr std::int64_t kReset = 2;
constexpr sim::Mesh kCosaMesh = {.columns = 4, .rows = 5};
constexpr int kCosaDram = 29;  // the south port of the last router

struct Recorded {
    std::vector<Transaction> transactions;
    std::vector<TransactionTimes> times;
    std::int64_t finish = 0;
};

/// DRAMSim2's DDR2-667 as CoSA's simulator uses it.
sim::OneReadMemory cosa_memory() {
    const RecordedMemory recorded = dramsim2_memory("ddr2_cosa");
    return {.terminal = kCosaDram, .device = recorded.device, .options = recorded.options};
}

/// Transactions whose times differ.
std::size_t differing(const Recorded& recorded, const sim::TransactionRun& run) {
    std::size_t count = 0;
    for (std::size_t i = 0; i < recorded.times.size(); ++i) {
        const TransactionTimes& times = run.times[i];
        bool same =
            times.start + kReset == recorded.times[i].start && times.ends.size() == recorded.times[i].ends.size();
        for (std::size_t j = 0; same && j < times.ends.size(); ++j)
            same = times.ends[j] + kReset == recorded.times[i].ends[j];
        count += same ? 0 : 1;
    }
    return count;
}

// ---- the compact table: a line "name transactions finish", then a line for each

template <typename Number>
std::vector<Number> numbers(std::istream& in, std::size_t count) {
    std::vector<Number> values(count);
    for (Number& value : values) in >> value;
    return values;
}

std::vector<int> counted_numbers(std::istream& in) {
    std::size_t count = 0;
    in >> count;
    return numbers<int>(in, count);
}

std::map<std::string, Recorded> compact_table() {
    std::map<std::string, Recorded> all;
    std::ifstream file("tests/golden/noc/cosa_transactions.txt");
    std::string name;
    std::size_t count = 0;
    std::int64_t finish = 0;
    while (file >> name >> count >> finish) {
        Recorded& recorded = all[name];
        recorded.finish = finish;
        for (std::size_t i = 0; i < count; ++i) {
            Transaction transaction;
            int kind = 0;
            file >> transaction.actor >> kind >> transaction.size;
            transaction.kind = static_cast<sim::TransactionKind>(kind);
            transaction.destinations = counted_numbers(file);
            transaction.after = counted_numbers(file);
            TransactionTimes times;
            file >> times.start;
            times.ends = numbers<std::int64_t>(file, std::max<std::size_t>(1, transaction.destinations.size()));
            recorded.transactions.push_back(std::move(transaction));
            recorded.times.push_back(std::move(times));
        }
    }
    return all;
}

// ---- the files of the reference data

std::vector<int> list_of(const std::string& text) {
    std::istringstream in(text);
    std::vector<int> values;
    for (int value = 0; in >> value;) values.push_back(value);
    return values;
}

Recorded parsed(const nlohmann::json& document) {
    Recorded recorded;
    recorded.finish = static_cast<std::int64_t>(document.at("finish_ns").get<double>());
    std::map<int, int> index_of_id;
    std::istringstream lines(document.at("csv").get<std::string>());
    for (std::string line; std::getline(lines, line);) {
        if (line.empty() || line.front() == '#') continue;
        std::array<std::string, 7> fields;
        std::istringstream in(line);
        for (std::string& field : fields) std::getline(in, field, ',');
        Transaction transaction{.actor = std::stoi(fields[1]),
                                .kind = static_cast<sim::TransactionKind>(std::stoi(fields[2])),
                                .size = std::stoll(fields[3]),
                                .destinations = list_of(fields[5]),
                                .after = {}};
        index_of_id[std::stoi(fields[0])] = static_cast<int>(recorded.transactions.size());
        for (const int id : list_of(fields[6])) transaction.after.push_back(index_of_id.at(id));
        const nlohmann::json& spans = document.at("tcs").at(fields[0]);
        TransactionTimes times;
        if (spans.contains("self")) {
            times = {.start = spans.at("self").at(0), .ends = {spans.at("self").at(1).get<std::int64_t>()}};
        } else {
            for (const int destination : transaction.destinations) {
                const nlohmann::json& span = spans.at("d" + std::to_string(destination));
                times.start = span.at(0);
                times.ends.push_back(span.at(1));
            }
        }
        recorded.transactions.push_back(std::move(transaction));
        recorded.times.push_back(std::move(times));
    }
    return recorded;
}

nlohmann::json unpacked(const std::filesystem::path& path) {
    const std::string command = "gzip -dc '" + path.string() + "'";
    const std::unique_ptr<FILE, int (*)(FILE*)> pipe(popen(command.c_str(), "r"), pclose);
    std::string text;
    std::array<char, 65536> block{};
    for (std::size_t size = 0; (size = fread(block.data(), 1, block.size(), pipe.get())) > 0;)
        text.append(block.data(), size);
    return nlohmann::json::parse(text);
}

const std::filesystem::path kRecordedFolder = "../shared/golden/noc/cosa_nocsim";

TEST(CosaTransactions, SmallPatternsToTheCycle) {
    const auto all = compact_table();
    ASSERT_EQ(all.size(), 101U);
    for (const auto& [name, recorded] : all) {
        const auto run = sim::run_transactions(kCosaMesh, recorded.transactions, cosa_memory());
        EXPECT_EQ(differing(recorded, run), 0U) << name;
    }
}

TEST(CosaTransactions, AllRecordedPatternsToTheCycle) {
    if (!exists(kRecordedFolder)) GTEST_SKIP() << "skipped: there is no folder " << kRecordedFolder;
    const auto document = nlohmann::json::parse(std::ifstream(kRecordedFolder / "micro.json"));
    for (const auto& [name, pattern] : document.at("patterns").items()) {
        const Recorded recorded = parsed(pattern);
        const auto run = sim::run_transactions(kCosaMesh, recorded.transactions, cosa_memory());
        EXPECT_EQ(differing(recorded, run), 0U) << name;
    }
    EXPECT_EQ(document.at("patterns").size(), 101U);
}

/// Transactions of a whole layer whose times differ.
std::size_t differing_in_layer(const std::string& name) {
    const Recorded recorded = parsed(unpacked(kRecordedFolder / "layers" / (name + ".json.gz")));
    const auto run = sim::run_transactions(kCosaMesh, recorded.transactions, cosa_memory());
    EXPECT_EQ(run.cycles + kReset + 1, recorded.finish) << name;  // it stops a cycle later
    return differing(recorded, run);
}

// ---- the transactions of a recorded schedule, made of its mapping

constexpr std::array<const char*, 7> kDimensions = {"R", "S", "P", "Q", "C", "K", "N"};
using Factors = std::array<std::array<std::array<int, 7>, 2>, 6>;  // by level from the inside: spatial, temporal

Einsum recorded_layer(const nlohmann::json& layer) {
    std::vector<std::pair<std::string, std::int64_t>> extents;
    for (const char* d : kDimensions) extents.emplace_back(d, layer.at(d).get<std::int64_t>());
    const std::string w = std::to_string(layer.at("Wstride").get<int>());
    const std::string h = std::to_string(layer.at("Hstride").get<int>());
    return parse_einsum("Outputs[N,K,P,Q] += Weights[K,C,R,S] * Inputs[N,C," + w + "P+R," + h + "Q+S]", extents);
}

/// CoSA's levels are Simba's storages, from the inside; a fan-out may have levels of its own there.
TilingPoint recorded_point(const nlohmann::json& document, const Einsum& einsum, const Architecture& simba) {
    const auto factors = document.at("fac").get<Factors>();
    const bool drawn = !document.at("perms").is_null();
    std::vector<int> storages;
    TilingPoint point(simba.memory_count(), einsum.dimension_count());
    for (int m = simba.memory_count() - 1; m >= 0; --m)
        if (!simba.memories[m].spreads_only) storages.push_back(m);
    const std::vector<std::vector<const char*>> kept = {
        {"Weights"}, {"Outputs"}, {"Weights"}, {"Inputs"}, {"Inputs", "Outputs"}, {"Weights", "Inputs", "Outputs"}};
    for (std::size_t level = 0; level < factors.size(); ++level) {
        const std::string order = drawn ? document.at("perms").at(level).get<std::string>() : "RSPQCKN";
        const int memory = storages.at(level);
        TilingLevel& at = point[memory];
        int spreading = memory;
        while (simba.fanout(spreading).size() == 1 && factors[level][0] != std::array{1, 1, 1, 1, 1, 1, 1}) ++spreading;
        for (std::size_t k = 0; k < 7; ++k) {
            const int dimension = find_dimension(einsum, kDimensions[k]);
            at.temporal[dimension] = factors[level][1][k];
            point[spreading].spread(dimension, factors[level][0][k], 1);
            const int ranked = find_dimension(einsum, std::string(1, order[k]));
            at.order[k] = static_cast<std::uint8_t>(ranked);
            point[spreading].spatial_order[k] = {static_cast<std::uint8_t>(ranked), false};
            point[spreading].spatial_order[7 + k] = {static_cast<std::uint8_t>(ranked), true};
        }
        for (const char* tensor : kept[level]) at.keep.add(find_tensor(einsum, tensor));
    }
    return point;
}

void expect_recorded_transactions(const std::string& name) {
    const Architecture simba = timeloop::read_architecture(timeloop::zoo_architecture("simba-cosa"));
    const sim::Floor floor = sim::folded(sim::floor_of(simba), 4, 4);
    const nlohmann::json document = unpacked(kRecordedFolder / "layers" / (name + ".json.gz"));
    const Recorded recorded = parsed(document);
    const Einsum einsum = recorded_layer(document.at("layer"));
    const Mapping mapping = mapping_of(recorded_point(document, einsum, simba));
    ASSERT_EQ(sim::problem_with_cosa_program(einsum, simba, mapping, floor), "") << name;
    const sim::CosaProgram program = sim::cosa_program(einsum, simba, mapping, floor);
    EXPECT_EQ(program.dram, kCosaDram);
    ASSERT_EQ(program.transactions.size(), recorded.transactions.size()) << name;
    for (std::size_t i = 0; i < program.transactions.size(); ++i) {
        const Transaction& ours = program.transactions[i];
        const Transaction& theirs = recorded.transactions[i];
        ASSERT_EQ(std::tie(ours.actor, ours.kind, ours.size, ours.destinations),
                  std::tie(theirs.actor, theirs.kind, theirs.size, theirs.destinations))
            << name << ": " << i;
    }
    // Which of them wait for which shows in their times.
    const auto run = sim::run_transactions(floor.mesh, program.transactions, sim::cosa_memory({}, program.dram));
    EXPECT_EQ(differing(recorded, run), 0U) << name;
}

TEST(CosaTransactions, MappingsBecomeTheRecordedTransactions) {
    if (!exists(kRecordedFolder)) GTEST_SKIP() << "skipped: there is no folder " << kRecordedFolder;
    for (const char* name : {"deepbench_3_14_128_256_1_random", "deepbench_3_27_128_128_1_cosaB",
                             "resnet50_3_28_128_128_1_cosaB", "deepbench_3_480_1_16_1_cosaB"})
        expect_recorded_transactions(name);
}

TEST(CosaTransactions, DISABLED_AllMappingsBecomeTheRecordedTransactions) {
    if (!exists(kRecordedFolder)) GTEST_SKIP() << "skipped: there is no folder " << kRecordedFolder;
    for (const auto& entry : std::filesystem::directory_iterator(kRecordedFolder / "layers"))
        expect_recorded_transactions(entry.path().stem().stem().string());
}

TEST(CosaTransactions, SomeWholeLayers) {
    if (!exists(kRecordedFolder)) GTEST_SKIP() << "skipped: there is no folder " << kRecordedFolder;
    for (const char* name : {"deepbench_3_60_64_128_1_cosaB", "deepbench_3_120_32_64_1_cosaB",
                             "resnet50_3_28_128_128_1_cosaB", "resnet50_1_28_128_512_1_cosaB"})
        EXPECT_EQ(differing_in_layer(name), 0U) << name;
}

TEST(CosaTransactions, DISABLED_AllWholeLayers) {
    if (!exists(kRecordedFolder)) GTEST_SKIP() << "skipped: there is no folder " << kRecordedFolder;
    std::size_t layers = 0;
    for (const auto& entry : std::filesystem::directory_iterator(kRecordedFolder / "layers")) {
        const std::string name = entry.path().stem().stem().string();
        EXPECT_EQ(differing_in_layer(name), 0U) << name;
        ++layers;
    }
    EXPECT_EQ(layers, 30U);
}

}  // namespace
}  // namespace tilewright::golden::cosa_transactions_test
