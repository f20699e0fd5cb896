// Requests one by one (llm/server/requests.hpp) against the judge that walks tokens and blocks, on drawn traces:
//
//     property_requests --traces 10000 --seed 7
//
// Every time, the number of steps and the requests that gave up their cache have to be equal, with endless and with few
// blocks, places and tokens of a step. Exit status 1 where they are not.
#include <cstdio>
#include <optional>

#include "base/numbers/random.hpp"
#include "harness.hpp"
#include "oracle/requests.hpp"

namespace {

using namespace tilewright;

struct Tally {
    std::uint64_t traces = 0;
    std::uint64_t gave_up = 0;  // traces in which a request gave up its cache
    std::uint64_t chunked = 0;  // traces with a prompt longer than a step
};

struct Drawn {
    std::vector<llm::Request> requests;
    llm::QueueLimits limits;
};

Drawn drawn(std::uint64_t seed) {
    Random random(seed);
    const auto upto = [&](std::int64_t most) {
        return 1 + static_cast<std::int64_t>(random.below(static_cast<std::uint64_t>(most)));
    };
    Drawn trace;
    const std::int64_t count = upto(14);
    double now = 0.0;
    std::int64_t most = 0;
    for (std::int64_t i = 0; i < count; ++i) {
        now += static_cast<double>(random.below(4)) * 0.0008;
        trace.requests.push_back({now, upto(60), upto(30)});
        most = std::max(most, trace.requests.back().prompt + trace.requests.back().output);
    }
    if (random.below(2) == 0) std::swap(trace.requests.front(), trace.requests.back());
    trace.limits.places = upto(8);
    trace.limits.step_tokens = upto(70);
    trace.limits.block_tokens = upto(6);
    trace.limits.finds_again = random.below(3) > 0;
    const std::int64_t least = (most + trace.limits.block_tokens - 1) / trace.limits.block_tokens;
    trace.limits.blocks = random.below(4) == 0 ? 0 : least + static_cast<std::int64_t>(random.below(20));
    return trace;
}

// Any function that tells steps apart.
double step_us(const llm::Step& step) {
    double us = 300.0 + 7.0 * static_cast<double>(step.decodes) + 0.031 * step.context;
    for (const llm::Chunk& chunk : step.chunks)
        us += 11.0 * static_cast<double>(chunk.tokens) + 0.17 * static_cast<double>(chunk.before);
    return us + 1.9 * static_cast<double>(step.sampled.value_or(0));
}

int failures_of(std::uint64_t number, std::uint64_t seed, Tally& tally) {
    const Drawn trace = drawn(seed);
    const llm::Simulated ours = llm::simulate(trace.requests, trace.limits, step_us);
    const llm::Simulated walked = oracle::walk_requests(trace.requests, trace.limits, step_us);
    ++tally.traces;
    tally.gave_up += ours.preemptions > 0 ? 1 : 0;
    for (const llm::Request& one : trace.requests)
        if (one.prompt > trace.limits.step_tokens) {
            ++tally.chunked;
            break;
        }
    if (ours == walked) return 0;
    std::printf("trace %llu: %lld steps, %lld preemptions; the judge has %lld, %lld\n",
                static_cast<unsigned long long>(number), static_cast<long long>(ours.steps),
                static_cast<long long>(ours.preemptions), static_cast<long long>(walked.steps),
                static_cast<long long>(walked.preemptions));
    return 1;
}

}  // namespace

int main(int argc, char** argv) {
    Tally tally;
    property::Harness harness("property_requests", "Checks requests one by one against a walk over tokens and blocks",
                              {.kind = "traces", .count = 200});
    harness.least("gave-up", "traces in which a request gave up its cache", &tally.gave_up);
    harness.least("chunked", "traces with a prompt longer than a step", &tally.chunked);
    if (const std::optional<int> status = harness.parse(argc, argv)) return *status;
    return harness.run([&](std::uint64_t number) { return failures_of(number, harness.seed_of(number), tally); },
                       [&] {
                           std::printf("%llu traces, %llu with a cache given up, %llu with chunks\n",
                                       static_cast<unsigned long long>(tally.traces),
                                       static_cast<unsigned long long>(tally.gave_up),
                                       static_cast<unsigned long long>(tally.chunked));
                       });
}
