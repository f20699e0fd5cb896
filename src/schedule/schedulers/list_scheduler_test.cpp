// The list scheduler against the paper's worked examples, and both dynamic schedulers against the validator.
#include "schedule/schedulers/list_scheduler.hpp"

#include <gmock/gmock.h>

#include <algorithm>
#include <optional>

#include "fixtures/schedule_problem.hpp"
#include "schedule/problem/bounds.hpp"
#include "schedule/problem/data_flow.hpp"
#include "schedule/schedulers/beam.hpp"
#include "schedule/schedulers/ordered.hpp"
#include "schedule/scratchpad/workspace.hpp"
#include "schedule/validation/validate.hpp"

namespace tilewright::schedule::list_scheduler_test {
namespace {

// Flexer, Fig. 6: three places, four output channel tiles, two input channel tiles, two cores. With tCONV1-4 run and
// tOT2 written back, the ready operations are tCONV5-16 of Fig. 7b: 5-12 begin outputs, 13-16 continue tOT1-4.
class Figure7 : public testing::Test {
   protected:
    static Problem problem() {
        Problem problem;
        problem.machine = {"two cores", 2, 1 << 20, 1, 1, {1, 1, 1, 1}, {1, 1, 0}};
        problem.layer = {3, 1, 2, 4, 1, 1, 1, 1, 1, 1};
        problem.tiling = {{1, 1, 1, 1}};
        return problem;
    }

    // tCONVn: places from the outside in, then output channels; 13-16 are the second steps of the first four outputs,
    // tCONV1-4: two places by two output channels.
    int conv(int n) const {
        const auto at = [&](int place, int c, int k) { return graph_.operation_at({{place, 0, c, k}}); };
        if (n <= 4) return at((n - 1) / 2, 0, (n - 1) % 2);
        if (n <= 6) return at(2, 0, n - 5);
        if (n <= 10) return at((n - 7) / 2, 0, 2 + (n - 7) % 2);
        if (n <= 12) return at(2, 0, n - 9);
        return at((n - 13) / 2, 1, (n - 13) % 2);
    }

    std::vector<int> ready() const {
        std::vector<int> operations;
        for (int n = 5; n <= 16; ++n) operations.push_back(conv(n));
        return operations;
    }

    std::vector<char> resident() const {
        std::vector<char> there(graph_.tiles.size(), 0);
        for (int n = 1; n <= 4; ++n)
            for (const int tile : graph_.operation(conv(n)).tiles) there[tile] = 1;
        there[graph_.tile_of(conv(14), Operand::output)] = 0;
        return there;
    }

    std::string maps(int first, int second) const {
        const DataFlow flow = data_flow(graph_, {conv(first), conv(second)}, resident());
        return counts_text(flow.reused) + "; " + counts_text(flow.fresh);
    }

    const OperationGraph graph_ = make_graph(problem());
};

TEST_F(Figure7, ClassifiesSetsByTheirDataFlow) {
    EXPECT_EQ(maps(5, 6), "IN - WT {1,1} OT -; IN {2} WT - OT {1,1}");     // set1
    EXPECT_EQ(maps(5, 7), "IN {1} WT {1} OT -; IN {1} WT {1} OT {1,1}");   // set2
    EXPECT_EQ(maps(5, 8), maps(5, 7));                                     // set3 is pruned
    EXPECT_EQ(maps(7, 9), "IN {1,1} WT - OT -; IN - WT {2} OT {1,1}");     // set23
    EXPECT_EQ(maps(7, 10), "IN {1,1} WT - OT -; IN - WT {1,1} OT {1,1}");  // set24
    EXPECT_EQ(maps(7, 11), "IN {1} WT - OT -; IN {1} WT {2} OT {1,1}");    // set25
    EXPECT_EQ(maps(7, 14), "IN {1} WT - OT -; IN {1} WT {1,1} OT {1,1}");  // set28
    EXPECT_EQ(maps(7, 15), "IN {1} WT - OT {1}; IN {1} WT {1,1} OT {1}");  // set29
}

TEST_F(Figure7, KeepsTheFirstSetOfEveryClass) {
    const std::vector<std::vector<int>> sets = distinct_sets(graph_, ready(), resident(), 2);
    const auto kept = [&](int a, int b) {
        return std::find(sets.begin(), sets.end(), std::vector<int>{conv(a), conv(b)}) != sets.end();
    };
    EXPECT_TRUE(kept(5, 6) && kept(5, 7) && kept(7, 9) && kept(7, 10) && kept(7, 11));
    EXPECT_FALSE(kept(5, 8));
    EXPECT_LT(sets.size(), 66U / 2);  // of 12 * 11 / 2 pairs
}

TEST_F(Figure7, CountsReferences) {
    // After tCONV1-4: uses left of tIN1, tIN2, tWT3, tWT4, then tWT1, tWT2 and the outputs.
    std::vector<int> left(graph_.tiles.size());
    for (std::size_t t = 0; t < left.size(); ++t) left[t] = graph_.tiles[t].uses;
    for (int n = 1; n <= 4; ++n)
        for (const int tile : graph_.operation(conv(n)).tiles) --left[tile];
    const auto references = [&](int n, Operand operand) {
        return most_references(2, left[graph_.tile_of(conv(n), operand)]);
    };
    EXPECT_EQ(references(1, Operand::input), 2);
    EXPECT_EQ(references(3, Operand::input), 2);
    EXPECT_EQ(references(7, Operand::weight), 2);
    EXPECT_EQ(references(8, Operand::weight), 2);
    EXPECT_EQ(references(1, Operand::weight), 1);
    EXPECT_EQ(references(2, Operand::weight), 1);
    for (int n = 1; n <= 4; ++n) EXPECT_EQ(references(n, Operand::output), 1);
}

// The figure gives no sizes. With inputs of 3, weights of 2 and outputs of 1, and a scratchpad filled by tCONV1-4 (13
// bytes, tOT2 away), our workspace's plans have the table's overheads, and its benefits if a spilled tile counts size
// times references. The text divides instead; one pair of sets then changes places. Of the seven printed rows only
// set28's (-3, 13) is unreachable, for any spills and sizes.
class Figure7c : public Figure7 {
   protected:
    struct Row {
        SetRank as_in_the_table;
        SetRank as_in_the_text;
    };

    Figure7c() {
        Problem sized = problem();
        sized.machine.element_bytes = {3, 2, 1, 1};
        sized.machine.scratchpad_bytes = 13;
        sized_ = make_graph(sized);
        workspace_.emplace(sized_, LatencyRule::sum);
        const int in1 = tile(1, Operand::input);
        const int in2 = tile(3, Operand::input);
        const int wt1 = tile(1, Operand::weight);
        const int wt2 = tile(2, Operand::weight);
        const auto out = [&](int n) { return tile(n, Operand::output); };
        // Neighbours of other kinds do not add up to a new tile's size.
        workspace_->run({conv(1), conv(2)}, plan({}, {{in1, 4}, {wt1, 0}, {wt2, 2}, {out(1), 7}, {out(2), 11}}));
        workspace_->run({conv(3), conv(4)}, plan({out(2)}, {{in2, 8}, {out(3), 11}, {out(4), 12}}));
    }

    int tile(int n, Operand operand) const { return sized_.tile_of(conv(n), operand); }

    MemoryPlan plan(std::vector<int> spilled, const std::vector<std::pair<int, std::int64_t>>& placed) const {
        MemoryPlan made;
        made.spilled = std::move(spilled);
        for (const auto& [id, address] : placed)
            made.placed.push_back({id, address, sized_.tile(id).operand != Operand::output});
        return made;
    }

    Row row(int first, int second) {
        const std::vector<int> set{conv(first), conv(second)};
        const MemoryPlan made = workspace_->plan(set, MemoryPolicy::least_fragmentation).value();
        double reused = 0.0;
        for (const int operation : set)
            for (const int id : sized_.operation(operation).tiles)
                if (workspace_->resident()[id] != 0) reused += static_cast<double>(sized_.tile(id).block_bytes);
        Row result{{reused, 1, made.overhead_cycles}, {reused, 1, made.overhead_cycles}};
        for (const int id : made.spilled) {
            const auto size = static_cast<double>(sized_.tile(id).block_bytes);
            const auto often = static_cast<double>(most_references(2, workspace_->remaining_uses(id)));
            result.as_in_the_table.benefit_bytes -= size * often;
            result.as_in_the_text.benefit_bytes -= size / often;
        }
        EXPECT_EQ(made.used_bytes, 13);  // utility 1
        return result;
    }

    OperationGraph sized_;
    std::optional<Workspace> workspace_;
};

TEST_F(Figure7c, BenefitsAndOverheadsOfTheTable) {
    const auto table = [&](int first, int second) { return row(first, second).as_in_the_table; };
    EXPECT_EQ(table(5, 6), (SetRank{-4, 1, 5}));    // set1
    EXPECT_EQ(table(5, 7), (SetRank{-5, 1, 7}));    // set2
    EXPECT_EQ(table(7, 9), (SetRank{2, 1, 4}));     // set23
    EXPECT_EQ(table(7, 10), (SetRank{0, 1, 6}));    // set24
    EXPECT_EQ(table(7, 11), (SetRank{-7, 1, 7}));   // set25
    EXPECT_EQ(table(7, 15), (SetRank{-7, 1, 8}));   // set29
    EXPECT_EQ(table(7, 14), (SetRank{-9, 1, 10}));  // set28; the table has -3 and 13
}

TEST_F(Figure7c, RanksOfTheTable) {
    std::vector<std::pair<std::string, Row>> sets{{"set1", row(5, 6)},   {"set2", row(5, 7)},   {"set23", row(7, 9)},
                                                  {"set24", row(7, 10)}, {"set25", row(7, 11)}, {"set29", row(7, 15)}};
    const auto names = [&](auto rank) {
        std::stable_sort(sets.begin(), sets.end(),
                         [&](const auto& a, const auto& b) { return goes_before(rank(a.second), rank(b.second)); });
        std::vector<std::string> result;
        for (const auto& one : sets) result.push_back(one.first);
        return result;
    };
    EXPECT_THAT(names([](const Row& one) { return one.as_in_the_table; }),
                testing::ElementsAre("set23", "set24", "set1", "set2", "set25", "set29"));
    EXPECT_THAT(names([](const Row& one) { return one.as_in_the_text; }),
                testing::ElementsAre("set23", "set1", "set24", "set2", "set25", "set29"));
}

// Overheads are loads and written-back outputs, here three. Of all sizes up to 13, four match the other six rows, the
// ones above among them, and none of these matches set28's 13.
TEST_F(Figure7c, NoSizesComeToTheOverheadOfSet28) {
    struct Loads {
        std::int64_t inputs;
        std::int64_t weights;
        std::int64_t outputs;
        std::int64_t overhead;
    };
    const std::vector<Loads> others{{1, 0, 0, 5}, {1, 1, 0, 7}, {0, 1, 0, 4}, {0, 2, 0, 6}, {1, 1, 0, 7}, {1, 2, 0, 8}};
    const Loads set28{1, 2, 1, 13};  // tOT2 comes back
    std::vector<std::array<std::int64_t, 3>> sizes;
    for (std::int64_t in = 1; in <= 13; ++in)
        for (std::int64_t weight = 1; weight <= 13; ++weight)
            for (std::int64_t out = 1; out <= 13; ++out) {
                const auto possible = [&](const Loads& row) {
                    const std::int64_t rest = row.overhead - row.inputs * in - row.weights * weight - row.outputs * out;
                    return rest >= 0 && rest % out == 0 && rest / out <= 3;
                };
                if (!std::all_of(others.begin(), others.end(), possible)) continue;
                sizes.push_back({in, weight, out});
                EXPECT_FALSE(possible(set28));
            }
    EXPECT_THAT(sizes, testing::UnorderedElementsAre(
                           std::array<std::int64_t, 3>{2, 2, 1}, std::array<std::int64_t, 3>{2, 3, 1},
                           std::array<std::int64_t, 3>{3, 2, 1}, std::array<std::int64_t, 3>{4, 2, 1}));
}

// With the sizes above, all ways to make room for set28, by either formula.
TEST_F(Figure7c, NoSpillsComeToTheBenefitOfSet28) {
    const std::vector<int> set{conv(7), conv(14)};
    std::vector<int> others;
    for (const MemoryMap::Segment& one : workspace_->segments()) {
        const bool needed = std::any_of(set.begin(), set.end(), [&](int operation) {
            const auto& tiles = sized_.operation(operation).tiles;
            return std::find(tiles.begin(), tiles.end(), one.tile) != tiles.end();
        });
        if (one.tile >= 0 && !needed) others.push_back(one.tile);
    }
    ASSERT_EQ(others.size(), 6U);
    const double reused = row(7, 14).as_in_the_table.benefit_bytes + 12.0;  // tIN1
    EXPECT_EQ(reused, 3.0);
    int ways = 0;
    for (unsigned chosen = 0; chosen < 64U; ++chosen) {
        double freed = 0.0;
        double times = 0.0;
        double over = 0.0;
        for (std::size_t i = 0; i < others.size(); ++i) {
            if ((chosen >> i & 1U) == 0) continue;
            const auto size = static_cast<double>(sized_.tile(others[i]).block_bytes);
            const auto often = static_cast<double>(most_references(2, workspace_->remaining_uses(others[i])));
            freed += size;
            times += size * often;
            over += size / often;
        }
        if (freed < 9.0) continue;  // an input, two weights and two outputs; nothing is free
        ++ways;
        EXPECT_LT(reused - times, -3.0);
        EXPECT_LT(reused - over, -3.0);
    }
    EXPECT_EQ(ways, 4);
}

TEST(SetPriority, AFullerScratchpadComesBeforeShorterTransfers) {
    EXPECT_TRUE(goes_before({0, 2, 9}, {0, 1, 1}));
    EXPECT_TRUE(goes_before({0, 2, 1}, {0, 2, 9}));
    EXPECT_TRUE(goes_before({1, 1, 9}, {0, 2, 1}));
}

// Flexer, Fig. 5: the text names the gaps left by first-fit spilling, not the sizes. Inputs of 5, weights of 9 and
// outputs of 11 at these addresses leave just those gaps.
class Figure5 : public testing::Test {
   protected:
    enum { in1, wt1, wt2, wt3, wt4, ot3, ot4, wt5, ot1, in3, ot5, tiles };

    Figure5() {
        map_.put(in1, 0, 5);  // its place is taken by tIN2, of the same size
        map_.put(ot3, 5, 11);
        map_.put(wt1, 16, 9);  // tCONV9 needs it again
        map_.put(wt3, 25, 9);
        map_.put(ot4, 34, 11);
        map_.put(wt2, 49, 9);
        pinned_[in1] = pinned_[wt1] = 1;
        for (const int one : {wt2, wt3}) stake_[one] = 9;
        for (const int one : {ot3, ot4}) stake_[one] = 11;
    }

    bool allocate(int tile, std::int64_t bytes, MemoryPolicy policy) {
        const bool placed = map_.allocate(tile, bytes, policy, {pinned_, stake_, {}}, spilled_).has_value();
        if (placed) pinned_[tile] = 1;
        return placed;
    }

    std::vector<char> pinned_ = std::vector<char>(tiles, 0);
    std::vector<std::int64_t> stake_ = std::vector<std::int64_t>(tiles, 0);
    std::vector<int> spilled_;
    MemoryMap map_{62};  // four bytes are free before tWT2 and at the end
};

TEST_F(Figure5, FirstFitLeavesGapsInWhichNothingFits) {
    EXPECT_TRUE(allocate(wt5, 9, MemoryPolicy::first_fit));
    EXPECT_TRUE(allocate(ot1, 11, MemoryPolicy::first_fit));
    EXPECT_TRUE(allocate(in3, 5, MemoryPolicy::first_fit));
    EXPECT_THAT(spilled_, testing::ElementsAre(ot3, ot4, wt3));
    const std::vector<MemoryMap::Segment>& segments = map_.segments();
    EXPECT_THAT(segments, testing::Contains(testing::AllOf(testing::Field(&MemoryMap::Segment::address, 0x0e),
                                                           testing::Field(&MemoryMap::Segment::bytes, 2),
                                                           testing::Field(&MemoryMap::Segment::tile, -1))));
    EXPECT_THAT(segments, testing::Contains(testing::AllOf(testing::Field(&MemoryMap::Segment::address, 0x1e),
                                                           testing::Field(&MemoryMap::Segment::bytes, 4),
                                                           testing::Field(&MemoryMap::Segment::tile, -1))));
    EXPECT_GE(map_.free_bytes(), 11);
    EXPECT_FALSE(allocate(ot5, 11, MemoryPolicy::first_fit));
}

TEST_F(Figure5, LeastFragmentationPlacesEverything) {
    for (const auto& [tile, bytes] : {std::pair<int, int>{ot1, 11}, {ot5, 11}, {wt5, 9}, {in3, 5}})
        EXPECT_TRUE(allocate(tile, bytes, MemoryPolicy::least_fragmentation)) << tile;
}

// A scratchpad of random blocks, some of them pinned.
struct RandomMap {
    explicit RandomMap(Random& random) {
        std::int64_t address = 0;
        const auto count = static_cast<int>(random.between(1, 9));
        for (int i = 0; i < count; ++i) {
            const std::int64_t bytes = random.between(1, 6);
            const bool free = random.chance(0.3) && (segments.empty() || segments.back().tile >= 0);
            segments.push_back({address, bytes, free ? -1 : i, 0});
            pinned.push_back(random.chance(0.3) ? 1 : 0);
            stake.push_back(random.between(1, 20));
            address += bytes;
        }
    }
    Residents residents() const { return {pinned, stake, {}}; }

    std::vector<MemoryMap::Segment> segments;
    std::vector<char> pinned;
    std::vector<std::int64_t> stake;
};

// Whether the blocks fit side by side anywhere, in this order of addresses or any other: every start is tried.
bool fits_somewhere(const RandomMap& map, const std::vector<NewBlock>& blocks, std::vector<char>& used,
                    std::size_t next) {
    if (next == blocks.size()) return true;
    const auto bytes = static_cast<std::size_t>(blocks[next].bytes);
    for (std::size_t start = 0; start + bytes <= used.size(); ++start) {
        const auto at = used.begin() + static_cast<std::ptrdiff_t>(start);
        const auto end = at + static_cast<std::ptrdiff_t>(bytes);
        if (std::find(at, end, 1) != end) continue;
        std::fill(at, end, 1);
        if (fits_somewhere(map, blocks, used, next + 1)) return true;
        std::fill(at, end, 0);
    }
    return false;
}

TEST(Packing, FindsRoomWhereverThereIsSome) {
    Random random(21);
    int packed = 0;
    int refused = 0;
    for (int round = 0; round < 1000; ++round) {
        const RandomMap map(random);
        std::vector<NewBlock> blocks;
        const auto count = static_cast<int>(random.between(1, 4));
        for (int i = 0; i < count; ++i) blocks.push_back({100 + i, random.between(1, 8)});
        std::vector<char> used;
        for (const MemoryMap::Segment& one : map.segments)
            for (std::int64_t byte = 0; byte < one.bytes; ++byte)
                used.push_back(one.tile >= 0 ? map.pinned[one.tile] : char{0});
        const auto packing = pack(map.segments, blocks, map.residents());
        std::vector<char> room = used;
        ASSERT_EQ(packing.has_value(), fits_somewhere(map, blocks, room, 0));
        ++(packing ? packed : refused);
        if (!packing) continue;
        EXPECT_TRUE(packing->exact);
        for (const MemoryMap::Segment& one : map.segments) {
            const bool spilled =
                std::find(packing->spilled.begin(), packing->spilled.end(), one.tile) != packing->spilled.end();
            const bool touched = std::any_of(blocks.begin(), blocks.end(), [&](const NewBlock& block) {
                const std::int64_t at = packing->address[block.tile - 100];
                return at < one.address + one.bytes && one.address < at + block.bytes;
            });
            EXPECT_EQ(spilled, one.tile >= 0 && touched);
        }
        for (std::size_t i = 0; i < blocks.size(); ++i)
            for (std::int64_t byte = 0; byte < blocks[i].bytes; ++byte)
                EXPECT_EQ(std::exchange(used[packing->address[i] + byte], 1), 0);
    }
    EXPECT_GE(packed, 300);
    EXPECT_GE(refused, 100);
}

// One interval for an output, and one for the other three.
TEST_F(Figure5, ExactPlacementFindsRoomForAllAtOnce) {
    const auto packing = pack(map_.segments(), {{ot1, 11}, {ot5, 11}, {wt5, 9}, {in3, 5}}, {pinned_, stake_, {}});
    ASSERT_TRUE(packing);
    EXPECT_TRUE(packing->exact);
}

void expect_legal(const OperationGraph& graph, const Schedule& schedule, int i) {
    const std::vector<Finding> findings = validate(graph.problem, schedule);
    ASSERT_TRUE(findings.empty()) << i << ": " << findings[0].place << ": " << findings[0].message;
    const Bounds bounds = bounds_of(graph.problem, schedule.rule);
    ASSERT_LE(bounds.traffic_bytes, schedule.traffic_bytes) << i;
    ASSERT_LE(bounds.latency_cycles, schedule.latency_cycles) << i;
}

TEST(ListScheduler, MakesLegalSchedules) {
    Random random(5);
    int checked = 0;
    for (int i = 0; i < 200; ++i) {
        const OperationGraph graph = make_graph(random_problem(random, 60));
        for (const LatencyRule rule : {LatencyRule::sum, LatencyRule::overlap})
            for (const auto memory : {MemoryPolicy::least_fragmentation, MemoryPolicy::first_fit,
                                      MemoryPolicy::small_first, MemoryPolicy::exact})
                for (const auto priority :
                     {SetPriority::memory_benefit, SetPriority::min_transfer, SetPriority::min_spill}) {
                    const auto flows = data_flows(graph);
                    const auto& flow = flows[random.below(flows.size())];
                    expect_legal(graph, list_schedule(graph, {rule, priority, memory, flow}), i);
                    ++checked;
                }
    }
    EXPECT_EQ(checked, 4800);
}

// With a single partial schedule it is the list scheduler with exact placement; a cutoff abandons only worse ones.
TEST(Beam, MakesLegalSchedulesAndLooksNoWorseAhead) {
    Random random(8);
    int better = 0;
    for (int i = 0; i < 150; ++i) {
        const OperationGraph graph = make_graph(random_problem(random, 40));
        for (const LatencyRule rule : {LatencyRule::sum, LatencyRule::overlap}) {
            const Cutoff none{{}, 1e300, 0};
            const Schedule wide = beam_schedule(graph, {rule, 4, 3}, none).value();
            const Schedule narrow = beam_schedule(graph, {rule, 1, 1}, none).value();
            const std::vector<Finding> findings = validate(graph.problem, wide);
            ASSERT_TRUE(findings.empty()) << i << ": " << findings[0].place << ": " << findings[0].message;
            ASSERT_TRUE(validate(graph.problem, narrow).empty()) << i;
            const std::array<Dim, kDims> by_number{Dim::out_w, Dim::out_h, Dim::out_c, Dim::in_c};
            const Schedule list =
                list_schedule(graph, {.rule = rule, .memory = MemoryPolicy::exact, .data_flow = by_number});
            ASSERT_EQ(score_of({}, narrow), score_of({}, list)) << i;
            better += score_of({}, wide) < score_of({}, narrow) ? 1 : 0;
            const double value = score_of({}, wide).value;
            const auto cut = beam_schedule(graph, {rule, 4, 3}, Cutoff{{}, value * 0.99, 0});
            ASSERT_TRUE(!cut || score_of({}, *cut).value <= value * 0.99) << i;
        }
    }
    EXPECT_GT(better, 20);
}

TEST(Ordered, MakesLegalSchedules) {
    Random random(6);
    int checked = 0;
    for (int i = 0; i < 200; ++i) {
        const OperationGraph graph = make_graph(random_problem(random, 60));
        for (const LatencyRule rule : {LatencyRule::sum, LatencyRule::overlap}) {
            const std::vector<OrderedPlan> plans = ordered_plans(graph, rule);
            for (std::size_t p = 0; p < plans.size(); p += 1 + plans.size() / 8) {
                expect_legal(graph, run_in_order(graph, ordered_sets(graph, plans[p]), rule, plans[p].patience), i);
                ++checked;
            }
        }
    }
    EXPECT_GT(checked, 1500);
}

}  // namespace
}  // namespace tilewright::schedule::list_scheduler_test
