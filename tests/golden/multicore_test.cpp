// Plans of small cascades on small packages: counts that a brute force of other authors recorded, every one of them.
#include <gmock/gmock.h>

#include <cstdio>
#include <filesystem>
#include <fstream>

#include "certificate/package/claim.hpp"
#include "golden/multicore_cases.hpp"
#include "multicore/search/optimize.hpp"
#include "multicore/search/run_search.hpp"
#include "oracle/package_walk.hpp"

namespace tilewright {
namespace {

using nlohmann::json;

struct Seen {
    int plans = 0;
    int refused = 0;
};

json walked(const golden::PackageCase& one, const std::vector<package::Run>& runs) {
    const oracle::PackageWalk walk = oracle::walk_package(one.cascade, one.package, runs);
    if (!walk.refused.empty()) return {{"refused", walk.refused}};
    multicore::Cost cost;
    cost.energy.leaves = walk.energy_pj - walk.link_pj;
    cost.energy.links = walk.link_pj;
    cost.cycles = walk.cycles;
    cost.counts = {walk.operations, walk.leaf_reads, walk.leaf_writes, walk.sends,     walk.arrivals,
                   walk.partials,   walk.dram_reads, walk.dram_writes, walk.link_words};
    cost.peak = walk.peak;
    return golden::counts_of(cost, walk.slots);
}

// `counts`: null where the plan is refused.
void check(const golden::PackageCase& one, const json& plan, const json& counts, bool walk, Seen& seen) {
    const multicore::Problem problem(one.cascade, one.package);
    const package::Network network(one.package);
    multicore::LaneLeaves leaves(problem);
    const multicore::Evaluator evaluator(problem, network, leaves);
    const std::vector<package::Run> runs = golden::read_runs(plan, one.cascade);
    ++seen.plans;
    const json got = golden::counts_of_runs(evaluator, runs);
    if (counts.is_null()) {
        ++seen.refused;
        EXPECT_TRUE(got.contains("refused")) << one.name << plan;
    } else {
        EXPECT_EQ(got, counts) << one.name << plan;
    }
    if (!walk) return;
    const json judged = walked(one, runs);
    EXPECT_EQ(judged.contains("refused") ? json() : judged, counts) << one.name << plan;
}

void check_line(const json& one, const json& answer, bool walk, Seen& seen) {
    const golden::PackageCase read = golden::read_package_case(one);
    for (const char* objective : {"energy", "cycles", "edp"})
        if (answer.contains(objective) && !answer.at(objective).is_null())
            check(read, answer.at(objective).at("plan"), answer.at(objective).at("counts"), walk, seen);
    for (const json& sample : answer.at("samples"))
        check(read, {{"segments", json::array({sample.at("segment")})}},
              sample.contains("counts") ? sample.at("counts") : json(), walk, seen);
}

TEST(MulticoreFacts, ExampleByHand) {
    std::ifstream file("tests/golden/multicore/hand.json");
    ASSERT_TRUE(file.good());
    const json hand = json::parse(file);
    const golden::PackageCase one = golden::read_package_case(hand.at("case"));
    Seen seen;
    const json counts = {
        {"energy", 412},    {"cycles", 28},   {"operations", 32}, {"leaf_reads", 64},       {"leaf_writes", 16},
        {"sends", 16},      {"arrivals", 24}, {"partials", 0},    {"dram_reads", 16},       {"dram_writes", 8},
        {"link_words", 84}, {"link_pj", 20},  {"peak", {16, 16}}, {"slots", {{4, 8, 8, 8}}}};
    check(one, hand.at("plan"), counts, true, seen);
}

TEST(MulticoreFacts, RecordedCounts) {
    std::ifstream file("tests/golden/multicore/facts.jsonl");
    ASSERT_TRUE(file.good());
    Seen seen;
    for (std::string line; std::getline(file, line);) {
        const json one = json::parse(line);
        check_line(one.at("case"), one.at("answer"), true, seen);
    }
    EXPECT_GE(seen.plans, 40);
    EXPECT_GE(seen.refused, 4);
}

TEST(MulticoreGolden, EveryCount) {
    const std::filesystem::path folder = "../shared/golden/multicore";
    if (!std::filesystem::exists(folder)) GTEST_SKIP() << "skipped: there is no folder " << folder;
    std::ifstream cases(folder / "cases.jsonl");
    std::ifstream answers(folder / "answers.jsonl");
    Seen seen;
    for (std::string one, answer; std::getline(cases, one) && std::getline(answers, answer);)
        check_line(json::parse(one), json::parse(answer), false, seen);
    EXPECT_GE(seen.plans, 2500);
    EXPECT_GE(seen.refused, 400);
}

// Values of the objective; of equally good plans any will do.
void check_optima(const json& one, const json& answer, int& proven) {
    const golden::PackageCase read = golden::read_package_case(one);
    const multicore::Problem problem(read.cascade, read.package);
    const package::Network network(read.package);
    multicore::LaneLeaves leaves(problem);
    const multicore::Evaluator evaluator(problem, network, leaves);
    for (const auto& [name, objective] :
         {std::pair{"energy", "energy"}, std::pair{"cycles", "latency"}, std::pair{"edp", "edp"}}) {
        const multicore::Answer found = multicore::optimize(evaluator, *parse_objective(objective));
        EXPECT_EQ(found.best.has_value(), !answer.at(name).is_null()) << read.name << " " << name;
        if (!found.best || answer.at(name).is_null()) continue;
        const json& counts = answer.at(name).at("counts");
        const double energy = counts.at("energy").get<double>();
        const double cycles = counts.at("cycles").get<double>();
        const double want = objective == std::string("energy") ? energy
                            : objective == std::string("edp")  ? energy * cycles
                                                               : cycles;
        EXPECT_EQ(found.best->value, want) << read.name << " " << name;
        EXPECT_TRUE(found.proven) << read.name << " " << name << " " << found.bound / found.best->value - 1.0;
        ++proven;
    }
}

// Every so many cases; returns optima that were proven.
int check_optima(const std::filesystem::path& folder, int every) {
    std::ifstream cases(folder / "cases.jsonl");
    std::ifstream answers(folder / "answers.jsonl");
    int proven = 0;
    int number = 0;
    for (std::string one, answer; std::getline(cases, one) && std::getline(answers, answer); ++number)
        if (number % every == 0) check_optima(json::parse(one), json::parse(answer), proven);
    return proven;
}

TEST(MulticoreGolden, Optima) {
    const std::filesystem::path folder = "../shared/golden/multicore";
    if (!std::filesystem::exists(folder)) GTEST_SKIP() << "skipped: there is no folder " << folder;
    EXPECT_GE(check_optima(folder, 6), 48 * 3);
}

TEST(MulticoreGolden, DISABLED_EveryOptimum) {
    const std::filesystem::path folder = "../shared/golden/multicore";
    if (!std::filesystem::exists(folder)) GTEST_SKIP() << "skipped: there is no folder " << folder;
    EXPECT_EQ(check_optima(folder, 1), 294 * 3);
}

struct Certified {
    int confirmed = 0;
    int best = 0;
};

// What is confirmed lies at the recorded optimum, which a brute force found, or below; what is above is refused.
void check_certificate(const golden::PackageCase& read, const std::string& objective, double optimum, Certified& seen) {
    const multicore::Problem problem(read.cascade, read.package);
    const package::Network network(read.package);
    multicore::LaneLeaves leaves(problem);
    const multicore::Evaluator evaluator(problem, network, leaves);
    const multicore::Answer found = multicore::optimize(evaluator, *parse_objective(objective));
    ASSERT_TRUE(found.best) << read.name;
    certificate::package_proof::Claim claim{read.cascade,      read.package, objective, found.best->plan,
                                            found.best->value, 0.0,          {}};
    certificate::package_proof::add_bound(claim, found.potentials);
    const certificate::package_proof::Verdict verdict = certificate::package_proof::check(claim);
    ASSERT_TRUE(verdict.findings.empty()) << read.name << verdict.findings.front().message;
    EXPECT_LE(claim.bound, optimum * (1.0 + 1e-9)) << read.name << " " << objective;
    ++seen.confirmed;
    seen.best += claim.bound >= optimum * (1.0 - 1e-9) ? 1 : 0;
}

// Every so many cases of energy; of latency a third of these.
Certified check_certificates(const std::filesystem::path& folder, int every) {
    std::ifstream cases(folder / "cases.jsonl");
    std::ifstream answers(folder / "answers.jsonl");
    Certified seen;
    int number = 0;
    for (std::string one, answer; std::getline(cases, one) && std::getline(answers, answer); ++number) {
        if (number % every != 0) continue;
        const golden::PackageCase read = golden::read_package_case(json::parse(one));
        const json optima = json::parse(answer);
        for (const auto& [name, objective] : {std::pair{"energy", "energy"}, std::pair{"cycles", "latency"}}) {
            if (optima.at(name).is_null() || (objective == std::string("latency") && number % (3 * every) != 0))
                continue;
            const json& counts = optima.at(name).at("counts");
            check_certificate(read, objective, counts.at(name).get<double>(), seen);
        }
    }
    return seen;
}

TEST(MulticoreGolden, Certificates) {
    const std::filesystem::path folder = "../shared/golden/multicore";
    if (!std::filesystem::exists(folder)) GTEST_SKIP() << "skipped: there is no folder " << folder;
    const Certified seen = check_certificates(folder, 12);
    EXPECT_GE(seen.confirmed, 24);
    EXPECT_GE(seen.best, 24);
}

TEST(MulticoreGolden, DISABLED_EveryCertificate) {
    const std::filesystem::path folder = "../shared/golden/multicore";
    if (!std::filesystem::exists(folder)) GTEST_SKIP() << "skipped: there is no folder " << folder;
    const Certified seen = check_certificates(folder, 1);
    std::printf("%d certificates confirmed, %d of the best plan\n", seen.confirmed, seen.best);
    EXPECT_GE(seen.best, 294);
}

// Without the shared folder: the problems of the facts, against all of their plans that the facts hold.
TEST(MulticoreFacts, NoSampleBeatsTheOptimum) {
    std::ifstream file("tests/golden/multicore/facts.jsonl");
    ASSERT_TRUE(file.good());
    int compared = 0;
    for (std::string line; std::getline(file, line);) {
        const json one = json::parse(line);
        const golden::PackageCase read = golden::read_package_case(one.at("case"));
        const multicore::Problem problem(read.cascade, read.package);
        const package::Network network(read.package);
        multicore::LaneLeaves leaves(problem);
        const multicore::Evaluator evaluator(problem, network, leaves);
        for (const json& sample : one.at("answer").at("samples")) {
            if (!sample.contains("counts")) continue;
            const package::Run run = golden::read_run(sample.at("segment"), read.cascade);
            if (run.first > 0 || run.last + 1 < problem.count()) continue;
            const multicore::Answer best = multicore::optimize(evaluator, {.kind = ObjectiveKind::energy});
            ASSERT_TRUE(best.best && best.proven) << read.name;
            EXPECT_LE(best.best->value, sample.at("counts").at("energy").get<double>()) << read.name;
            ++compared;
        }
    }
    EXPECT_GE(compared, 5);
}

// Of whole cascades as one run: a quick way never beats the proven optimum, and stands after few prefixes.
TEST(MulticoreFacts, FusedWaysStandEarly) {
    std::ifstream file("tests/golden/multicore/facts.jsonl");
    ASSERT_TRUE(file.good());
    int found = 0;
    int best = 0;
    for (std::string line; std::getline(file, line);) {
        const golden::PackageCase read = golden::read_package_case(json::parse(line).at("case"));
        const multicore::Problem problem(read.cascade, read.package);
        if (problem.count() == 1 || !problem.may_be_run(0, problem.count() - 1)) continue;
        const package::Network network(read.package);
        multicore::LaneLeaves leaves(problem);
        const multicore::Evaluator evaluator(problem, network, leaves);
        multicore::KnownShapes shapes(evaluator);
        std::int64_t prefixes = 0;
        const auto way = multicore::fused_way({evaluator, evaluator}, shapes, {1.0, 0.0}, 0, problem.count() - 1,
                                              multicore::kNever, prefixes);
        EXPECT_LE(prefixes, 2000) << read.name;
        if (!way) continue;
        const multicore::Answer optimum = multicore::optimize(evaluator, {.kind = ObjectiveKind::energy});
        ASSERT_TRUE(optimum.best && optimum.proven) << read.name;
        EXPECT_GE(way->value, optimum.best->value * (1.0 - 1e-9)) << read.name;
        EXPECT_EQ(evaluator.run(way->run).cost.energy.total(), way->cost.energy.total()) << read.name;
        ++found;
        best += way->value <= optimum.best->value * (1.0 + 1e-9) ? 1 : 0;
    }
    EXPECT_GE(found, 14);
    EXPECT_GE(best, 4);
}

}  // namespace
}  // namespace tilewright
