// What tuned tables say of the choices of `tilewright tiles` (docs/evidence/tiles.md).
//
//     tiles_judge FOLDER [--given FOLDER] [NAME...]     rules f32 amd w8a8 moe tpu aie wait
//
// FOLDER holds the tables that are judged; what is calibrated (amd, w8a8) is calibrated on those of --given, which
// is FOLDER itself where it is not said. Rules, machines and choices are the library's own.

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <cstdio>
#include <functional>
#include <limits>
#include <map>
#include <set>

#include "rows.hpp"
#include "tiles/files/shipped.hpp"
#include "tiles/search/ask.hpp"
#include "tiles/search/calibrate.hpp"
#include "tiles/search/points.hpp"

namespace tilewright::tiles_study {
namespace {

using tiles::Machine;
using tiles::Problem;
using Numbers = std::vector<std::int64_t>;

Problem shipped(const std::string& rules, const Machine& machine) {
    return tiles::make_problem(tiles::read_rules(tiles::shipped_rule_file(rules)), machine);
}

bool breaks_none(const Problem& problem, const Numbers& given, const Numbers& point) {
    std::vector<std::int64_t> slots = tiles::slots_for(problem, given);
    std::ranges::copy(point, slots.begin() + problem.rules.point_slot());
    const tiles::Broken broken = tiles::broken_by(problem, slots);
    return broken.choices.empty() && broken.requirements.empty();
}

/// The least score and time of each code that the key tells apart.
struct CodeTime {
    double score = std::numeric_limits<double>::infinity();
    double us = 0.0;
};
using Key = std::function<Numbers(const std::int64_t*)>;

std::map<Numbers, CodeTime> scores_by(const Problem& problem, const Numbers& given, const Key& key) {
    std::map<Numbers, CodeTime> best;
    tiles::Scorer scorer(problem, {tiles::Measure::time});
    tiles::PointWalk walk(problem, given, {});
    walk.each([&](const std::int64_t* slots) {
        CodeTime& code = best[key(slots + problem.rules.point_slot())];
        const double score = scorer.score(slots, walk.changed()).front();
        if (score < code.score) code = {score, scorer.time_us()};
        return true;
    });
    return best;
}

/// 1 for the best; one more than all where it is not among them.
std::size_t rank_of(const std::map<Numbers, CodeTime>& codes, const Numbers& winner) {
    const auto found = codes.find(winner);
    if (found == codes.end()) return codes.size() + 1;
    std::size_t rank = 1;
    for (const auto& [key, code] : codes)
        if (code.score < found->second.score || (code.score == found->second.score && key < winner)) ++rank;
    return rank;
}

double share_within(const std::vector<std::size_t>& ranks, std::size_t most) {
    const auto in = std::ranges::count_if(ranks, [&](std::size_t rank) { return rank <= most; });
    return static_cast<double>(in) / static_cast<double>(ranks.size());
}
double share_below(const std::vector<double>& values, double most) {
    const auto in = std::ranges::count_if(values, [&](double value) { return value <= most; });
    return static_cast<double>(in) / static_cast<double>(values.size());
}

Numbers first_two(const std::int64_t* point) { return {point[0], point[1]}; }

// ---- f32: the time of every legal tile is known

void judge_f32(const std::filesystem::path& folder, const std::filesystem::path& /*given*/) {
    const std::map<std::string, std::string> machines{{"ms_RTX_2080_Ti", "rtx2080ti"},
                                                      {"ms_RTX_3090", "rtx3090"},
                                                      {"ms_RTX_3060_laptop", "rtx3060-laptop"},
                                                      {"ms_RTX_Titan", "rtx-titan"}};
    const Rows rows = read_rows(folder / "f32-sweep.tsv");
    for (const std::string& column : rows.names) {
        if (!machines.contains(column)) continue;
        const Problem problem = shipped("clblast", tiles::shipped_machine(machines.at(column)));
        std::map<Numbers, double> measured;
        double best = std::numeric_limits<double>::infinity();
        for (const Row& row : rows.all()) {
            if (!row.has(column)) continue;
            Numbers point;
            for (const std::string& name : problem.rules.chosen) point.push_back(row.whole(name));
            best = std::min(best, measured[point] = row.real(column));
        }
        const tiles::AskOptions options{{tiles::Measure::time}, {}, 99};
        const tiles::Answer answer = tiles::ask(problem, Numbers{4096, 4096, 4096}, options);
        std::vector<Numbers> order{answer.best.point};
        for (const tiles::RankedPoint& next : answer.runners_up) order.push_back(next.point);
        std::vector<double> reached;
        for (const Numbers& point : order) {
            const double share = measured.contains(point) ? best / measured.at(point) : 0.0;
            reached.push_back(std::max(share, reached.empty() ? 0.0 : reached.back()));
        }
        fmt::print(
            "f32 {}: {} tiles timed, {} legal; share of the best: first {:.3f}, in 10 {:.3f}, in 25 {:.3f}, in 100 "
            "{:.3f}\n",
            column.substr(3), measured.size(), answer.walked.legal, reached[0], reached[9], reached[24], reached[99]);
    }
}

// ---- AMD: the fastest kernel of each product, and its time

struct AmdSet {
    std::vector<tiles::MeasuredPoint> rows;
};

struct AmdWidth {
    std::int64_t bits = 8;
    double peak = 1.0;  ///< of the rate at 8 bits
};

AmdWidth width_of(const std::string& op) {
    if (op == "bf16") return {16, 0.5};
    if (op == "a4w4_blockscale") return {4, 2.0};
    return {};
}

using AmdKey = std::tuple<std::string, std::string, std::string>;

std::map<AmdKey, AmdSet> amd_sets(const std::filesystem::path& folder) {
    std::map<AmdKey, AmdSet> sets;
    const Rows rows = read_rows(folder / "amd-gemm.tsv");
    for (const Row& row : rows.all()) {
        if (!row.has("tile_m")) continue;
        const std::int64_t bits = width_of(row.text("op")).bits;
        const std::int64_t depth = row.has("tile_k") ? row.whole("tile_k") : 64;
        sets[{row.text("gfx"), row.text("cu"), row.text("op")}].rows.push_back(
            {{row.whole("M"), row.whole("N"), row.whole("K"), bits, bits},
             {row.whole("tile_m"), row.whole("tile_n"), depth, row.whole("split")},
             row.real("us")});
    }
    return sets;
}

Machine amd_machine(const AmdKey& key) {
    const auto& [gfx, cu, op] = key;
    Machine machine = tiles::shipped_machine(gfx == "gfx950" ? "mi355x" : cu == "80" ? "mi308x" : "mi300x");
    machine.numbers["peak"] *= width_of(op).peak;
    const std::map<std::string, double> begin{{"rate_share", 0.7}, {"bandwidth_share", 0.75}, {"latency_us", 0.8},
                                              {"stages", 2},       {"fill_us", 1.0},          {"launch_us", 2.5},
                                              {"split_us", 1.0},   {"inlet", 2.1e3 * 64}};
    for (const auto& [name, number] : begin) machine.numbers[name] = number;
    return machine;
}

void judge_amd_set(const AmdKey& key, const AmdSet& given, const AmdSet& judged) {
    const tiles::Rules rules = tiles::read_rules(tiles::shipped_rule_file("aiter-gemm"));
    const Problem problem = tiles::make_problem(rules, tiles::calibrated(rules, amd_machine(key), given.rows));
    tiles::Scorer scorer(problem, {tiles::Measure::time});
    std::vector<std::size_t> ranks;
    std::vector<double> errors;
    const std::size_t step = std::max<std::size_t>(1, judged.rows.size() / 1500);
    for (std::size_t i = 0; i < judged.rows.size(); i += step) {
        const tiles::MeasuredPoint& row = judged.rows[i];
        std::vector<std::int64_t> slots = tiles::slots_for(problem, row.given);
        std::ranges::copy(row.point, slots.begin() + rules.point_slot());
        tiles::complete(rules, slots.data());
        scorer.score(slots.data());
        errors.push_back(std::abs(scorer.time_us() / row.us - 1.0));
        ranks.push_back(rank_of(scores_by(problem, row.given, first_two), {row.point[0], row.point[1]}));
    }
    const auto& [gfx, cu, op] = key;
    fmt::print(
        "amd {} {} {}: {} rows, {} tiles: first {:.2f}, in 3 {:.2f}, in 5 {:.2f}; time {:.1f} % median, {:.0f} % p90\n",
        gfx, cu, op, ranks.size(), problem.machine.quality.size(), share_within(ranks, 1), share_within(ranks, 3),
        share_within(ranks, 5), 100 * median(errors), 100 * percentile(errors, 0.9));
}

void judge_amd(const std::filesystem::path& folder, const std::filesystem::path& given) {
    const std::map<AmdKey, AmdSet> calibration = amd_sets(given);
    for (const auto& [key, judged] : amd_sets(folder)) {
        const auto found = calibration.find(key);
        const std::string& gfx = std::get<0>(key);
        if (found == calibration.end() || found->second.rows.size() < 40 || (gfx != "gfx942" && gfx != "gfx950"))
            continue;
        judge_amd_set(key, found->second, judged);
    }
}

// ---- Triton's products in vLLM: winners only

const std::map<std::string, std::string> kTritonMachines{{"NVIDIA_H100_80GB_HBM3", "h100"},
                                                         {"NVIDIA_H200", "h200"},
                                                         {"NVIDIA_H20", "h20"},
                                                         {"NVIDIA_H20-3e", "h20-3e"},
                                                         {"NVIDIA_A100-SXM4-80GB", "a100"},
                                                         {"NVIDIA_A100-SXM4-40GB", "a100-40gb"},
                                                         {"NVIDIA_A800-SXM4-80GB", "a100"},
                                                         {"NVIDIA_B200", "b200"},
                                                         {"NVIDIA_L20", "l20"},
                                                         {"NVIDIA_GeForce_RTX_4090", "rtx4090"},
                                                         {"NVIDIA_L40S", "l40s"},
                                                         {"AMD_Instinct_MI300X", "mi300x"},
                                                         {"AMD_Instinct_MI325X", "mi325x"},
                                                         {"AMD_Instinct_MI325_OAM", "mi325x"}};

std::vector<Row> triton_rows(const Rows& rows) {
    std::vector<Row> known;
    for (const Row& row : rows.all())
        if (kTritonMachines.contains(row.text("device")) && row.has("block_m")) known.push_back(row);
    return known;
}

bool is_amd(const Row& row) { return row.text("device").starts_with("AMD"); }

void judge_w8a8(const std::filesystem::path& folder, const std::filesystem::path& given) {
    const Rows judged = read_rows(folder / "w8a8-triton.tsv");
    const Rows seen = read_rows(given / "w8a8-triton.tsv");
    std::map<bool, std::map<Numbers, tiles::Quality>> wins;
    for (const Row& row : triton_rows(seen)) ++wins[is_amd(row)][{row.whole("block_m"), row.whole("block_n")}].rows;
    std::map<std::string, Problem> problems;
    std::map<bool, std::vector<std::size_t>> ranks;
    for (const Row& row : triton_rows(judged)) {
        const bool amd = is_amd(row);
        auto found = problems.find(row.text("device"));
        if (found == problems.end()) {
            Machine machine = tiles::shipped_machine(kTritonMachines.at(row.text("device")));
            machine.quality = wins[amd];
            machine.prior = 0.08;
            found = problems.emplace(row.text("device"), shipped(amd ? "triton-amd" : "triton-nvidia", machine)).first;
        }
        const auto codes = scores_by(found->second, {row.whole("M"), row.whole("N"), row.whole("K")}, first_two);
        ranks[amd].push_back(rank_of(codes, {row.whole("block_m"), row.whole("block_n")}));
    }
    for (const auto& [amd, all] : ranks)
        fmt::print("w8a8 {}: {} winners: first {:.2f}, in 3 {:.2f}, in 5 {:.2f}\n", amd ? "AMD" : "NVIDIA", all.size(),
                   share_within(all, 1), share_within(all, 3), share_within(all, 5));
}

// ---- Triton's fused experts: the rows of a tile alone can be judged

void judge_moe(const std::filesystem::path& folder, const std::filesystem::path& /*given*/) {
    const Problem nvidia = shipped("triton-experts", tiles::shipped_machine("h100"));
    const Problem amd = shipped("triton-experts", tiles::shipped_machine("mi300x"));
    std::vector<double> apart;
    const Rows rows = read_rows(folder / "moe-triton.tsv");
    for (const Row& row : rows.all()) {
        if (!row.has("block_m")) continue;
        const std::int64_t experts = row.whole("experts");
        const std::int64_t chosen = experts == 1 ? 1 : experts <= 16 ? 2 : 8;
        const Numbers given{row.whole("M"), experts, chosen};
        const tiles::Answer answer = tiles::ask(is_amd(row) ? amd : nvidia, given, {{tiles::Measure::count}, {}, 0});
        apart.push_back(std::abs(std::log2(static_cast<double>(answer.best.point[0]) / row.real("block_m"))));
    }
    fmt::print("moe: {} winners: rows of the tile right {:.2f}, within a factor of two {:.2f}\n", apart.size(),
               share_below(apart, 0.0), share_below(apart, 1.0));
}

// ---- TPU

void judge_tpu(const std::filesystem::path& folder, const std::filesystem::path& /*given*/) {
    const std::map<std::string, Problem> problems{{"6", shipped("pallas-tpu", tiles::shipped_machine("tpu-v6e"))},
                                                  {"7", shipped("pallas-tpu", tiles::shipped_machine("tpu-v7"))}};
    std::vector<double> places;
    std::vector<double> losses;
    int illegal = 0;
    const Rows rows = read_rows(folder / "tpu-matmul.tsv");
    for (const Row& row : rows.all()) {
        if (!problems.contains(row.text("tpu"))) continue;
        const std::int64_t bits =
            row.text("w").substr(0, row.text("w").find('_')).find('4') == std::string::npos ? 8 : 4;
        const auto codes =
            scores_by(problems.at(row.text("tpu")), {row.whole("batch"), row.whole("out"), row.whole("in"), bits},
                      [](const std::int64_t* point) { return Numbers{point[0], point[1], point[2]}; });
        const Numbers winner{row.whole("block_batch"), row.whole("block_out"), row.whole("block_in")};
        if (!codes.contains(winner)) {
            ++illegal;
            continue;
        }
        double best = std::numeric_limits<double>::infinity();
        for (const auto& [key, code] : codes) best = std::min(best, code.score);
        places.push_back(static_cast<double>(rank_of(codes, winner)) / static_cast<double>(codes.size()));
        losses.push_back(codes.at(winner).score / best - 1.0);
    }
    fmt::print(
        "tpu: {} winners ({} not among the candidates): within 5 % of the model's best {:.2f}, 10 % {:.2f}; first "
        "tenth {:.2f}, quarter {:.2f}\n",
        places.size(), illegal, share_below(losses, 0.05), share_below(losses, 0.1), share_below(places, 0.1),
        share_below(places, 0.25));
}

// ---- AIE2P

void judge_aie(const std::filesystem::path& folder, const std::filesystem::path& /*given*/) {
    const Problem problem = shipped("aie2p", tiles::shipped_machine("aie2p"));
    const std::set<Numbers> swept{{2048, 2048, 2048}, {2048, 2048, 512},  {2048, 2048, 8192}, {2048, 8192, 2048},
                                  {512, 512, 512},    {1024, 1024, 1024}, {4096, 4096, 4096}};
    std::vector<double> errors;
    std::vector<double> costs;
    int rows_seen = 0;
    int legal = 0;
    int swept_rows = 0;
    int same = 0;
    const Rows rows = read_rows(folder / "aie2p-gemm.tsv");
    for (const Row& row : rows.all()) {
        const std::string& method = row.text("method");
        const Numbers given{row.whole("M"),
                            row.whole("K"),
                            row.whole("N"),
                            method == "drain" ? 1 : 0,
                            method == "direct" ? 2 : 4,
                            method == "fused-cast" ? 1 : 0};
        Numbers point;
        for (const std::string& name : problem.rules.chosen) point.push_back(row.whole(name));
        ++rows_seen;
        legal += breaks_none(problem, given, point) ? 1 : 0;
        if (!row.has("gflops")) continue;
        const double us = 2e-3 * row.real("M") * row.real("K") * row.real("N") / row.real("gflops");
        std::vector<std::int64_t> slots = tiles::slots_for(problem, given);
        std::ranges::copy(point, slots.begin() + problem.rules.point_slot());
        tiles::complete(problem.rules, slots.data());
        tiles::Scorer scorer(problem, {tiles::Measure::time});
        scorer.score(slots.data());
        errors.push_back(std::abs(scorer.time_us() / us - 1.0));
        const tiles::Answer best = tiles::ask(problem, given, {tiles::measures_of(problem.rules, ""), {}, 0});
        if (!swept.contains({given[0], given[1], given[2]})) continue;
        ++swept_rows;
        same += best.best.point[0] == point[0] && best.best.point[1] == point[1] ? 1 : 0;
        costs.push_back(scorer.time_us() / best.best.time_us);
    }
    fmt::print(
        "aie: {} rows, {} legal; time {:.1f} % median, {:.0f} % p90; of the swept shapes the same tile {} of {}, the "
        "recorded one costs {:.2f} of the model's best at most\n",
        rows_seen, legal, 100 * median(errors), 100 * percentile(errors, 0.9), same, swept_rows,
        costs.empty() ? 1.0 : *std::ranges::max_element(costs));
}

// ---- rules against what was tuned

void judge_rules(const std::filesystem::path& folder, const std::filesystem::path& /*given*/) {
    const Problem sweep = shipped("clblast", tiles::shipped_machine("rtx3090"));
    std::set<Numbers> recorded;
    const Rows rows = read_rows(folder / "f32-sweep.tsv");
    for (const Row& row : rows.all()) {
        Numbers point;
        for (const std::string& name : sweep.rules.chosen) point.push_back(row.whole(name));
        recorded.insert(point);
    }
    std::int64_t differ = static_cast<std::int64_t>(recorded.size());
    const tiles::Walked walked =
        tiles::PointWalk(sweep, Numbers{4096, 4096, 4096}, {}).each([&](const std::int64_t* slots) {
            const std::int64_t* point = slots + sweep.rules.point_slot();
            differ += recorded.contains(Numbers(point, point + sweep.rules.chosen.size())) ? -1 : 1;
            return true;
        });
    fmt::print("rules clblast: {} legal, {} recorded, {} differ\n", walked.legal, recorded.size(), differ);
    int seen = 0;
    int broken = 0;
    const Rows triton = read_rows(folder / "w8a8-triton.tsv");
    for (const Row& row : triton_rows(triton)) {
        if (is_amd(row) || !row.has("stages")) continue;
        const Problem problem =
            shipped("triton-nvidia", tiles::shipped_machine(kTritonMachines.at(row.text("device"))));
        ++seen;
        broken += breaks_none(problem, {row.whole("M"), row.whole("N"), row.whole("K")},
                              {row.whole("block_m"), row.whole("block_n"), row.whole("block_k"), row.whole("group_m"),
                               row.whole("warps"), row.whole("stages")})
                      ? 0
                      : 1;
    }
    fmt::print("rules triton-nvidia: {} winners, {} break a rule\n", seen, broken);
}

// ---- how long a question takes that was not asked before, of all shapes of the tables

void time_questions(const std::string& name, const Problem& problem, const std::set<Numbers>& questions,
                    std::vector<double>& all) {
    using Clock = std::chrono::steady_clock;
    const tiles::AskOptions options{tiles::measures_of(problem.rules, ""), {}, 0};
    std::vector<double> waits;
    std::vector<double> legal;
    for (const Numbers& given : questions) {
        double least = std::numeric_limits<double>::infinity();
        for (int i = 0; i < 5; ++i) {
            const auto begin = Clock::now();
            const tiles::Answer answer = tiles::ask(problem, given, options);
            least = std::min(least, std::chrono::duration<double, std::micro>(Clock::now() - begin).count());
            if (i == 0) legal.push_back(static_cast<double>(answer.walked.legal));
        }
        waits.push_back(least);
    }
    all.insert(all.end(), waits.begin(), waits.end());
    fmt::print("wait {}: {} questions, {:.0f} legal points in the median: {:.1f} us median, {:.1f} us p95\n", name,
               waits.size(), median(legal), median(waits), percentile(waits, 0.95));
}

std::set<Numbers> questions_of(const Rows& rows, const std::vector<std::string>& columns, const Numbers& more) {
    std::set<Numbers> questions;
    for (const Row& row : rows.all()) {
        Numbers given;
        for (const std::string& column : columns) given.push_back(row.whole(column));
        given.insert(given.end(), more.begin(), more.end());
        questions.insert(given);
    }
    return questions;
}

void judge_wait(const std::filesystem::path& folder, const std::filesystem::path& given) {
    std::vector<double> all;
    const std::vector<std::string> extents{"M", "N", "K"};
    const std::set<Numbers> triton = questions_of(read_rows(folder / "w8a8-triton.tsv"), extents, {});
    time_questions("triton-nvidia h100", shipped("triton-nvidia", tiles::shipped_machine("h100")), triton, all);
    time_questions("triton-amd mi300x", shipped("triton-amd", tiles::shipped_machine("mi300x")), triton, all);
    time_questions("triton-experts h100", shipped("triton-experts", tiles::shipped_machine("h100")),
                   questions_of(read_rows(folder / "moe-triton.tsv"), {"M", "experts"}, {8}), all);
    time_questions("pallas-tpu tpu-v6e", shipped("pallas-tpu", tiles::shipped_machine("tpu-v6e")),
                   questions_of(read_rows(folder / "tpu-matmul.tsv"), {"batch", "out", "in"}, {8}), all);
    time_questions("aie2p", shipped("aie2p", tiles::shipped_machine("aie2p")),
                   questions_of(read_rows(folder / "aie2p-gemm.tsv"), {"M", "K", "N"}, {0, 4, 1}), all);
    const tiles::Rules rules = tiles::read_rules(tiles::shipped_rule_file("aiter-gemm"));
    const std::map<AmdKey, AmdSet> judged = amd_sets(folder);
    for (const auto& [key, set] : amd_sets(given)) {
        const auto& [gfx, cu, op] = key;
        if (set.rows.size() < 40 || (gfx != "gfx942" && gfx != "gfx950") || !judged.contains(key)) continue;
        std::set<Numbers> questions;
        for (const tiles::MeasuredPoint& row : judged.at(key).rows) questions.insert(row.given);
        time_questions(fmt::format("aiter-gemm {} {} {}", gfx, cu, op),
                       tiles::make_problem(rules, tiles::calibrated(rules, amd_machine(key), set.rows)), questions,
                       all);
    }
    fmt::print("wait: {} questions, {:.1f} us median, {:.1f} us p95\n", all.size(), median(all), percentile(all, 0.95));
}

using Judge = void (*)(const std::filesystem::path&, const std::filesystem::path&);
const std::vector<std::pair<std::string, Judge>> kJudges{
    {"rules", judge_rules}, {"f32", judge_f32}, {"amd", judge_amd}, {"w8a8", judge_w8a8},
    {"moe", judge_moe},     {"tpu", judge_tpu}, {"aie", judge_aie}, {"wait", judge_wait}};

int run(std::vector<std::string> arguments) {
    const auto option = std::ranges::find(arguments, "--given");
    std::string given;
    if (option != arguments.end() && option + 1 != arguments.end()) {
        given = *(option + 1);
        arguments.erase(option, option + 2);
    }
    if (arguments.empty()) {
        fmt::print("usage: tiles_judge FOLDER [--given FOLDER] [NAME...]\n");
        return 2;
    }
    const std::string folder = arguments.front();
    if (given.empty()) given = folder;
    for (const auto& [name, judge] : kJudges) {
        if (arguments.size() > 1 && std::ranges::find(arguments, name) == arguments.end()) continue;
        judge(folder, given);
        std::fflush(stdout);
    }
    return 0;
}

}  // namespace
}  // namespace tilewright::tiles_study

int main(int argc, char** argv) {
    try {
        return tilewright::tiles_study::run({argv + 1, argv + argc});
    } catch (const std::exception& error) {
        fmt::print(stderr, "{}\n", error.what());
        return 1;
    }
}
