#include "run/composition.hpp"

#include <fmt/format.h>

#include <algorithm>

namespace tilewright {
namespace {

struct Named {
    Capability capability;
    std::string_view name;
};

constexpr std::array kNames{
    Named{Capability::zeros, "zeros (a sparse machine)"},
    Named{Capability::partial_sums, "partial sums of a width of their own"},
    Named{Capability::blocks, "blocks of words that share a scale"},
    Named{Capability::pareto, "the objective pareto"},
    Named{Capability::uneven, "uneven mappings"},
    Named{Capability::remainders, "factors that leave remainders"},
    Named{Capability::padded, "padded factors"},
    Named{Capability::own_search, "a mapper with costs of its own (loma, salsa, cosa, timeloop-...)"},
    Named{Capability::refinement, "refinement by simulation"},
    Named{Capability::as_built, "the latency of a machine as built"},
    Named{Capability::other_objective, "an objective other than latency"},
    Named{Capability::chosen_search, "a mapper or factors chosen by name"},
    Named{Capability::what_if, "what a changed machine would bring"},
    Named{Capability::certificate, "a certificate"}};

struct Refused {
    Capability one;
    Capability other;
    std::string_view why;
};

constexpr std::string_view kOneBound =
    "a front is proven with the exact cost of every point, and prices of such words are lower bounds";
constexpr std::string_view kOwnCosts = "it ranks mappings by costs of its own, which know words of one width";
constexpr std::string_view kSimulated = "the simulator moves words of one width";
constexpr std::string_view kBuilt = "machines as built have predictions of dense words of one width";
constexpr std::string_view kTiles = "its search goes over the tiles that the machine's own loops or kernels can run";
constexpr std::string_view kMeans = "means over zeros are counted of even mappings with perfect factors";

constexpr std::array kRefused{
    Refused{Capability::zeros, Capability::partial_sums,
            "which updates are the last ones is not counted where zeros leave some of them out"},
    Refused{Capability::zeros, Capability::blocks,
            "scales are not counted where zeros leave out words of their blocks"},
    Refused{Capability::zeros, Capability::pareto, kOneBound},
    Refused{Capability::zeros, Capability::uneven, kMeans},
    Refused{Capability::zeros, Capability::remainders, kMeans},
    Refused{Capability::zeros, Capability::padded, kMeans},
    Refused{Capability::zeros, Capability::own_search, kOwnCosts},
    Refused{Capability::zeros, Capability::refinement, kSimulated},
    Refused{Capability::zeros, Capability::as_built, kBuilt},
    Refused{Capability::partial_sums, Capability::pareto, kOneBound},
    Refused{Capability::partial_sums, Capability::uneven,
            "the search of uneven mappings has one width for each tensor"},
    Refused{Capability::partial_sums, Capability::remainders,
            "which words are final is counted where no loop leaves a remainder"},
    Refused{Capability::partial_sums, Capability::own_search, kOwnCosts},
    Refused{Capability::partial_sums, Capability::refinement, kSimulated},
    Refused{Capability::partial_sums, Capability::as_built, kBuilt},
    Refused{Capability::blocks, Capability::pareto, kOneBound},
    Refused{Capability::blocks, Capability::padded, "padding would lengthen the rows that scales belong to"},
    Refused{Capability::blocks, Capability::refinement, kSimulated},
    Refused{Capability::blocks, Capability::as_built, kBuilt},
    Refused{Capability::as_built, Capability::pareto, "it is minimised alone"},
    Refused{Capability::as_built, Capability::other_objective, "it is minimised alone"},
    Refused{Capability::as_built, Capability::uneven, kTiles},
    Refused{Capability::as_built, Capability::remainders, kTiles},
    Refused{Capability::as_built, Capability::padded, kTiles},
    Refused{Capability::as_built, Capability::own_search, kTiles},
    Refused{Capability::as_built, Capability::chosen_search, kTiles},
    Refused{Capability::as_built, Capability::refinement, "both predict the machine, each in a way of its own"},
    Refused{Capability::as_built, Capability::what_if, "mappings on the changed machine are costed by the plain model"},
    Refused{Capability::as_built, Capability::certificate, "what a certificate proves is the plain model's"},
    Refused{Capability::refinement, Capability::what_if,
            "mappings on the changed machine are costed by the model, not simulated"},
};

// The optimal mapper and the searches of the mapspace take any evaluator.
bool has_own_costs(const MapOptions& options) {
    const MapperKind mapper = intended_mapper(options);
    return is_timeloops(mapper) || mapper == MapperKind::loma || mapper == MapperKind::salsa ||
           mapper == MapperKind::cosa;
}

void add_of_words(const LayerProblem& problem, std::vector<Capability>& all) {
    if (problem.zeros) all.push_back(Capability::zeros);
    if (problem.words.has_partial_sums()) all.push_back(Capability::partial_sums);
    if (problem.words.has_blocks()) all.push_back(Capability::blocks);
}

void add_of_search(const MapOptions& options, std::vector<Capability>& all) {
    if (options.objective.kind == ObjectiveKind::pareto) all.push_back(Capability::pareto);
    if (options.uneven) all.push_back(Capability::uneven);
    if (options.factors == FactorRule::padded) all.push_back(Capability::padded);
    if (options.factors != FactorRule::padded && options.factors != FactorRule::perfect)
        all.push_back(Capability::remainders);
    if (has_own_costs(options)) all.push_back(Capability::own_search);
}

}  // namespace

std::string_view name_of(Capability capability) {
    return std::ranges::find(kNames, capability, &Named::capability)->name;
}

std::string refusal(Capability one, Capability other) {
    for (const Refused& pair : kRefused)
        if ((pair.one == one && pair.other == other) || (pair.one == other && pair.other == one))
            return fmt::format("{} and {} do not go together: {}", name_of(one), name_of(other), pair.why);
    return "";
}

std::string refusal(const std::vector<Capability>& together) {
    for (std::size_t i = 0; i < together.size(); ++i)
        for (std::size_t j = i + 1; j < together.size(); ++j)
            if (std::string why = refusal(together[i], together[j]); !why.empty()) return why;
    return "";
}

std::vector<Capability> capabilities_of(const LayerProblem& problem, const MapOptions& options) {
    std::vector<Capability> all;
    add_of_words(problem, all);
    add_of_search(options, all);
    return all;
}

std::vector<Capability> capabilities_of(const NetworkProblem& problem, const MapOptions& options) {
    std::vector<Capability> all;
    for (const ShapeProblem& shape : problem.shapes) add_of_words(shape.layer, all);
    add_of_search(options, all);
    std::ranges::sort(all);
    all.erase(std::unique(all.begin(), all.end()), all.end());
    return all;
}

}  // namespace tilewright
