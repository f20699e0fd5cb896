// A recorded run of timeloop-mapper, and where ours differs from it.
#pragma once

#include <fmt/core.h>

#include <algorithm>
#include <cmath>
#include <string>
#include <vector>

#include "mapper/timeloop/timeloop.hpp"

namespace tilewright::golden {

/// What one thread did.
struct ThreadRecord {
    std::int64_t tried = 0;
    std::int64_t valid = 0;
    std::int64_t without_fanout = 0;
    std::int64_t without_room = 0;
    bool cut = false;  ///< by a limit that Timeloop does not have

    bool operator==(const ThreadRecord&) const = default;
};

struct SearchRun {
    std::string name;
    Einsum einsum;
    Architecture architecture;
    Constraints constraints;
    std::string algorithm;  ///< "random_pruned"
    std::string metric;     ///< "delay"
    std::int64_t search_size = 0;
    std::int64_t victory = 0;
    std::int64_t timeout = 0;
    std::vector<ThreadRecord> streams;
    std::optional<timeloop_search::Judgement> best;
};

inline std::string text(const std::vector<ThreadRecord>& streams) {
    std::string text;
    for (const ThreadRecord& s : streams)
        text += fmt::format(" {} tried {} valid {} without fan-out {} without room;", s.tried, s.valid,
                            s.without_fanout, s.without_room);
    return text;
}

inline std::string text(const std::optional<timeloop_search::Judgement>& best) {
    return best ? fmt::format("{} pJ, {} cycles", best->energy_pj, best->cycles) : "nothing";
}

/// Ours, with a thread's record for every stream.
inline std::vector<timeloop_search::StreamResult> streams_of(const SearchRun& run,
                                                             const std::vector<ThreadRecord>& records,
                                                             std::uint64_t seed = 1) {
    TimeloopMapper::Options options;
    options.streams = static_cast<int>(records.size());
    options.timeout = run.timeout;
    for (const ThreadRecord& record : records) options.tried.push_back(record.cut ? record.tried : 0);
    std::string name = "timeloop-" + run.algorithm;
    std::replace(name.begin(), name.end(), '_', '-');
    const std::unique_ptr<TimeloopMapper> mapper = make_timeloop_mapper(name, options);
    const Mapspace mapspace(run.einsum, run.architecture, run.constraints);
    const LeanEvaluator evaluator(run.einsum, run.architecture);
    const timeloop_search::Space space(mapspace, run.einsum, run.architecture);
    Budget budget;
    if (run.search_size > 0) budget.evaluations = run.search_size;
    budget.victory = run.victory;
    budget.seed = seed;
    return mapper->run(space, evaluator, timeloop_search::contest_of(*parse_objective(run.metric)), budget);
}

inline std::optional<timeloop_search::Judgement> best_of(const std::vector<timeloop_search::StreamResult>& streams,
                                                         const std::string& metric) {
    const timeloop_search::Contest contest = timeloop_search::contest_of(*parse_objective(metric));
    std::optional<timeloop_search::Judgement> best;
    for (const timeloop_search::StreamResult& stream : streams)
        if (stream.best && (!best || contest.is_better(stream.judged, *best))) best = stream.judged;
    return best;
}

inline bool same(const std::optional<timeloop_search::Judgement>& a,
                 const std::optional<timeloop_search::Judgement>& b) {
    constexpr double kTolerance = 1e-9;
    if (!a || !b) return !a && !b;
    return a->cycles == b->cycles && std::abs(a->energy_pj - b->energy_pj) <= kTolerance * b->energy_pj;
}

/// "", or what is not as it was recorded.
inline std::string difference(const SearchRun& run) {
    std::vector<ThreadRecord> records = run.streams;
    std::sort(records.begin(), records.end(),
              [](const ThreadRecord& a, const ThreadRecord& b) { return a.tried < b.tried; });
    std::string first;
    do {
        const std::vector<timeloop_search::StreamResult> streams = streams_of(run, records);
        std::vector<ThreadRecord> ours;
        for (std::size_t i = 0; i < streams.size(); ++i)
            ours.push_back({streams[i].tried, streams[i].valid, streams[i].without_fanout, streams[i].without_room,
                            records[i].cut});
        const auto best = best_of(streams, run.metric);
        const bool counts = std::is_permutation(ours.begin(), ours.end(), records.begin(), records.end());
        if (counts && same(best, run.best)) return "";
        if (first.empty())
            first =
                fmt::format("ours{} {}\n    recorded{} {}", text(ours), text(best), text(run.streams), text(run.best));
    } while (std::next_permutation(records.begin(), records.end(),
                                   [](const ThreadRecord& a, const ThreadRecord& b) { return a.tried < b.tried; }));
    return first;
}

}  // namespace tilewright::golden
