#include "sim/machine/replay.hpp"

#include <algorithm>

#include "sim/machine/run.hpp"

namespace tilewright::sim {
namespace {

/// Trial iterations of the outermost loop for detecting repetition.
constexpr std::uint32_t kTrial = 48;
constexpr std::uint32_t kLastIterations = 2;
constexpr std::uint32_t kLongestPeriod = 10;
/// Below this number of iterations nothing is saved.
constexpr std::uint32_t kWorthwhile = 200;
constexpr int kMostBanks = 4096;

/// The program with `iterations` of its outermost loop: the first ones and the last two.
std::vector<std::uint32_t> shortened(const Program& program, std::uint32_t iterations) {
    const std::uint32_t period = program.outer_period;
    const auto head = static_cast<std::ptrdiff_t>((iterations - kLastIterations) * period);
    std::vector<std::uint32_t> steps(program.steps.begin(), program.steps.begin() + head);
    steps.insert(steps.end(), program.steps.end() - static_cast<std::ptrdiff_t>(kLastIterations * period),
                 program.steps.end());
    return steps;
}

/// All iterations but the first and last few are equal.
bool iterations_repeat(const Program& program) {
    const std::uint32_t period = program.outer_period;
    const auto iterations = static_cast<std::uint32_t>(program.steps.size()) / period;
    if (iterations < kWorthwhile) return false;
    const auto first = program.steps.begin() + static_cast<std::ptrdiff_t>(2 * period);
    const auto last = program.steps.end() - static_cast<std::ptrdiff_t>(kLastIterations * period);
    return std::equal(first + static_cast<std::ptrdiff_t>(period), last, first);
}

/// Period of the iteration lengths, seen three times in a row at the end of a trial; 0: none. The last iterations,
/// without a successor of their kind, do not count.
std::uint32_t period_of(const std::vector<Cycle>& ends) {
    std::vector<Cycle> lengths;
    for (std::size_t i = 1; i + kLastIterations + 1 < ends.size(); ++i) lengths.push_back(ends[i] - ends[i - 1]);
    for (std::size_t period = 1; period <= kLongestPeriod; ++period) {
        const std::size_t compared = std::max<std::size_t>(3 * period, 6);
        if (lengths.size() < compared + period) return 0;
        if (std::equal(lengths.end() - static_cast<std::ptrdiff_t>(compared), lengths.end(),
                       lengths.end() - static_cast<std::ptrdiff_t>(compared + period))) {
            return static_cast<std::uint32_t>(period);
        }
    }
    return 0;
}

/// value + (value - before) * times
template <typename Number>
Number extended(Number value, Number before, std::int64_t times) {
    return value + (value - before) * static_cast<Number>(times);
}

dram::Counts extended_counts(const dram::Counts& last, const dram::Counts& before, std::int64_t times) {
    dram::Counts counts = last;
    for (std::size_t i = 0; i < counts.commands.size(); ++i)
        counts.commands[i] = extended(last.commands[i], before.commands[i], times);
    counts.row_hits = extended(last.row_hits, before.row_hits, times);
    counts.row_misses = extended(last.row_misses, before.row_misses, times);
    counts.row_conflicts = extended(last.row_conflicts, before.row_conflicts, times);
    counts.forwarded = extended(last.forwarded, before.forwarded, times);
    counts.busy = extended(last.busy, before.busy, times);
    for (std::size_t i = 0; i < counts.lost.size(); ++i) counts.lost[i] = extended(last.lost[i], before.lost[i], times);
    return counts;
}

ReplayResult extrapolated(const ReplayResult& before, const ReplayResult& last, std::int64_t times,
                          std::int64_t steps) {
    ReplayResult result = last;
    result.extrapolated = true;
    result.cycles = extended(last.cycles, before.cycles, times);
    result.steps = result.steps_done = steps;
    result.elements.computing = extended(last.elements.computing, before.elements.computing, times);
    result.elements.waiting_for_words =
        extended(last.elements.waiting_for_words, before.elements.waiting_for_words, times);
    result.elements.waiting_for_others =
        extended(last.elements.waiting_for_others, before.elements.waiting_for_others, times);
    result.elements.other = extended(last.elements.other, before.elements.other, times);
    result.elements.filling = extended(last.elements.filling, before.elements.filling, times);
    for (std::size_t i = 0; i < kWaits; ++i)
        result.elements.waits[i] = extended(last.elements.waits[i], before.elements.waits[i], times);
    result.draining = extended(last.draining, before.draining, times);
    for (std::size_t i = 0; i < result.flits.size(); ++i)
        result.flits[i] = extended(last.flits[i], before.flits[i], times);
    result.packets = extended(last.packets, before.packets, times);
    result.dram_reads = extended(last.dram_reads, before.dram_reads, times);
    result.dram_writes = extended(last.dram_writes, before.dram_writes, times);
    result.dram = extended_counts(last.dram, before.dram, times);
    if (result.dram_energy_pj) *result.dram_energy_pj = extended(*last.dram_energy_pj, *before.dram_energy_pj, times);
    result.simulated_cycles = last.cycles + before.cycles;
    return result;
}

}  // namespace

std::string problem_with(const MachineOptions& options) {
    if (std::string problem = problem_with(options.router); !problem.empty()) return problem;
    if (options.flit_bits < 1) return "a flit has at least one bit, not " + std::to_string(options.flit_bits);
    if (options.packet_flits < 2)
        return "a packet has a header and at least one flit of words, not " + std::to_string(options.packet_flits);
    if (options.packet_flits > options.router.buffer_flits) {
        return "a packet of " + std::to_string(options.packet_flits) + " flits does not fit a buffer of " +
               std::to_string(options.router.buffer_flits);
    }
    if (options.banks < 0 || options.banks > kMostBanks)
        return "a memory has 1 to " + std::to_string(kMostBanks) + " banks, not " + std::to_string(options.banks);
    return options.dram ? dram::problem_with(*options.dram, options.dram_options) : "";
}

ReplayResult replay(const Einsum& einsum, const Architecture& architecture, const Program& program,
                    const Evaluation& evaluation, const MachineOptions& options, const ReplayControl& control) {
    const auto run = [&](const std::vector<std::uint32_t>& steps) {
        return ReplayRun(einsum, architecture, program, steps, evaluation, options, control).run();
    };
    // Without a simulated DRAM (refreshes have times of their own), a run finds its repetitions itself.
    if (!options.detect_steady_state || !options.dram || options.banks > 0 || !iterations_repeat(program))
        return run(program.steps);
    ReplayResult trial = run(shortened(program, kTrial));
    const std::uint32_t period = period_of(trial.iteration_ends);
    if (trial.interrupted) return trial;
    if (period == 0) return run(program.steps);
    // Two runs a period apart, skipping whole periods.
    const auto iterations = static_cast<std::uint32_t>(program.steps.size() / program.outer_period);
    const std::uint32_t length = kTrial + (iterations - kTrial) % period;
    const ReplayResult before = run(shortened(program, length));
    ReplayResult last = run(shortened(program, length + period));
    if (before.interrupted || last.interrupted) return last;
    return extrapolated(before, last, (iterations - length) / period - 1,
                        static_cast<std::int64_t>(program.steps.size()));
}

}  // namespace tilewright::sim
