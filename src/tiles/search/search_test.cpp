#include <gmock/gmock.h>

#include <cstdlib>
#include <fstream>
#include <functional>
#include <random>
#include <set>

#include "tiles/files/shipped.hpp"
#include "tiles/search/calibrate.hpp"
#include "tiles/search/conflict.hpp"
#include "tiles/search/table.hpp"

namespace tilewright::tiles {
namespace {

using Numbers = std::vector<std::int64_t>;

Machine machine_of(const std::string& name) { return name.empty() ? Machine{} : shipped_machine(name); }
Problem shipped(const std::string& rules, const std::string& machine = "") {
    return make_problem(read_rules(shipped_rule_file(rules)), machine_of(machine));
}
Problem made(const std::string& rules, const Machine& machine = {}) {
    return make_problem(read_rules(yaml::parse_text("version: 1\nkernel: k\n" + rules, "rules.yaml")), machine);
}
std::int64_t legal(const Problem& problem, const Numbers& given) {
    return PointWalk(problem, given, {}).each([](const std::int64_t*) { return true; }).legal;
}
AskOptions by(std::vector<Measure> measures, std::size_t runners_up = 1) {
    return {std::move(measures), {}, runners_up};
}

// Of another program, in Python, that knows the same rules.
TEST(TilesPoints, AreAsManyAsThoseOfTheReference) {
    EXPECT_EQ(legal(shipped("clblast", "rtx3090"), {4096, 4096, 4096}), 17'956);  // and of the Kernel Tuner's sweep
    EXPECT_EQ(legal(shipped("gemmini"), {512, 512, 512, 0}), 6'904);
    EXPECT_EQ(legal(shipped("gemmini"), {512, 512, 512, 1}), 3'418);
    EXPECT_EQ(legal(shipped("iree-llvmgpu", "mi300x"), {2048, 1280, 1280}), 1'268);
    EXPECT_EQ(legal(shipped("tt-mcast-2d"), {64, 64, 32, 8, 8, 0}), 7'455);
    EXPECT_EQ(legal(shipped("aie2p", "aie2p"), {2048, 2048, 2048, 0, 4, 1}), 1'596);
    EXPECT_EQ(legal(shipped("aie2p", "aie2p"), {2048, 2048, 2048, 1, 4, 0}), 1'128);
    EXPECT_EQ(legal(shipped("triton-nvidia", "h100"), {512, 4096, 4096}), 4 * 312);  // in four orders of blocks
    EXPECT_EQ(legal(shipped("pallas-tpu", "tpu-v6e"), {1024, 4096, 4096, 8}), 120);
}

TEST(TilesPoints, AreWhatTheFileSays) {
    const Problem problem = made(
        "given: [M]\nchoose: {a: divisors of M, b: powers of two 2..M, c: 3..M step 4, \"d, e\": [[1, 2], [5, 6]]}\n"
        "let: {s: a + b, t: s * 2}\nrequire: [t < 12, d != 5 or c == 7]\n");
    std::vector<Numbers> points;
    PointWalk(problem, Numbers{8}, {}).each([&](const std::int64_t* slots) {
        points.emplace_back(slots + 1, slots + 6);
        return true;
    });
    // a + b < 6: (1, 2), (1, 4), (2, 2); c is 3 or 7.
    EXPECT_THAT(points, testing::ElementsAre(Numbers{1, 2, 3, 1, 2}, Numbers{1, 2, 7, 1, 2}, Numbers{1, 2, 7, 5, 6},
                                             Numbers{1, 4, 3, 1, 2}, Numbers{1, 4, 7, 1, 2}, Numbers{1, 4, 7, 5, 6},
                                             Numbers{2, 2, 3, 1, 2}, Numbers{2, 2, 7, 1, 2}, Numbers{2, 2, 7, 5, 6}));
}

TEST(TilesPoints, ABadValueIsAnErrorAndNoVerdict) {
    const Problem problem = made("given: [M]\nchoose: {a: 0..4}\nrequire: [M % a == 0]\n");
    EXPECT_THROW(legal(problem, {8}), InputError);
    EXPECT_THROW(legal(made("given: [M]\nchoose: {a: divisors of M}\n"), {0}), InputError);
    EXPECT_THROW(legal(problem, {8, 9}), InputError);
}

TEST(TilesPoints, CheckSaysWhatAPointBreaks) {
    const Problem problem = shipped("triton-nvidia", "h100");
    std::vector<std::int64_t> slots = slots_for(problem, Numbers{512, 4096, 4096});
    const Numbers point{256, 256, 96, 1, 4, 5};
    std::ranges::copy(point, slots.begin() + problem.rules.point_slot());
    const Broken broken = broken_by(problem, slots);
    EXPECT_THAT(broken.choices, testing::ElementsAre("BK = 96 is not of its list"));
    EXPECT_THAT(broken.requirements, testing::ElementsAre(0, 1));
}

TEST(TilesPoints, TheTutorialsConfigurationsAreLegal) {
    const Problem problem = shipped("triton-nvidia-16", "a100");
    const auto broken = [&](const Numbers& point) {
        std::vector<std::int64_t> slots = slots_for(problem, Numbers{4096, 4096, 4096});
        std::ranges::copy(point, slots.begin() + problem.rules.point_slot());
        return broken_by(problem, slots);
    };
    // BM, BN, BK, group_m, warps, stages of Triton's tutorial on matrix products.
    for (const Numbers& point : {Numbers{128, 256, 64, 8, 8, 3},
                                 {64, 256, 32, 8, 4, 4},
                                 {128, 128, 32, 8, 4, 4},
                                 {128, 64, 32, 8, 4, 4},
                                 {64, 128, 32, 8, 4, 4},
                                 {128, 32, 32, 8, 4, 4},
                                 {64, 32, 32, 8, 2, 5},
                                 {32, 64, 32, 8, 2, 5}}) {
        EXPECT_THAT(broken(point).choices, testing::IsEmpty()) << point[0] << " x " << point[1];
        EXPECT_THAT(broken(point).requirements, testing::IsEmpty()) << point[0] << " x " << point[1];
    }
    EXPECT_THAT(broken({256, 256, 128, 8, 4, 5}).requirements, testing::ElementsAre(0, 1));
}

// buddy-mlir's issue 933: halves of the memories where nothing is double-buffered cost 42 blocks for 16.
TEST(TilesAsk, GemminisQuestion) {
    const Problem problem = shipped("gemmini");
    const auto counts = [&](const Numbers& point) {
        std::vector<std::int64_t> slots = slots_for(problem, Numbers{512, 512, 512, 0});
        std::ranges::copy(point, slots.begin() + problem.rules.point_slot());
        complete(problem.rules, slots.data());
        return Numbers{problem.rules.minimize[1](slots.data()), problem.rules.minimize[0](slots.data())};
    };
    EXPECT_EQ(counts({5, 6, 32}), (Numbers{42, 5024}));
    EXPECT_EQ(counts({8, 8, 32}), (Numbers{16, 3072}));
    const Answer answer = ask(problem, Numbers{512, 512, 512, 0}, by({Measure::count}));
    EXPECT_EQ(answer.claim, Claim::proven);
    EXPECT_EQ(answer.walked.legal, 6'904);
    EXPECT_EQ(answer.best.score[0], 3072);
    EXPECT_EQ(answer.best.score[1], 16);
}

// The least moves of 288 shapes, output-stationary, found by another program; every fourth, all where TILES_ALL is set.
TEST(TilesAsk, GemminisLeastMovesOfManyShapes) {
    std::ifstream file("tests/golden/tiles/gemmini_moves.txt");
    const Problem problem = shipped("gemmini");
    const int step = std::getenv("TILES_ALL") != nullptr ? 1 : 4;
    std::int64_t m = 0;
    std::int64_t n = 0;
    std::int64_t k = 0;
    double moves = 0;
    int shapes = 0;
    while (file >> m >> n >> k >> moves) {
        if (shapes++ % step != 0) continue;
        EXPECT_EQ(ask(problem, Numbers{m, n, k, 0}, by({Measure::count}, 0)).best.score[0], moves)
            << m << ' ' << n << ' ' << k;
    }
    EXPECT_EQ(shapes, 288);
}

TEST(TilesAsk, WordsNeedAMapAndNoFormula) {
    const Problem problem = made(
        "given: [M, N, K]\nchoose: {a: divisors of M, b: divisors of N, c: divisors of K}\n"
        "require: [a * c + c * b + a * b <= 48]\n"
        "map: {m: [a, M], n: [b, N], k: [c, K]}\n");
    const Answer answer = ask(problem, Numbers{16, 16, 16}, by({Measure::words}));
    // 4 x 8 sums stay for their whole reduction: A comes twice, B four times, and O goes once.
    EXPECT_EQ(answer.best.point, (Numbers{4, 8, 1}));
    EXPECT_EQ(answer.best.score[0], 16 * 16 * (2 + 4 + 1));
    EXPECT_EQ(answer.claim, Claim::proven);
    EXPECT_THROW(measures_of(problem.rules, "words,count"), InputError);
    EXPECT_THROW(measures_of(shipped("ethos-u55").rules, "words"), InputError);
}

TEST(TilesAsk, TheFirstOfEqualsWins) {
    const Problem problem = made("choose: {a: [3, 1, 2], b: [0, 1]}\nminimize: (a - 2) ** 2\n");
    const Answer answer = ask(problem, {}, by({Measure::count}, 3));
    EXPECT_EQ(answer.best.point, (Numbers{2, 0}));
    ASSERT_EQ(answer.runners_up.size(), 3U);
    EXPECT_EQ(answer.runners_up[0].point, (Numbers{2, 1}));
    EXPECT_EQ(answer.runners_up[1].point, (Numbers{3, 0}));
    EXPECT_EQ(answer.runners_up[2].point, (Numbers{3, 1}));
}

TEST(TilesAsk, ClaimsWhatItDid) {
    const std::string rules = "given: [M]\nchoose: {a: 1..1000}\ntime: {us: M + (a - 700) ** 2}\n";
    const Problem plain = made(rules);
    const Problem bounded = made(rules + "bound: M\n");
    AskOptions options = by({Measure::time}, 0);
    EXPECT_EQ(ask(plain, Numbers{10}, options).claim, Claim::proven);
    const Answer reached = ask(bounded, Numbers{10}, options);
    EXPECT_EQ(reached.claim, Claim::proven);
    EXPECT_EQ(reached.walked.tried, 700);  // the bound is reached there, and nothing can be better
    options.limits.most_tried = 699;
    EXPECT_EQ(ask(plain, Numbers{10}, options).claim, Claim::best_found);
    const Answer within = ask(bounded, Numbers{10}, options);
    EXPECT_EQ(within.claim, Claim::within);
    EXPECT_NEAR(within.within, 0.1, 1e-12);
    const Problem wrong = made(rules + "bound: 20 * M\n");
    EXPECT_THROW(static_cast<void>(ask(wrong, Numbers{10}, options)), InputError);  // no proof, nor a distance below 0
    options.limits.most_tried = 0;
    EXPECT_FALSE(ask(plain, Numbers{10}, options).has_point());
    EXPECT_EQ(ask(plain, Numbers{10}, options).claim, Claim::best_found);
}

// No time of the shipped rules is below what they declare.
TEST(TilesAsk, DeclaredBoundsHold) {
    for (const char* rules : {"triton-nvidia", "triton-amd"}) {
        const Problem problem = shipped(rules, rules[7] == 'n' ? "h100" : "mi300x");
        for (const Numbers& given : {Numbers{1, 4096, 4096}, Numbers{17, 256, 8192}, Numbers{4096, 7168, 2048}}) {
            Scorer scorer(problem, {Measure::time});
            const double bound = scorer.bound(slots_for(problem, given).data()).value();
            EXPECT_GT(bound, 0.0);
            EXPECT_GE(ask(problem, given, by({Measure::time})).best.time_us, bound);
        }
    }
}

// Rules of all kinds: requirements that grow or fall, idle choices, values that follow others, conditions, numbers
// below 0.
std::string random_rules(std::mt19937& random) {
    const auto one_of = [&](const std::vector<std::string>& texts) { return texts[random() % texts.size()]; };
    const auto sum = [&] {
        return one_of({"a", "b", "a * c", "x", "x * y", "M", "2 * c - b", "y", "cdiv(M, 1 + c * c)", "max(a, c)"}) +
               one_of({" + ", " * ", " - "}) +
               one_of({"1", "3", "a", "c", "x", "b * c", "(b if a > 1 else c)", "y % 3"});
    };
    std::string rules = "given: [M]\nchoose:\n  idle: [4, 2, 9]\n";
    rules += "  a: " + one_of({"0..5", "[1, 2, 5]", "[5, 1, 2]", "-2..3"}) + "\n";
    rules += "  b: " + one_of({"1..4 step 2", "powers of two 1..9", "divisors of 12", "a..a + 2"}) + "\n";
    rules += "  c: " + one_of({"[1, 2, 3, 4]", "M..M + 3", "0..b"}) + "\n";
    rules += "let: {x: " + sum() + ", y: a * b + c}\nrequire:\n";
    for (int i = 0; i < 3; ++i)
        rules += "- " + sum() + one_of({" <= ", " < ", " >= ", " != "}) + one_of({"M", "9", "3 * M", "20", "b"}) + "\n";
    return rules +
           "time: {p: (a - 1) ** 2, q: p + abs_of, us: 50 + q + (c * b - M) ** 2 / 7}\nminimize: [(y - 4) ** 2, -c]\n";
}

// Every combination of values, each asked for itself: nothing is left out, put off, or stopped early.
void each_combination(const Problem& problem, std::vector<std::int64_t>& slots, std::size_t depth,
                      const std::function<void(std::vector<std::int64_t>&)>& visit) {
    if (depth == problem.rules.choices.size()) return visit(slots);
    ChoiceValues values;
    values.set(problem.rules.choices[depth], problem, slots.data());
    for (std::int64_t i = 0; i < values.count(); ++i) {
        values.put(i, slots.data() + problem.rules.choices[depth].slot);
        each_combination(problem, slots, depth + 1, visit);
    }
}

TEST(TilesAsk, FindsWhatEnumerationFinds) {
    std::mt19937 random(11);
    std::int64_t compared = 0;
    for (int round = 0; round < 400; ++round) {
        std::string text = random_rules(random);
        text.replace(text.find("abs_of"), 6, round % 2 == 0 ? "(b if b > a else a)" : "y ** 2 / 3");
        Problem problem = made("choose: {a: [1]}\n");
        try {
            problem = made(text);
        } catch (const InputError&) {
            continue;  // a circle of lets
        }
        for (const std::int64_t m : {-3, 0, 4, 12}) {
            for (const std::vector<Measure>& measures :
                 {std::vector{Measure::time}, {Measure::count}, {Measure::count, Measure::time}}) {
                std::vector<std::int64_t> slots = slots_for(problem, Numbers{m});
                Scorer scorer(problem, measures);
                std::vector<ChoiceValues> scratch;
                std::vector<std::pair<Score, Numbers>> all;
                each_combination(problem, slots, 0, [&](std::vector<std::int64_t>& here) {
                    if (!is_legal(problem, here, scratch)) return;
                    all.emplace_back(scorer.score(here.data()), Numbers(here.begin() + problem.rules.point_slot(),
                                                                        here.begin() + problem.rules.let_slot()));
                });
                std::ranges::stable_sort(all, {}, &std::pair<Score, Numbers>::first);
                for (const std::size_t next : {0, 3}) {
                    const Answer answer = ask(problem, Numbers{m}, by(measures, next));
                    ASSERT_EQ(answer.walked.legal, static_cast<std::int64_t>(all.size())) << text << m;
                    if (all.empty()) continue;
                    EXPECT_EQ(answer.best.point, all[0].second) << text << m;
                    EXPECT_EQ(answer.best.score, all[0].first);
                    for (std::size_t i = 0; i < answer.runners_up.size(); ++i)
                        EXPECT_EQ(answer.runners_up[i].point, all[i + 1].second) << text << m;
                    ++compared;
                }
            }
        }
    }
    EXPECT_GT(compared, 2000);
}

// Of every set of requirements whether a point holds them all: the smallest that none does.
std::set<std::vector<std::size_t>> smallest_conflicts(const Problem& problem, std::span<const std::int64_t> given) {
    const Rules& rules = problem.rules;
    const std::size_t count = rules.requirements.size();
    std::set<unsigned> held;
    std::vector<std::int64_t> slots = slots_for(problem, given);
    for (slots[1] = 0; slots[1] < 6; ++slots[1])
        for (slots[2] = 0; slots[2] < 6; ++slots[2]) {
            unsigned holds = 0;
            for (std::size_t i = 0; i < count; ++i)
                holds |= (rules.requirements[i].holds(slots.data()) != 0 ? 1U : 0U) << i;
            held.insert(holds);
        }
    std::set<std::vector<std::size_t>> found;
    for (int size = 1; found.empty(); ++size)
        for (unsigned set = 1; set < 1U << count; ++set) {
            if (__builtin_popcount(set) != size) continue;
            if (std::ranges::any_of(held, [&](unsigned holds) { return (holds & set) == set; })) continue;
            std::vector<std::size_t> numbers;
            for (std::size_t i = 0; i < count; ++i)
                if ((set >> i & 1U) != 0) numbers.push_back(i);
            found.insert(numbers);
        }
    return found;
}

TEST(TilesConflict, IsTheSmallestOfAllSets) {
    std::mt19937 random(7);
    const auto below = [&](int most) { return static_cast<int>(random() % static_cast<unsigned>(most)); };
    int compared = 0;
    for (int i = 0; i < 300; ++i) {
        std::string rules = "given: [M]\nchoose: {a: 0..5, b: 0..5}\nrequire:\n";
        const int count = 3 + below(4);
        for (int j = 0; j < count; ++j)
            rules += "- " + std::to_string(below(5) - 2) + " * a + " + std::to_string(below(5) - 2) + " * b " +
                     (below(2) != 0 ? "<=" : ">=") + " " + std::to_string(below(9) - 4) + "\n";
        const Problem problem = made(rules);
        if (legal(problem, {0}) > 0) continue;
        const Conflicts conflicts = conflicts_of(problem, Numbers{0});
        const auto all = smallest_conflicts(problem, Numbers{0});
        EXPECT_EQ(std::set(conflicts.sets.begin(), conflicts.sets.end()), all) << rules;
        ++compared;
    }
    EXPECT_GT(compared, 50);
}

TEST(TilesConflict, NamesItsReasons) {
    const Problem problem = shipped("aie2p", "aie2p");
    const Numbers given{1000, 2048, 2048, 0, 4, 1};
    ASSERT_EQ(legal(problem, given), 0);
    const std::vector<std::string> lines = conflict_lines(problem.rules, conflicts_of(problem, given));
    ASSERT_EQ(lines.size(), 2U);
    EXPECT_EQ(lines[0], "this requirement holds for no point:");
    EXPECT_EQ(lines[1], "  M % (tile_m * herd_m) == 0: rows of the herd divide M; what they do not is silently wrong");
    const Problem empty = made("given: [M]\nchoose: {a: 1..M, b: [1]}\nrequire: [a > 0]\n");
    EXPECT_THAT(conflicts_of(empty, Numbers{0}).empty_choices, testing::ElementsAre("a"));
}

// Times of the reference's tiles on an H100: (rows, columns, depth) in three stages.
Problem range_problem() {
    Machine machine = machine_of("h100");
    return made(
        "given: [M, N, K]\nmachine: [cores, peak, bandwidth, shared, launch_us, rate_share, bandwidth_share, "
        "latency_us, fill_us, inlet]\n"
        "choose: {BM: [16, 32, 64, 128, 256], BN: [32, 64, 128, 256], BK: [64, 128]}\nrequire: [(BM + BN) * BK * 3 <= "
        "shared]\n"
        "time:\n  steps: cdiv(K, BK)\n  compute: 2 * BM * BN * BK * cores / (rate_share * peak)\n  operands: (min(BM, "
        "M) + min(BN, N)) * BK / inlet\n"
        "  step: max(compute, operands, latency_us / 3)\n  waves: cdiv(cdiv(M, BM) * cdiv(N, BN), cores)\n  blocks: "
        "waves * (steps * step + fill_us)\n"
        "  memory: (M * K + N * K + 2 * M * N) / (bandwidth_share * bandwidth)\n  us: launch_us + overlap(blocks, "
        "memory)\n",
        machine);
}

TEST(TilesTable, HasAsFewIntervalsAsTheReference) {
    const Problem problem = range_problem();
    const auto intervals = [&](std::int64_t n, std::int64_t k, double loss) {
        return make_table(problem, Numbers{1, n, k}, 0, {1, 2048}, loss, by({Measure::time})).intervals.size();
    };
    EXPECT_EQ(intervals(4096, 4096, 0.0), 13U);
    EXPECT_EQ(intervals(4096, 4096, 0.05), 5U);
    EXPECT_EQ(intervals(7168, 2048, 0.02), 12U);
    EXPECT_EQ(intervals(1536, 7168, 0.1), 7U);
    EXPECT_EQ(intervals(28672, 8192, 0.05), 1U);
}

TEST(TilesTable, KeepsItsPromiseAtEveryNumber) {
    const Problem problem = range_problem();
    const AskOptions options = by({Measure::time}, 0);
    const Table table = make_table(problem, Numbers{1, 1536, 7168}, 0, {1, 600}, 0.05, options);
    std::int64_t next = 1;
    for (const Interval& interval : table.intervals) {
        EXPECT_EQ(interval.from, next);
        next = interval.to + 1;
    }
    EXPECT_EQ(next, 601);
    Scorer scorer(problem, {Measure::time});
    for (std::int64_t m = 1; m <= 600; ++m) {
        const Interval* interval = lookup(table, m);
        ASSERT_NE(interval, nullptr);
        std::vector<std::int64_t> slots = slots_for(problem, Numbers{m, 1536, 7168});
        std::ranges::copy(interval->point, slots.begin() + problem.rules.point_slot());
        complete(problem.rules, slots.data());
        const double best = ask(problem, Numbers{m, 1536, 7168}, options).best.time_us;
        EXPECT_LE(scorer.score(slots.data())[0], best * (1.0 + interval->worst_loss) * (1.0 + 1e-9));
        EXPECT_LE(interval->worst_loss, 0.05 + 1e-9);
    }
    EXPECT_EQ(lookup(table, 0), nullptr);
    EXPECT_EQ(lookup(table, 601), nullptr);
}

// By dynamic programming over every interval that has a point: no cover has fewer.
TEST(TilesTable, NoCoverHasFewerIntervals) {
    std::mt19937 random(3);
    for (int round = 0; round < 20; ++round) {
        const int a = static_cast<int>(random() % 7) + 2;
        const int b = static_cast<int>(random() % 5) + 1;
        const std::string rules =
            "given: [M]\nchoose: {t: 1..6}\nrequire: [M % t != 1 or t == 1]\nminimize: 20 + (M * " + std::to_string(a) +
            " + t * " + std::to_string(b) + ") % (5 + t)\n";
        const Problem problem = made(rules);
        constexpr std::int64_t kMost = 40;
        constexpr double kLoss = 0.1;
        const auto score = [&](std::int64_t m, std::int64_t t) {
            return 20.0 + static_cast<double>((m * a + t * b) % (5 + t));
        };
        const auto good = [&](std::int64_t m, std::int64_t t) {
            double best = 1e9;
            for (std::int64_t u = 1; u <= 6; ++u)
                if (u == 1 || m % u != 1) best = std::min(best, score(m, u));
            return (t == 1 || m % t != 1) && score(m, t) <= best * (1 + kLoss) * (1 + 1e-12);
        };
        std::vector<std::size_t> least(kMost + 1, 1000);
        least[0] = 0;
        for (std::int64_t to = 1; to <= kMost; ++to)
            for (std::int64_t t = 1; t <= 6; ++t)
                for (std::int64_t from = to; from >= 1 && good(from, t); --from)
                    least[to] = std::min(least[to], least[from - 1] + 1);
        EXPECT_EQ(make_table(problem, Numbers{1}, 0, {1, kMost}, kLoss, by({Measure::count})).intervals.size(),
                  least[kMost])
            << rules;
    }
}

TEST(TilesTable, SaysWhereNothingIsLegal) {
    const Problem problem = made("given: [M]\nchoose: {t: [4]}\nrequire: [M % t == 0]\nminimize: t\n");
    const Table table = make_table(problem, Numbers{1}, 0, {3, 6}, 0.0, by({Measure::count}));
    ASSERT_EQ(table.intervals.size(), 3U);
    EXPECT_EQ(lookup(table, 3), nullptr);
    EXPECT_EQ(lookup(table, 4)->point, Numbers{4});
    EXPECT_EQ(lookup(table, 5), nullptr);
    EXPECT_EQ(table.intervals[2].to, 6);
    EXPECT_THROW(make_table(problem, Numbers{1}, 0, {6, 3}, 0.0, by({Measure::count})), InputError);
    EXPECT_THROW(make_table(problem, Numbers{1}, 0, {1, 2'000'000}, 0.0, by({Measure::count})), InputError);
}

// Times made by known numbers are found again, and code that is twice as slow is told apart.
TEST(TilesCalibrate, FindsTheNumbersThatMadeTheTimes) {
    const std::string rules =
        "given: [M]\nmachine: [rate, start]\nchoose: {t: kernels of the machine}\nquality: [t]\n"
        "time:\n  us: start + M * cdiv(100, t) / rate\ncalibrate: {rate: [1, 2, 4, 8], start: [0, 1, 3, 9]}\n";
    std::vector<MeasuredPoint> rows;
    for (std::int64_t m = 1; m <= 40; ++m)
        for (const std::int64_t t : {2, 4, 5, 10, 25})
            rows.push_back(
                {{m}, {t}, (3.0 + static_cast<double>(m * ((100 + t - 1) / t)) / 4.0) * (t == 25 ? 2.0 : 1.0)});
    Machine begin;
    begin.numbers = {{"rate", 1}, {"start", 1}};
    const Machine found =
        calibrated(read_rules(yaml::parse_text("version: 1\nkernel: k\n" + rules, "rules.yaml")), begin, rows);
    EXPECT_NEAR(found.numbers.at("rate"), 4.0, 0.2);
    EXPECT_NEAR(found.numbers.at("start"), 3.0, 0.2);
    EXPECT_EQ(found.kernels, (std::vector<Numbers>{{2}, {4}, {5}, {10}, {25}}));
    EXPECT_NEAR(found.quality.at({25}).time, 2.0, 0.05);
    EXPECT_NEAR(found.quality.at({10}).time, 1.0, 0.05);
    EXPECT_EQ(found.quality.at({10}).rows, 40);
    EXPECT_LT(found.measured_error, 0.05);
}

}  // namespace
}  // namespace tilewright::tiles
