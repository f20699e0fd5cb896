#include "run/zigzag/map.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <limits>
#include <span>
#include <stdexcept>

#include "base/error.hpp"
#include "base/numbers/checked.hpp"
#include "run/report_of.hpp"
#include "zigzag/orders/optimal.hpp"

namespace tilewright {
namespace {

// The default is the proving search, for energies.
const orders::Search* search_of(const MapOptions& options) {
    const bool energy = options.objective.kind == ObjectiveKind::energy;
    const MapperKind standard = energy ? MapperKind::optimal : MapperKind::anneal;
    return orders::find_search(name_of(options.mapper == MapperKind::automatic ? standard : options.mapper));
}

orders::Settings settings_of(const ZigzagOptions& options, const StopSource* stop) {
    orders::Settings settings;
    settings.objective = options.map.objective;
    settings.lpf_limit = options.orders.lpf_limit;
    settings.iterations = options.orders.iterations;
    settings.chains = options.orders.chains;
    settings.cooling = options.orders.cooling;
    settings.most_orders =
        options.map.largest_space == 0 ? std::numeric_limits<std::int64_t>::max() : options.map.largest_space;
    settings.seed = options.map.seed;
    settings.threads = options.map.threads;
    settings.stop = stop;
    settings.seconds = options.map.time_limit_seconds;
    return settings;
}

std::string why_it_stopped(const orders::Answer& answer, bool by_user) {
    if (answer.interrupted) return by_user ? "an interruption" : "the time limit";
    if (answer.engine == "annealing") return "the last iteration of annealing";
    if (!answer.complete) return "the last order of a limited number of prime factors";
    return answer.engine == "exhaustive" ? "the last order: all were seen" : "a proof: no order costs less";
}

// Of several unrollings: the weakest end of a search, if incomplete, else that of the best.
const orders::Answer& least_complete(std::span<const orders::Answer> answers, const orders::Answer& best) {
    const auto one = std::ranges::find(answers, false, &orders::Answer::complete);
    return one == answers.end() ? best : *one;
}

struct OrderJob {
    std::size_t layer;  ///< of the network
    const ZigzagUnrolling& unrolling;
};

class ZigzagRun {
   public:
    ZigzagRun(const ZigzagProblem& problem, const ZigzagOptions& options, const NetworkControl& control)
        : problem_(problem), options_(options), control_(control) {
        report_.accelerator = problem.accelerator;
        report_.network = problem.network;
    }

    report::ZigzagReport map() {
        for (std::size_t i = 0; i < problem_.layers.size(); ++i) add_jobs(i);
        const std::vector<orders::Answer> answers = search();
        report_.interrupted = stopped();
        for (std::size_t first = 0, end = 0; first < jobs_.size(); first = end) {
            while (end < jobs_.size() && jobs_[end].layer == jobs_[first].layer) ++end;
            fill_in_best(first, std::span(answers).subspan(first, end - first));
        }
        return std::move(report_);
    }

   private:
    bool stopped() const { return control_.stop != nullptr && control_.stop->requested(); }

    // Layers beyond the accelerator's memories are refused at once.
    void add_jobs(std::size_t index) {
        const ZigzagLayerProblem& layer = problem_.layers[index];
        const ZigzagUnrolling& first = layer.unrollings.front();
        report_.layers.push_back({layer.layer, first.unrolling, first.spatial, {}, {}, {}, {}});
        if (const std::string misfit = zigzag::problem_with(problem_.accelerator, layer.layer); !misfit.empty()) {
            report_.layers.back().failures = {misfit};
            return;
        }
        if (keeps_given_mapping(layer)) return;
        for (const ZigzagUnrolling& one : layer.unrollings) {
            jobs_.push_back({index, one});
            searched_.push_back(order_problem(layer, one));
        }
    }

    // A mapping given in whole, as loops or as an order of them, is not searched, as in ZigZag. Of several unrollings
    // the first it is complete for counts.
    bool keeps_given_mapping(const ZigzagLayerProblem& layer) {
        const std::optional<zigzag::MappingEntry>& entry = layer.entry;
        if (!entry || (entry->ordering.empty() && !entry->temporal)) return false;
        const std::string of = "layer '" + layer.layer.name + "': entry '" + entry->name + "' of the mapping file ";
        for (const ZigzagUnrolling& one : layer.unrollings) {
            GivenMapping given = given_mapping(problem_.accelerator, layer, one, options_.accounting.evenness);
            if (!given.complete || zigzag::leaves_sizes_open(*entry)) continue;
            report_.notes.push_back(of + "gives the order of the loops; no other was tried");
            keep(one, std::move(given), report_.layers.back());
            report_.layers.back().place = place_of_mapping(layer);
            return true;
        }
        report_.notes.push_back(of + "orders some of the loops; only orders that begin and end so were searched");
        return false;
    }

    void keep(const ZigzagUnrolling& unrolling, GivenMapping given, report::ZigzagLayer& layer) const {
        layer.unrolling = unrolling.unrolling;
        layer.spatial = unrolling.spatial;
        layer.mapping = std::move(given.mapping);
        if (!layer.mapping) {
            layer.failures = {given.failure};
            return;
        }
        zigzag::Result result = evaluated(layer, unrolling);
        if (!result.refusal.empty())
            layer.failures = {result.refusal};
        else
            layer.result = std::move(result);
    }

    orders::OrderProblem order_problem(const ZigzagLayerProblem& layer, const ZigzagUnrolling& one) const {
        const zigzag::SpatialPair& spatial = one.spatial;
        return {
            problem_.accelerator,
            layer.layer,
            spatial.fractional,
            spatial.whole,
            options_.accounting.evenness,
            one.unrolling,
            options_.accounting.latency,
            layer.entry ? zigzag::given_order(*layer.entry, layer.layer, spatial.fractional) : zigzag::GivenOrder{}};
    }

    std::vector<orders::Answer> search() {
        std::vector<std::size_t> left(problem_.layers.size());  // jobs of each layer
        for (const OrderJob& job : jobs_) ++left[job.layer];
        auto done = static_cast<std::size_t>(std::ranges::count(left, std::size_t{0}));
        const auto tell = [&](std::size_t job, const orders::Answer& answer) {
            const std::size_t layer = jobs_[job].layer;
            const bool ends = --left[layer] == 0;
            if (ends) ++done;
            LayerProgress now;
            now.sampled = answer.evaluations;
            now.valid = answer.fitting;
            const auto event = ends ? NetworkProgress::Event::ends : NetworkProgress::Event::searches;
            if (control_.progress) control_.progress({event, layer, done, left.size(), &now});
        };
        return orders::search_layers(searched_, *search_of(options_.map), settings_of(options_, control_.stop), tell);
    }

    // Of the unrollings of a layer, the one with the best order.
    void fill_in_best(std::size_t first, std::span<const orders::Answer> answers) {
        const auto score = [&](const orders::Answer& one) {
            return one.failure.empty() ? options_.map.objective.score(one.cost.energy_pj, one.cost.latency_cycles)
                                       : Score{};
        };
        std::size_t best = 0;
        orders::Answer effort;
        effort.complete = true;
        for (std::size_t i = 0; i < answers.size(); ++i) {
            if (score(answers[i]) < score(answers[best])) best = i;
            effort.evaluations += answers[i].evaluations;
            effort.fitting += answers[i].fitting;
            effort.complete = effort.complete && answers[i].complete;
            effort.interrupted = effort.interrupted || answers[i].interrupted;
        }
        orders::Answer answer = answers[best];
        answer.complete = effort.complete;
        SearchSummary summary;
        summary.evaluations = effort.evaluations;
        summary.valid = effort.fitting;
        summary.stopped_by = why_it_stopped(effort.interrupted ? effort : least_complete(answers, answer), stopped());
        if (!searched_[first + best].given.empty())
            summary.stopped_by += ", of the orders that the mapping file allows";
        summary.proven = answer.complete && answer.failure.empty();
        if (answer.orders != 0) summary.space = static_cast<double>(answer.orders);
        fill_in(jobs_[first + best], answer, summary);
    }

    // The answer by the full account, independent of its search.
    void fill_in(const OrderJob& job, const orders::Answer& answer, const SearchSummary& summary) {
        report::ZigzagLayer& layer = report_.layers[job.layer];
        layer.search = summary;
        layer.unrolling = job.unrolling.unrolling;
        layer.spatial = job.unrolling.spatial;
        if (!answer.failure.empty()) {
            layer.failures = {answer.failure};
            return;
        }
        layer.mapping = answer.mapping;
        layer.result = evaluated(layer, job.unrolling);
        if (!layer.result->refusal.empty() || layer.result->energy_pj() != answer.cost.energy_pj ||
            layer.result->latency.total() != answer.cost.latency_cycles)
            throw std::logic_error("the search and the full account do not agree on layer '" + layer.layer.name + "'");
    }

    zigzag::Result evaluated(const report::ZigzagLayer& layer, const ZigzagUnrolling& unrolling) const {
        try {
            return evaluate_zigzag(problem_.accelerator, layer.layer, unrolling, *layer.mapping, options_.accounting);
        } catch (const OverflowError&) {
            fail_too_large(layer.layer.name);
        }
    }

    const ZigzagProblem& problem_;
    const ZigzagOptions& options_;
    const NetworkControl& control_;
    report::ZigzagReport report_;
    std::vector<OrderJob> jobs_;                  ///< those of one layer are consecutive
    std::vector<orders::OrderProblem> searched_;  ///< by job
};

}  // namespace

std::string problem_with(const ZigzagOptions& options) {
    const MapOptions& map = options.map;
    if (search_of(map) == nullptr) {
        std::vector<std::string> names;
        for (const orders::Search& search : orders::searches()) names.emplace_back(search.name);
        return fmt::format("ZigZag's files are searched by {}, not by '{}'", list_words(names), name_of(map.mapper));
    }
    if (map.objective.kind == ObjectiveKind::pareto)
        return "a front of loop orders is not searched: take one objective";
    if (map.factors != FactorRule::perfect || map.uneven || map.evaluations || map.victory)
        return "factor rules, uneven, evaluations and victory have no meaning for ZigZag's files";
    const LoopOrderOptions& loops = options.orders;
    if (loops.lpf_limit < 1 || loops.iterations.value_or(1) < 1 || loops.chains < 1)
        return "the limit of prime factors, iterations and chains are at least 1";
    return problem_with(map);
}

report::ZigzagReport map_zigzag(const ZigzagProblem& problem, const ZigzagOptions& options,
                                const NetworkControl& control) {
    if (const std::string wrong = problem_with(options); !wrong.empty())
        throw InputError(ErrorCode::usage, {"options"}, wrong);
    return ZigzagRun(problem, options, control).map();
}

std::vector<std::pair<std::string, std::string>> provenance_options(const ZigzagOptions& options) {
    const bool even = options.accounting.evenness == zigzag::Evenness::even;
    const bool stalls = options.accounting.latency == orders::LatencyModel::stalls;
    return {{"mapper", std::string(search_of(options.map)->name)},
            {"objective", std::string(objective_name(options.map.objective.kind))},
            {"allocation", even ? "even" : "uneven"},
            {"latency", stalls ? "stalls" : "zigzag"}};
}

}  // namespace tilewright
