#include "schedule/flexer.hpp"

#include <tbb/parallel_for.h>

#include <algorithm>
#include <set>

#include "schedule/canonical.hpp"

namespace tilewright::schedule {
namespace {

// What some data flows of one tiling came to.
struct FlowsAnswer {
    std::optional<Found> best;  ///< better than what was known before
    std::vector<Fingerprint> made;
    FlexerEffort effort;
};

// First the first data flow of every tiling, so that all others meet a good answer; then the others.
class FlexerSearch {
   public:
    FlexerSearch(const Machine& machine, const ConvLayer& layer, const std::vector<BoundedTiling>& tilings,
                 const FlexerOptions& options, const StopSource& stop)
        : machine_(machine), layer_(layer), tilings_(tilings), options_(options), stop_(stop) {}

    FlexerAnswer run() {
        answer_.effort.tilings = static_cast<std::int64_t>(tilings_.size());
        pass(true);
        pass(false);
        return std::move(answer_);
    }

   private:
    bool over() const { return stop_.requested() || passed(options_.deadline); }

    bool promises(const BoundedTiling& one) const {
        return !options_.cuts || !answer_.best || one.bound <= answer_.best->score.value;
    }

    // In waves: the tilings of one know what the waves before found, and nothing of each other.
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
        const OperationGraph graph = make_graph({machine_, layer_, one.tiling});
        const ReuseBound reuse(graph.problem);
        const std::vector<std::array<Dim, kDims>> flows = data_flows(graph);
        FlowsAnswer answer;
        std::optional<Score> known;
        if (answer_.best) known = answer_.best->score;
        for (std::size_t i = first_flow ? 0 : 1; i < (first_flow ? 1 : flows.size()) && !over(); ++i) {
            if (is_alike(graph, flows[i], answer)) continue;
            std::optional<Schedule> schedule = make(graph, flows[i], one.bounds, reuse, known);
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

    std::optional<Schedule> make(const OperationGraph& graph, const std::array<Dim, kDims>& flow, const Bounds& bounds,
                                 const ReuseBound& reuse, const std::optional<Score>& known) const {
        const ListOptions list{options_.rule, options_.priority, options_.memory, flow};
        if (!options_.cuts || !known) return list_schedule(graph, list);
        return list_schedule(graph, list, {options_.objective, known->value, bounds.traffic_bytes, &reuse});
    }

    void merge(FlowsAnswer& one) {
        answer_.effort.schedules += one.effort.schedules;
        answer_.effort.given_up += one.effort.given_up;
        answer_.effort.alike += one.effort.alike;
        made_.insert(one.made.begin(), one.made.end());
        if (one.best && (!answer_.best || one.best->score < answer_.best->score)) answer_.best = std::move(one.best);
    }

    const Machine& machine_;
    const ConvLayer& layer_;
    const std::vector<BoundedTiling>& tilings_;
    const FlexerOptions& options_;
    const StopSource& stop_;
    std::set<Fingerprint> made_;
    FlexerAnswer answer_;
};

}  // namespace

FlexerAnswer flexer(const Machine& machine, const ConvLayer& layer, const std::vector<BoundedTiling>& tilings,
                    const FlexerOptions& options, const StopSource& stop) {
    return FlexerSearch(machine, layer, tilings, options, stop).run();
}

std::string flow_text(const std::array<Dim, kDims>& data_flow) {
    std::string text = "list:";
    for (const Dim dim : data_flow) text += std::string(" ") + kDimNames[static_cast<std::size_t>(dim)];
    return text;
}

}  // namespace tilewright::schedule
