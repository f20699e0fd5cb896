// schedule.json: round trip, and more than thirty corruptions, each refused for its reason.
#include "native/schedule.hpp"

#include <gmock/gmock.h>

#include <algorithm>
#include <functional>

#include "schedule/schedulers/static_order.hpp"
#include "schedule/validation/validate.hpp"

namespace tilewright::native::schedule_test {
namespace {

using namespace schedule;

// Flexer, Fig. 3, with few enough slots to spill and reload partial sums.
LayerSchedule example(LatencyRule rule) {
    Problem problem;
    problem.machine = {"two cores", 2, 1 << 17, 1, 32, {1, 1, 1, 4}, {32, 32, 0}};
    problem.layer = {16, 16, 64, 128, 3, 3, 1, 1, 1, 1};
    problem.tiling = {{16, 8, 32, 32}};
    const StaticPlan plan{problem.tiling, {Dim::out_w, Dim::out_h, Dim::in_c, Dim::out_c}, 2, Dim::out_c, {1, 2, 3}};
    return {{"conv"}, 1, problem, run_static(make_graph(problem), plan, rule)};
}

std::vector<Finding> findings_in(const LayerSchedule& layer) {
    const auto files = read_schedules(yaml::parse_text(write_schedules({layer}), "schedule.json"));
    return validate(files.front().layer.problem, files.front().layer.schedule, 100);
}

TEST(ScheduleFile, ReadsBackWhatItWrites) {
    for (const LatencyRule rule : {LatencyRule::sum, LatencyRule::overlap}) {
        const LayerSchedule layer = example(rule);
        const auto files = read_schedules(yaml::parse_text(write_schedules({layer, layer}), "schedule.json"));
        ASSERT_EQ(files.size(), 2U);
        EXPECT_EQ(files[1].layer.names, layer.names);
        EXPECT_EQ(files[1].layer.problem, layer.problem);
        EXPECT_EQ(files[1].layer.schedule, layer.schedule);
        EXPECT_TRUE(findings_in(layer).empty());
        EXPECT_GT(files[0].at("transfers[1]").line, files[0].at("transfers[0]").line);
    }
}

Transfer& transfer(LayerSchedule& layer, TransferKind kind, Operand operand, int skip = 0) {
    for (Transfer& one : layer.schedule.transfers)
        if (one.kind == kind && one.operand == operand && skip-- == 0) return one;
    throw std::logic_error("no such transfer");
}

Execution& execution(LayerSchedule& layer, int operation) {
    return *std::find_if(layer.schedule.executions.begin(), layer.schedule.executions.end(),
                         [&](const Execution& one) { return one.operation == operation; });
}

template <typename T>
void remove(std::vector<T>& list, const T& one) {
    list.erase(std::find(list.begin(), list.end(), one));
}

void delay(Transfer& one, std::int64_t cycles) {
    one.start += cycles;
    one.end += cycles;
}

void delay(Execution& one, std::int64_t cycles) {
    one.start += cycles;
    one.end += cycles;
}

struct Corruption {
    const char* what;
    Fault fault;
    std::function<void(LayerSchedule&)> apply;
};

const std::vector<Corruption>& corruptions() {
    constexpr auto load = TransferKind::load;
    constexpr auto spill = TransferKind::spill;
    constexpr auto store = TransferKind::store;
    static const std::vector<Corruption> all{
        {"a machine without cores", Fault::bad_problem, [](auto& l) { l.problem.machine.cores = 0; }},
        {"a layer without columns", Fault::bad_problem, [](auto& l) { l.problem.layer.out_w = 0; }},
        {"tiles larger than the layer", Fault::bad_problem, [](auto& l) { l.problem.tiling[Dim::in_c] = 65; }},
        {"tiles of nothing", Fault::bad_problem, [](auto& l) { l.problem.tiling[Dim::out_h] = 0; }},
        {"an input tile too many", Fault::unknown_tile, [](auto& l) { transfer(l, load, Operand::input).index = 4; }},
        {"an operation too many", Fault::unknown_operation, [](auto& l) { execution(l, 0).operation = 16; }},
        {"a third core", Fault::unknown_core, [](auto& l) { execution(l, 0).core = 2; }},
        {"a second channel", Fault::unknown_channel, [](auto& l) { l.schedule.transfers[0].channel = 1; }},
        {"an input written back", Fault::wrong_kind, [](auto& l) { l.schedule.transfers[0].kind = spill; }},
        {"a store that moves partial sums", Fault::wrong_bytes,
         [](auto& l) { transfer(l, store, Operand::output).bytes *= 4; }},
        {"a load that moves a byte less", Fault::wrong_bytes,
         [](auto& l) { --transfer(l, load, Operand::weight).bytes; }},
        {"a transfer that is too quick", Fault::wrong_duration,
         [](auto& l) { ++transfer(l, load, Operand::weight).start; }},
        {"an operation that is too quick", Fault::wrong_duration, [](auto& l) { ++execution(l, 3).start; }},
        {"an operation that is too slow", Fault::wrong_duration, [](auto& l) { ++execution(l, 3).end; }},
        {"a load beyond the scratchpad", Fault::out_of_memory,
         [](auto& l) { transfer(l, load, Operand::weight).address = (1 << 17) - 9215; }},
        {"an operand beyond the scratchpad", Fault::out_of_memory,
         [](auto& l) { execution(l, 3).address[0] = 1 << 17; }},
        {"a smaller scratchpad", Fault::out_of_memory, [](auto& l) { l.problem.machine.scratchpad_bytes = 1 << 16; }},
        {"two transfers at a time", Fault::channel_busy, [](auto& l) { delay(l.schedule.transfers[1], -1); }},
        {"two operations at a time", Fault::core_busy,
         [](auto& l) { execution(l, 2).core = execution(l, 0).core = 0; }},
        {"a transfer beside an operation", Fault::transfer_beside_computation,
         [](auto& l) {
             const Execution first = execution(l, 0);
             Transfer& late = transfer(l, store, Operand::output, 7);
             delay(late, first.start - late.start);
         }},
        {"another rule", Fault::transfer_beside_computation,
         [](auto& l) { l = example(LatencyRule::overlap), l.schedule.rule = LatencyRule::sum; }},
        {"an operation twice", Fault::repeated_operation,
         [](auto& l) {
             Execution again = execution(l, 0);
             delay(again, l.schedule.latency_cycles);
             l.schedule.executions.push_back(again);
         }},
        {"an operation left out", Fault::missing_operation, [](auto& l) { l.schedule.executions.pop_back(); }},
        {"a weight that is not loaded", Fault::not_resident,
         [](auto& l) { remove(l.schedule.transfers, Transfer(transfer(l, load, Operand::weight))); }},
        {"an input that is not loaded", Fault::not_resident,
         [](auto& l) { remove(l.schedule.transfers, Transfer(transfer(l, load, Operand::input))); }},
        {"a weight at another address", Fault::not_resident, [](auto& l) { execution(l, 2).address[1] += 64; }},
        {"an operation before its load ends", Fault::not_resident,
         [](auto& l) { delay(execution(l, 0), -execution(l, 0).start); }},
        {"an output that moves", Fault::not_resident,
         [](auto& l) { transfer(l, store, Operand::output).address -= 64; }},
        {"a chain the wrong way round", Fault::chain_order,
         [](auto& l) { std::swap(execution(l, 0).operation, execution(l, 1).operation); }},
        {"two steps of a chain at once", Fault::chain_order,
         [](auto& l) {
             const Execution first = execution(l, 0);
             Execution& second = execution(l, 1);
             second.core = 1 - first.core;
             delay(second, first.start - second.start);
         }},
        {"a partial sum that is not written back", Fault::lost_partial_sum,
         [](auto& l) { remove(l.schedule.transfers, Transfer(transfer(l, spill, Operand::output))); }},
        {"a partial sum that is not read again", Fault::lost_partial_sum,
         [](auto& l) { remove(l.schedule.transfers, Transfer(transfer(l, load, Operand::output))); }},
        {"a partial sum read before there is one", Fault::lost_partial_sum,
         [](auto& l) { delay(transfer(l, load, Operand::output), -transfer(l, load, Operand::output).start); }},
        {"a store of a partial sum", Fault::unfinished_store,
         [](auto& l) {
             Transfer& one = transfer(l, spill, Operand::output);
             one.kind = store;
             one.bytes /= 4;
             one.end = one.start + one.bytes / 32;
         }},
        {"a store that is left out", Fault::missing_store,
         [](auto& l) { remove(l.schedule.transfers, Transfer(transfer(l, store, Operand::output))); }},
        {"a store twice", Fault::repeated_store,
         [](auto& l) {
             Transfer again = transfer(l, store, Operand::output);
             delay(again, l.schedule.latency_cycles);
             l.schedule.transfers.push_back(again);
         }},
        {"a load over a block in use", Fault::overlapping_blocks,
         [](auto& l) {
             const Transfer weight = transfer(l, load, Operand::weight);
             for (Transfer& one : l.schedule.transfers)
                 if (one.operand == Operand::input) one.address = weight.address + 32;
             for (Execution& one : l.schedule.executions) one.address[0] = weight.address + 32;
         }},
        {"an output over a block in use", Fault::overlapping_blocks,
         [](auto& l) {
             for (Transfer& one : l.schedule.transfers)
                 if (one.operand == Operand::output) one.address = 0;
             for (Execution& one : l.schedule.executions) one.address[2] = 0;
         }},
        {"a latency that is too small", Fault::wrong_latency, [](auto& l) { --l.schedule.latency_cycles; }},
        {"a traffic that is too small", Fault::wrong_traffic, [](auto& l) { --l.schedule.traffic_bytes; }},
        {"nothing at all", Fault::missing_operation,
         [](auto& l) {
             l.schedule.transfers.clear();
             l.schedule.executions.clear();
             l.schedule.latency_cycles = l.schedule.traffic_bytes = 0;
         }},
    };
    return all;
}

TEST(ScheduleFile, EveryCorruptionIsRefusedForItsReason) {
    EXPECT_GE(corruptions().size(), 40U);
    for (const Corruption& corruption : corruptions()) {
        SCOPED_TRACE(corruption.what);
        LayerSchedule layer = example(LatencyRule::sum);
        corruption.apply(layer);
        std::vector<std::string> faults;
        for (const Finding& finding : findings_in(layer)) faults.emplace_back(fault_name(finding.fault));
        EXPECT_THAT(faults, testing::Contains(fault_name(corruption.fault)));
    }
}

// Malformed schedules are refused by the reader, at their place.
TEST(ScheduleFile, MistakesInTheTextHavePlaces) {
    const std::string good = write_schedules({example(LatencyRule::sum)});
    const std::vector<std::array<std::string, 3>> mistakes{
        {"tilewright-schedule/1", "tilewright-schedule/2", "expected tilewright-schedule/1"},
        {"\"kind\":\"load\"", "\"kind\":\"lode\"", "expected one of load, spill and store, found 'lode'"},
        {"\"operand\":\"input\"", "\"operand\":\"bias\"", "expected one of input, weight and output"},
        {"\"rule\": \"sum\"", "\"rule\": \"some\"", "expected one of sum and overlap, found 'some'"},
        {"\"core\":0", "\"core\":-1", "expected a number from 0 to 2^31 - 1"},
        {"\"start\":0,", "\"start\":-1,", "expected a number from 0 to 2^53"},
        {"\"channel\":0,", "", "channel"},
        {"\"repeats\": 1", "\"repeats\": 0", ""},
        {"\"names\": [\"conv\"]", "\"names\": []", "expected at least one name"},
    };
    for (const auto& [from, to, message] : mistakes) {
        std::string text = good;
        const std::size_t at = text.find(from);
        ASSERT_NE(at, std::string::npos) << from;
        text.replace(at, from.size(), to);
        try {
            read_schedules(yaml::parse_text(text, "schedule.json"));
            ADD_FAILURE() << to << " was read";
        } catch (const InputError& error) {
            EXPECT_THAT(error.what(), testing::HasSubstr(message));
            EXPECT_GT(error.where().line, 0);
        }
    }
}

}  // namespace
}  // namespace tilewright::native::schedule_test
