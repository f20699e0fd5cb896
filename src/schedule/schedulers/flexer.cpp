#include "schedule/schedulers/flexer.hpp"

#include <tbb/parallel_for.h>

#include <algorithm>
#include <array>
#include <compare>
#include <cstdint>
#include <set>

#include "schedule/problem/graph.hpp"

namespace tilewright::schedule {
namespace {

// Fingerprint of the list scheduler's view of a graph and an operation numbering. Equal ones are scheduled alike, up to
// tile names: a transposed layer, or 1x1 kernels over images cut into the same number of equal parts.
struct Fingerprint {
    std::array<std::uint64_t, 2> word{};

    auto operator<=>(const Fingerprint&) const = default;
};

// Two position-dependent sums.
class Mixer {
   public:
    void add(std::uint64_t value) {
        a_ = (a_ ^ value) * 0x9e3779b97f4a7c15U;
        a_ ^= a_ >> 32;
        b_ = (b_ + value) * 0xd6e8feb86659fd93U;
        b_ ^= b_ >> 29;
    }
    Fingerprint result() const { return {{a_, b_}}; }

   private:
    std::uint64_t a_ = 0x243f6a8885a308d3U;
    std::uint64_t b_ = 0x13198a2e03707344U;
};

// Per operation in numbering order: its tiles (by first appearance), their sizes, its latency. Graphs of one layer on
// one machine with equal fingerprints are alike.
Fingerprint fingerprint(const OperationGraph& graph, const std::array<Dim, kDims>& data_flow) {
    Mixer mixer;
    std::vector<std::uint64_t> label(graph.tiles.size(), 0);
    std::uint64_t labels = 0;
    for (const int id : numbered(graph, data_flow)) {
        const Operation& operation = graph.operation(id);
        for (const int tile : operation.tiles) {
            std::uint64_t& its = label[tile];
            const bool fresh = its == 0;
            if (fresh) its = ++labels;
            mixer.add(its);
            if (!fresh) continue;
            const Tile& one = graph.tile(tile);
            for (const std::int64_t value : {one.block_bytes, one.load_bytes, one.store_bytes})
                mixer.add(static_cast<std::uint64_t>(value));
        }
        mixer.add(static_cast<std::uint64_t>(operation.cycles));
        mixer.add(static_cast<std::uint64_t>(operation.step));
    }
    return mixer.result();
}

// Results of some data flows of one tiling.
struct FlowsAnswer {
    std::optional<Found> best;  ///< better than the previously known
    std::vector<Fingerprint> made;
    FlexerEffort effort;
};

// First the first data flow of every tiling, for a good incumbent; then the others.
class FlexerSearch {
   public:
    FlexerSearch(const MultiNpu& machine, const ConvLayer& layer, const std::vector<BoundedTiling>& tilings,
                 const FlexerOptions& options, const StopSource& stop)
        : machine_(machine),
          layer_(layer),
          tilings_(tilings),
          options_(options),
          stop_(stop),
          known_(options.better_than) {}

    FlexerAnswer run() {
        answer_.effort.tilings = static_cast<std::int64_t>(tilings_.size());
        pass(true);
        pass(false);
        return std::move(answer_);
    }

   private:
    bool over() const { return stop_.requested() || passed(options_.deadline); }

    // A reached bound leaves only ties, broken by latency (Score).
    bool promises(const BoundedTiling& one) const {
        if (!options_.cuts || !known_) return true;
        return one.bound < known_->value ||
               (one.bound == known_->value && one.bounds.latency_cycles < known_->latency_cycles);
    }

    // In waves: tilings of one wave know the earlier waves' results, and nothing of each other.
    void pass(bool first_flow) {
        constexpr std::size_t kLargestWave = 16;
        std::size_t next = 0;
        std::size_t size = 1;
        while (next < tilings_.size() && !over()) {
            std::vector<std::size_t> wave;
            for (; next < tilings_.size() && wave.size() < size; ++next) {
                if (promises(tilings_[next]))
                    wave.push_back(next);
                else if (first_flow)
                    ++answer_.effort.ruled_out;
            }
            std::vector<FlowsAnswer> answers(wave.size());
            tbb::parallel_for(std::size_t{0}, wave.size(),
                              [&](std::size_t i) { answers[i] = try_flows(tilings_[wave[i]], first_flow); });
            for (FlowsAnswer& one : answers) merge(one);
            size = std::min(size * 2, kLargestWave);
        }
        if (first_flow) return;
        for (; next < tilings_.size(); ++next) answer_.effort.tilings_left += promises(tilings_[next]) ? 1 : 0;
    }

    FlowsAnswer try_flows(const BoundedTiling& one, bool first_flow) const {
        const Problem problem{machine_, layer_, one.tiling};
        const ReuseBound reuse(problem);
        const std::int64_t least_traffic = traffic_from_empty(problem, one.bounds, reuse);
        if (!reaches(problem, one.bounds, least_traffic)) {
            FlowsAnswer none;
            none.effort.ruled_out = first_flow ? 1 : 0;
            return none;
        }
        const OperationGraph graph = make_graph(problem);
        const std::vector<std::array<Dim, kDims>> flows = data_flows(graph);
        FlowsAnswer answer;
        std::optional<Score> known = known_;
        for (std::size_t i = first_flow ? 0 : 1; i < (first_flow ? 1 : flows.size()) && !over(); ++i) {
            if (is_alike(graph, flows[i], answer)) continue;
            std::optional<Schedule> schedule = make(graph, flows[i], least_traffic, reuse, known);
            ++(schedule ? answer.effort.schedules : answer.effort.given_up);
            if (!schedule) continue;
            const Score score = score_of(options_.objective, *schedule);
            if (known && !(score < *known)) continue;
            known = score;
            answer.best = Found{flow_text(flows[i]), graph.problem, std::move(*schedule), score, one.bounds};
        }
        return answer;
    }

    bool is_alike(const OperationGraph& graph, const std::array<Dim, kDims>& flow, FlowsAnswer& answer) const {
        if (!options_.cuts) return false;
        const Fingerprint its = fingerprint(graph, flow);
        const bool alike =
            made_.contains(its) || std::find(answer.made.begin(), answer.made.end(), its) != answer.made.end();
        if (alike)
            ++answer.effort.alike;
        else
            answer.made.push_back(its);
        return alike;
    }

    std::optional<Schedule> make(const OperationGraph& graph, const std::array<Dim, kDims>& flow,
                                 std::int64_t least_traffic, const ReuseBound& reuse,
                                 const std::optional<Score>& known) const {
        const ListOptions list{options_.rule, options_.priority, options_.memory, flow};
        if (!options_.cuts || !known) return list_schedule(graph, list);
        return list_schedule(graph, list,
                             {options_.objective, known->value, least_traffic, &reuse, known->latency_cycles});
    }

    // The list scheduler starts with an empty scratchpad, stronger than the tiling's bound.
    std::int64_t traffic_from_empty(const Problem& problem, const Bounds& bounds, const ReuseBound& reuse) const {
        const PerDim all = extents(layer_);
        const std::int64_t pixels = all[Dim::out_w] * all[Dim::out_h];
        const std::int64_t outputs = pixels * all[Dim::out_c];
        const OperationGraph tiles = make_tiles(problem);
        return std::max(bounds.traffic_bytes, reuse.least_bytes_from(outputs * all[Dim::in_c], 0) -
                                                  tiles.load_bytes[2] + tiles.store_bytes[2]);
    }

    bool reaches(const Problem& problem, const Bounds& bounds, std::int64_t least_traffic) const {
        if (!options_.cuts || !known_) return true;
        return bound_of_plan(problem, bounds, options_.rule, options_.objective, least_traffic, machine_.cores) <=
               known_->value;
    }

    void merge(FlowsAnswer& one) {
        answer_.effort.schedules += one.effort.schedules;
        answer_.effort.given_up += one.effort.given_up;
        answer_.effort.alike += one.effort.alike;
        answer_.effort.ruled_out += one.effort.ruled_out;
        made_.insert(one.made.begin(), one.made.end());
        if (!one.best || (known_ && !(one.best->score < *known_))) return;
        known_ = one.best->score;
        answer_.best = std::move(one.best);
    }

    const MultiNpu& machine_;
    const ConvLayer& layer_;
    const std::vector<BoundedTiling>& tilings_;
    const FlexerOptions& options_;
    const StopSource& stop_;
    std::optional<Score> known_;  ///< to be beaten
    std::set<Fingerprint> made_;
    FlexerAnswer answer_;
};

}  // namespace

FlexerAnswer flexer(const MultiNpu& machine, const ConvLayer& layer, const std::vector<BoundedTiling>& tilings,
                    const FlexerOptions& options, const StopSource& stop) {
    return FlexerSearch(machine, layer, tilings, options, stop).run();
}

std::string flow_text(const std::array<Dim, kDims>& data_flow) {
    std::string text = "list:";
    for (const Dim dim : data_flow) text += std::string(" ") + kDimNames[static_cast<std::size_t>(dim)];
    return text;
}

}  // namespace tilewright::schedule
