#include "run/sparse/map_sparse.hpp"

#include <algorithm>
#include <chrono>
#include <memory>

#include "mapper/by_name/by_name.hpp"
#include "mapper/sparse/sparse_search.hpp"
#include "model/sparse/sparse_model.hpp"
#include "run/claim.hpp"
#include "run/report_of.hpp"
#include "run/search.hpp"

namespace tilewright {
namespace {

constexpr MapperKind kTaken[] = {MapperKind::optimal,   MapperKind::hybrid, MapperKind::anneal,
                                 MapperKind::genetic,   MapperKind::random, MapperKind::linear_pruned,
                                 MapperKind::exhaustive};

// Python has no --dense, and no dashes.
std::string or_dense(const std::string& what, const std::string& dashes) {
    return dashes.empty() ? std::string() : " (--dense reads " + what + " as dense)";
}

sparse::ExactResult counted(const LayerAnswer& answer, const LayerProblem& layer, const sparse::Design& design) {
    return sparse::evaluate(layer.einsum, layer.architecture, answer.mapping.value(), design);
}

LayerAnswer map_sparse_layer(const LayerProblem& layer, const sparse::Design& design, const MapOptions& options,
                             const StopSource* stop) {
    LayerAnswer answer;
    answer.einsum = layer.einsum;
    const Mapspace mapspace(layer.einsum, layer.architecture, layer.constraints);
    if (!mapspace.problem().empty()) {
        answer.failures = failures_of(mapspace.problem(), layer, options);
        return answer;
    }
    const std::unique_ptr<Mapper> mapper = make_mapper(name_of(intended_mapper(options)));
    const SearchResult found =
        search_sparse({layer, design}, *mapper, options.objective, budget_of(options, *mapper, stop));
    answer.search = summary_of(found, layer.constraints, options);
    if (!found.best) {
        answer.failures = failures_of(failure_of(found), layer, options);
        return answer;
    }
    const Mapping mapping = mapping_of(*found.best, layer.einsum).value();
    answer.mapping = verified(mapping, sparse::check(layer.einsum, layer.architecture, mapping, design));
    answer.evaluation = counted(answer, layer, design).evaluation;
    return answer;
}

}  // namespace

SparseNetwork sparse_network(const Network& network, const Architecture& architecture, const ConstraintsOf& constraints,
                             const DesignOf& design) {
    SparseNetwork problem;
    problem.layers.name = network.name;
    std::vector<ShapeProblem>& shapes = problem.layers.shapes;
    for (const Layer& layer : network.layers) {
        const sparse::Design own = design(layer);
        std::size_t same = 0;
        while (same < shapes.size() &&
               !(shapes[same].layer.einsum.dimensions == layer.einsum.dimensions &&
                 shapes[same].layer.einsum.tensors == layer.einsum.tensors && problem.designs[same] == own))
            ++same;
        if (same == shapes.size()) {
            ShapeProblem shape{{}, layer.op, 0, {layer.einsum, architecture, {}}};
            if (constraints) shape.layer.constraints = constraints(layer.einsum);
            shapes.push_back(std::move(shape));
            problem.designs.push_back(own);
        }
        shapes[same].names.push_back(layer.name);
        shapes[same].repeats += layer.repeats;
    }
    return problem;
}

std::string dense_mapper_problem(const std::string& mapper, const std::string& dashes) {
    return dashes + "mapper " + mapper +
           " maps dense layers only; sparse machines are mapped by optimal, hybrid, anneal, genetic, random, "
           "linear-pruned or exhaustive" +
           or_dense("one", dashes);
}

std::string problem_with_sparse(const MapOptions& options, const std::string& dashes) {
    if (std::ranges::find(kTaken, intended_mapper(options)) == std::end(kTaken))
        return dense_mapper_problem(std::string(name_of(options.mapper)), dashes);
    if (options.objective.kind == ObjectiveKind::pareto)
        return dashes + "objective pareto is of dense machines; a sparse one is mapped for one objective" +
               or_dense("it", dashes);
    if (options.factors != FactorRule::perfect || options.uneven)
        return "sparse machines are mapped with perfect factors and even mappings, which are all that is counted with "
               "zeros: without " +
               dashes + "factors and " + dashes + "uneven" + or_dense("one", dashes);
    return "";
}

MapsShape sparse_mapper(const SparseNetwork& problem, SparseCache* cache) {
    return [&problem, cache](std::size_t shape, const MapOptions& options, const SearchControl& control) {
        const LayerProblem& layer = problem.layers.shapes[shape].layer;
        const sparse::Design& design = problem.designs[shape];
        if (cache != nullptr)
            if (std::optional<LayerAnswer> known = cache->find(layer, design, options)) return *std::move(known);
        LayerAnswer answer = map_sparse_layer(layer, design, options, control.stop);
        if (cache != nullptr) cache->keep(layer, design, options, answer);
        return answer;
    };
}

report::Report report_of_sparse(const Network& network, const Architecture& architecture, const SparseNetwork& problem,
                                const NetworkAnswer& answer) {
    report::Report report = report_of(network, architecture, problem.layers, answer);
    for (std::size_t i = 0; i < report.layers.size(); ++i) {
        if (!answer.layers[i].mapping) continue;
        const LayerProblem& layer = problem.layers.shapes[i].layer;
        report.layers[i].sparse = sparse::rounded(counted(answer.layers[i], layer, problem.designs[i]), layer.einsum,
                                                  layer.architecture, problem.designs[i]);
    }
    return report;
}

}  // namespace tilewright
