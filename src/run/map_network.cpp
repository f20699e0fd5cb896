#include "run/map_network.hpp"

#include <tbb/global_control.h>
#include <tbb/info.h>
#include <tbb/parallel_for.h>
#include <tbb/task_arena.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <mutex>
#include <utility>

#include "base/error.hpp"
#include "base/numbers/checked.hpp"
#include "run/composition.hpp"

namespace tilewright {
namespace {

using Clock = std::chrono::steady_clock;

// Those that search the mapspace of the factor rule, so that any legal mapping of it is an answer.
bool searches_mapspace(const MapOptions& options) {
    const MapperKind mapper = intended_mapper(options);
    return !options.made_by && !is_timeloops(mapper) && mapper != MapperKind::loma && mapper != MapperKind::salsa &&
           mapper != MapperKind::cosa;
}

MapOptions drawing(MapOptions options) {
    constexpr double kMostSeconds = 1.0;  // a layer that has no mapping may be drawn from for long
    options.mapper = MapperKind::hybrid;
    options.evaluations = 1;
    options.time_limit_seconds = kMostSeconds;
    options.layer_time_limit_seconds.reset();
    options.uneven = false;
    options.optimal_after_failure = false;
    if (options.factors == FactorRule::padded) options.factors = FactorRule::perfect;
    return options;
}

// Draws mappings until one is legal, as hybrid begins, for a second at most, whatever the time limit of `options`.
// Nothing where none was met, on sparse machines, where hybrid is slow, and for mappers with cost models of their own.
// Uneven mappings and paddings: an even mapping of the layer itself is one of them.
std::optional<LayerAnswer> first_mapping(const LayerProblem& problem, const MapOptions& options,
                                         const SearchControl& control) {
    if (!searches_mapspace(options) || problem.zeros) return std::nullopt;
    const MapOptions draws = drawing(options);
    if (!problem_with(draws).empty() || !refusal(capabilities_of(problem, draws)).empty()) return std::nullopt;
    LayerAnswer answer = map_layer(problem, draws, {control.stop, {}});
    return answer.mapping ? std::optional(std::move(answer)) : std::nullopt;
}

// The answer; of a search that ended without a mapping, the `first` one, with a claim that says so. The bound stays
// that of the search, and its counts have what was drawn as well.
LayerAnswer or_first(LayerAnswer answer, const std::optional<LayerAnswer>& first) {
    if (answer.mapping || !first) return answer;
    LayerAnswer found = *first;
    if (answer.search) found.search = std::move(answer.search);
    SearchSummary& search = found.search.value();
    search.evaluations += 1;
    search.valid += 1;
    search.sampled += first->search->sampled;
    search.proven = false;
    search.claim = "the first legal mapping that was drawn; the search itself found none";
    return found;
}

class NetworkRun {
   public:
    NetworkRun(const NetworkProblem& problem, const MapOptions& options, const NetworkControl& control)
        : shapes_(problem.shapes),
          options_(options),
          control_(control),
          threads_(options.threads > 0 ? options.threads : tbb::info::default_concurrency()),
          answers_(shapes_.size()),
          known_(shapes_.size()),
          first_(shapes_.size()) {}

    NetworkAnswer map() {
        if (is_known_layer()) {  // threads would take longer to begin
            map_shape(0);
            return {std::move(answers_), stopped()};
        }
        const tbb::global_control allow(tbb::global_control::max_allowed_parallelism,
                                        static_cast<std::size_t>(std::max(threads_, tbb::info::default_concurrency())));
        tbb::task_arena arena(threads_);
        // One after the other, in order, as threads become free.
        arena.execute([&] {
            if (seconds_of_layer(options_)) each_shape([&](std::size_t i) { draw_first(i); });
            each_shape([&](std::size_t i) { map_shape(i); });
        });
        return {std::move(answers_), stopped()};
    }

   private:
    template <typename Work>
    void each_shape(const Work& work) {
        std::atomic<std::size_t> begun{0};
        tbb::parallel_for(0, std::min(threads_, static_cast<int>(shapes_.size())), [&](int) {
            for (std::size_t i = begun++; i < shapes_.size() && !failed_; i = begun++) work(i);
        });
    }

    bool is_known_layer() {
        if (shapes_.size() != 1 || control_.map_shape) return false;
        try {
            known_[0] = find_known(0);
        } catch (const OverflowError&) {
            return false;  // map_shape() meets it again, and names the layer
        }
        return known_[0].has_value();
    }

    // Before any search takes its share of a limited time: every layer that has a mapping gets one.
    void draw_first(std::size_t index) {
        if (stopped() || control_.map_shape || known_[index]) return;
        try {
            known_[index] = find_known(index);
            if (known_[index]) return;
            first_[index] = first_mapping(shapes_[index].layer, options_, {control_.stop, {}});
        } catch (const OverflowError&) {
            first_[index].reset();  // map_shape() meets it again, and names the layer
        }
    }

    bool stopped() const { return control_.stop != nullptr && control_.stop->requested(); }

    // Of the time that is left: as many layers run side by side as there are threads.
    std::optional<double> share_of_time(std::size_t index) const {
        if (!options_.time_limit_seconds) return std::nullopt;
        const double spent = std::chrono::duration<double>(Clock::now() - start_).count();
        const double left = static_cast<double>(shapes_.size() - index);
        return std::max(*options_.time_limit_seconds - spent, 0.0) * std::min(left, static_cast<double>(threads_)) /
               left;
    }

    void map_shape(std::size_t index) {
        LayerAnswer& answer = answers_[index];
        answer.einsum = shapes_[index].layer.einsum;
        if (stopped()) {
            answer.failures = {kNotSearched};
            answer = or_first(std::move(answer), first_[index]);
            return;
        }
        tell(NetworkProgress::Event::begins, index);
        try {
            answer = known_or_searched(index);
        } catch (const OverflowError&) {
            failed_ = true;  // the other layers need not begin
            throw InputError(
                ErrorCode::overflow, {},
                "layer '" + shapes_[index].names.front() + "' is too large: a count does not fit in 64 bits");
        } catch (...) {
            failed_ = true;
            throw;
        }
        ++done_;
        tell(NetworkProgress::Event::ends, index);
    }

    LayerAnswer known_or_searched(std::size_t index) {
        const LayerProblem& problem = shapes_[index].layer;
        MapOptions options = options_;
        options.time_limit_seconds = share_of_time(index);
        const auto progress = [&](const LayerProgress& now) { tell(NetworkProgress::Event::searches, index, &now); };
        const SearchControl search{control_.stop, progress};
        if (control_.map_shape)
            if (std::optional<LayerAnswer> own = control_.map_shape(index, options, search)) return *std::move(own);
        if (!known_[index]) known_[index] = find_known(index);
        if (known_[index]) return *std::exchange(known_[index], std::nullopt);
        LayerAnswer answer = or_first(map_layer(problem, options, search), first_[index]);
        if (control_.cache != nullptr) control_.cache->keep(problem, options_, answer, !stopped());
        return answer;
    }

    std::optional<LayerAnswer> find_known(std::size_t index) const {
        return control_.cache == nullptr ? std::nullopt : control_.cache->find(shapes_[index].layer, options_);
    }

    void tell(NetworkProgress::Event event, std::size_t index, const LayerProgress* search = nullptr) {
        if (!control_.progress) return;
        const std::lock_guard lock(telling_);
        control_.progress({event, index, done_, shapes_.size(), search});
    }

    const std::vector<ShapeProblem>& shapes_;
    const MapOptions& options_;
    const NetworkControl& control_;
    const int threads_;
    const Clock::time_point start_ = Clock::now();
    std::vector<LayerAnswer> answers_;
    std::vector<std::optional<LayerAnswer>> known_;  ///< by shape, where the cache has been asked
    std::vector<std::optional<LayerAnswer>> first_;  ///< where the time is limited
    std::atomic<std::size_t> done_{0};
    std::atomic<bool> failed_{false};
    std::mutex telling_;
};

struct Alike {
    LayerDetails details;
    std::vector<int> layers;  ///< in the network's order
};

// Layers of one einsum and with the same details, in order of first appearance.
std::vector<Alike> shapes_of(const Network& network, const DetailsOf& details) {
    std::vector<Alike> shapes;
    for (const DistinctLayer& distinct : distinct_layers(network)) {
        const std::size_t begin = shapes.size();
        for (const int layer : distinct.layers) {
            LayerDetails own = details ? details(static_cast<std::size_t>(layer)) : LayerDetails{};
            std::size_t same = begin;
            while (same < shapes.size() && !(shapes[same].details == own)) ++same;
            if (same == shapes.size()) shapes.push_back({std::move(own), {}});
            shapes[same].layers.push_back(layer);
        }
    }
    std::ranges::sort(shapes, {}, [](const Alike& one) { return one.layers.front(); });
    return shapes;
}

}  // namespace

NetworkProblem network_problem(const Network& network, const Architecture& architecture,
                               const ConstraintsOf& constraints, const DetailsOf& details) {
    NetworkProblem problem;
    problem.name = network.name;
    for (Alike& alike : shapes_of(network, details)) {
        ShapeProblem shape;
        shape.repeats = 0;
        for (const int layer : alike.layers) {
            shape.names.push_back(network.layers[layer].name);
            shape.repeats += network.layers[layer].repeats;
        }
        const Layer& first = network.layers[alike.layers.front()];
        shape.op = first.op;
        shape.layer = {first.einsum, architecture, constraints ? constraints(first.einsum) : Constraints{},
                       std::move(alike.details.words), std::move(alike.details.zeros)};
        problem.shapes.push_back(std::move(shape));
    }
    return problem;
}

NetworkAnswer map_network(const NetworkProblem& problem, const MapOptions& options, const NetworkControl& control) {
    if (const std::string wrong = problem_with(options); !wrong.empty())
        throw InputError(ErrorCode::usage, {"options"}, wrong);
    return NetworkRun(problem, options, control).map();
}

std::optional<NetworkTotals> totals(const NetworkProblem& problem, const NetworkAnswer& answer) {
    NetworkTotals sum;
    for (std::size_t i = 0; i < problem.shapes.size(); ++i) {
        const std::optional<Evaluation>& one = answer.layers[i].evaluation;
        const std::int64_t repeats = problem.shapes[i].repeats;
        if (!one) return std::nullopt;
        sum.energy_pj += one->energy_pj * static_cast<double>(repeats);
        sum.cycles = checked_add(sum.cycles, checked_mul(one->cycles, repeats));
    }
    return sum;
}

}  // namespace tilewright
