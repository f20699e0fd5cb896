#include "run/sparse/map_sparse.hpp"

#include <tbb/info.h>
#include <tbb/parallel_for.h>
#include <tbb/task_arena.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <memory>

#include "base/error.hpp"
#include "base/numbers/checked.hpp"
#include "mapper/by_name/by_name.hpp"
#include "mapper/sparse/sparse_search.hpp"
#include "model/sparse/sparse_model.hpp"
#include "run/claim.hpp"
#include "run/report_of.hpp"

namespace tilewright {
namespace {

using Clock = std::chrono::steady_clock;

constexpr MapperKind kTaken[] = {MapperKind::optimal,   MapperKind::hybrid, MapperKind::anneal,
                                 MapperKind::genetic,   MapperKind::random, MapperKind::linear_pruned,
                                 MapperKind::exhaustive};

class SparseRun {
   public:
    SparseRun(const SparseNetwork& problem, const MapOptions& options, const StopSource* stop)
        : shapes_(problem.shapes), options_(options), stop_(stop), results_(shapes_.size()) {}

    std::vector<report::LayerResult> map() {
        const int threads = options_.threads > 0 ? options_.threads : tbb::info::default_concurrency();
        tbb::task_arena arena(threads);
        arena.execute([&] {
            tbb::parallel_for(0, std::min(threads, static_cast<int>(shapes_.size())), [&](int) {
                for (std::size_t i = begun_++; i < shapes_.size(); i = begun_++) results_[i] = result_of(i, threads);
            });
        });
        return std::move(results_);
    }

   private:
    Budget budget_of(const Mapper& mapper, std::size_t index, int threads) const {
        Budget budget;
        budget.evaluations = options_.evaluations;
        budget.victory = options_.victory.value_or(mapper.default_victory());
        budget.seed = options_.seed;
        budget.threads = options_.threads;
        budget.largest_space = options_.largest_space;
        budget.stop = stop_;
        if (!options_.time_limit_seconds) return budget;
        const double spent = std::chrono::duration<double>(Clock::now() - begin_).count();
        const auto left = static_cast<double>(shapes_.size() - index);
        budget.time = std::chrono::duration<double>(std::max(*options_.time_limit_seconds - spent, 0.0) *
                                                    std::min(left, static_cast<double>(threads)) / left);
        return budget;
    }

    report::LayerResult result_of(std::size_t index, int threads) const {
        const auto& [shape, design] = shapes_[index];
        LayerAnswer answer;
        answer.einsum = shape.layer.einsum;
        if (stop_ != nullptr && stop_->requested()) {
            answer.failures = {kNotSearched};
            return layer_result(shape, answer);
        }
        try {
            return searched(shape, design, index, threads);
        } catch (const OverflowError&) {
            throw InputError(ErrorCode::overflow, {},
                             "layer '" + shape.names.front() + "' is too large: a count does not fit in 64 bits");
        }
    }

    report::LayerResult searched(const ShapeProblem& shape, const sparse::Design& design, std::size_t index,
                                 int threads) const {
        const LayerProblem& layer = shape.layer;
        LayerAnswer answer;
        answer.einsum = layer.einsum;
        const Mapspace mapspace(layer.einsum, layer.architecture, layer.constraints);
        if (!mapspace.problem().empty()) {
            answer.failures = {mapspace.problem()};
            return layer_result(shape, answer);
        }
        const std::unique_ptr<Mapper> mapper = make_mapper(name_of(intended_mapper(options_)));
        const SearchResult found =
            search_sparse({layer, design}, *mapper, options_.objective, budget_of(*mapper, index, threads));
        answer.search = summary_of(found, layer.constraints, options_);
        if (!found.best) {
            answer.failures = {found.remark.empty()
                                   ? "no legal mapping found: " + std::string(stop_reason_text(found.stopped))
                                   : found.remark};
            return layer_result(shape, answer);
        }
        answer.mapping = mapping_of(*found.best, layer.einsum);
        const sparse::ExactResult exact =
            sparse::evaluate(layer.einsum, layer.architecture, answer.mapping.value(), design);
        answer.evaluation = exact.evaluation;
        report::LayerResult result = layer_result(shape, answer);
        result.sparse = sparse::rounded(exact.expected, layer.einsum, layer.architecture, design, exact.evaluation);
        return result;
    }

    const std::vector<SparseShape>& shapes_;
    const MapOptions& options_;
    const StopSource* stop_;
    const Clock::time_point begin_ = Clock::now();
    std::atomic<std::size_t> begun_{0};
    std::vector<report::LayerResult> results_;
};

}  // namespace

SparseNetwork sparse_network(const Network& network, const Architecture& architecture, const ConstraintsOf& constraints,
                             const DesignOf& design) {
    SparseNetwork problem;
    for (const Layer& layer : network.layers) {
        sparse::Design own = design(layer);
        const auto is_same = [&](const SparseShape& one) {
            const Einsum& einsum = one.shape.layer.einsum;
            return einsum.dimensions == layer.einsum.dimensions && einsum.tensors == layer.einsum.tensors &&
                   one.design == own;
        };
        auto same = std::ranges::find_if(problem.shapes, is_same);
        if (same == problem.shapes.end()) {
            ShapeProblem shape{{}, layer.op, 0, {layer.einsum, architecture, {}}};
            if (constraints) shape.layer.constraints = constraints(layer.einsum);
            same = problem.shapes.insert(same, SparseShape{std::move(shape), std::move(own)});
        }
        same->shape.names.push_back(layer.name);
        same->shape.repeats += layer.repeats;
    }
    return problem;
}

std::string problem_with_sparse(const MapOptions& options) {
    if (std::ranges::find(kTaken, intended_mapper(options)) == std::end(kTaken))
        return "--mapper " + std::string(name_of(options.mapper)) +
               " maps dense layers only; sparse machines are mapped by optimal, hybrid, anneal, genetic, random, "
               "linear-pruned or exhaustive (--dense reads one as dense)";
    if (options.objective.kind == ObjectiveKind::pareto)
        return "--objective pareto is of dense machines; a sparse one is mapped for one objective (--dense reads it as "
               "dense)";
    if (options.factors != FactorRule::perfect || options.uneven)
        return "sparse machines are mapped with perfect factors and even mappings, which are all that is counted with "
               "zeros: without --factors and --uneven (--dense reads one as dense)";
    return "";
}

report::Report map_sparse(const Network& network, const Architecture& architecture, const SparseNetwork& problem,
                          const MapOptions& options, const StopSource* stop) {
    report::Report report;
    report.architecture = architecture;
    report.network = network.name;
    report.unmapped = network.unmapped;
    report.layers = SparseRun(problem, options, stop).map();
    report.interrupted = stop != nullptr && stop->requested();
    return report;
}

}  // namespace tilewright
