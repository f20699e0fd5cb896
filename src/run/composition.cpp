#include "run/composition.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <optional>

namespace tilewright {
namespace {

struct Named {
    Capability capability;
    std::string_view name;
};

constexpr std::array kNames{
    Named{Capability::zeros, "sparsity"},
    Named{Capability::partial_sums, "partial sums of another width"},
    Named{Capability::blocks, "block formats (MX)"},
    Named{Capability::passages, "passages (arrays computing in memory)"},
    Named{Capability::programming, "programming (writes that stop the units)"},
    Named{Capability::tile_rules, "rules for the tiles of a memory (alignment, buffers, extents)"},
    Named{Capability::pareto, "the objective pareto"},
    Named{Capability::uneven, "uneven mappings"},
    Named{Capability::remainders, "imperfect factors (ruby)"},
    Named{Capability::padded, "padded factors"},
    Named{Capability::heuristic,
          "a mapper that samples or enumerates (hybrid, anneal, genetic, random, linear-pruned, exhaustive)"},
    Named{Capability::own_search, "a mapper with a cost model of its own (loma, salsa, cosa)"},
    Named{Capability::timeloops, "a mapper of Timeloop's (timeloop-...)"},
    Named{Capability::refinement, "refinement by simulation"},
    Named{Capability::as_built, "latency as built"},
    Named{Capability::dataflows, "a dataflow search (gamma, dataflow)"},
    Named{Capability::fusion, "fusion"},
    Named{Capability::package, "a package of cores"},
    Named{Capability::other_objective, "an objective other than latency"},
    Named{Capability::chosen_search, "a named mapper or factor rule"},
    Named{Capability::what_if, "a what-if analysis"},
    Named{Capability::certificate, "a certificate"},
    Named{Capability::serving, "a server (llm --load, --best, --trace)"}};

constexpr std::string_view kOwnCosts = "its cost model has dense words of one width";
constexpr std::string_view kNoPassages = "its cost model has neither passages nor writes that stop the units";
constexpr std::string_view kPlainTiles = "its cost model takes a tile's words as its room";
constexpr std::string_view kNoStops = "waiting is counted for words of one width";
constexpr std::string_view kSimulated = "the simulator moves words of one width";
constexpr std::string_view kBuilt = "predictions as built are of dense words of one width, layer by layer";
constexpr std::string_view kNoProof = "only the optimal mapper leaves a proof to check";
constexpr std::string_view kDivide = "its streams enumerate perfect factors";
constexpr std::string_view kOnlyOptimal = "only the optimal mapper searches uneven mappings";
constexpr std::string_view kDirectives = "directives move dense words of one width";
constexpr std::string_view kNoMappings = "it finds directives, not mappings";
constexpr std::string_view kFusedWords = "fused mappings have dense words without scales";
constexpr std::string_view kFusedSearch =
    "fused leaves are even mappings with perfect factors, searched together with their groups";
constexpr std::string_view kPlannedWords = "plans on packages move dense words of one width";
constexpr std::string_view kPlannedLeaves =
    "parts of a plan are mapped by the optimal mapper, with even mappings and perfect factors";
constexpr std::string_view kTiles = "its search covers the tiles of the machine's own loops or kernels";

const std::vector<Refused> kRefused{
    Refused{Capability::zeros, Capability::padded, "densities are of the layer's own tensors, not of padded ones"},
    Refused{Capability::zeros, Capability::own_search, kOwnCosts},
    Refused{Capability::zeros, Capability::timeloops, kOwnCosts},
    Refused{Capability::zeros, Capability::refinement, kSimulated},
    Refused{Capability::zeros, Capability::as_built, kBuilt},
    Refused{Capability::partial_sums, Capability::own_search, kOwnCosts},
    Refused{Capability::partial_sums, Capability::timeloops, kOwnCosts},
    Refused{Capability::partial_sums, Capability::refinement, kSimulated},
    Refused{Capability::partial_sums, Capability::as_built, kBuilt},
    Refused{Capability::blocks, Capability::padded, "padding would lengthen the rows of the scales"},
    Refused{Capability::blocks, Capability::refinement, kSimulated},
    Refused{Capability::blocks, Capability::as_built, kBuilt},
    Refused{Capability::passages, Capability::own_search, kNoPassages},
    Refused{Capability::passages, Capability::timeloops, kNoPassages},
    Refused{Capability::passages, Capability::as_built, kBuilt},
    Refused{Capability::programming, Capability::zeros, "cells are written whole, zeros or not"},
    Refused{Capability::programming, Capability::partial_sums, kNoStops},
    Refused{Capability::programming, Capability::remainders, "the bound of its search adds no waiting to computing"},
    Refused{Capability::programming, Capability::own_search, kNoPassages},
    Refused{Capability::programming, Capability::timeloops, kNoPassages},
    Refused{Capability::programming, Capability::refinement, "the simulator has no such waiting"},
    Refused{Capability::programming, Capability::as_built, kBuilt},
    Refused{Capability::tile_rules, Capability::zeros, "packed tiles have rooms of their own"},
    Refused{Capability::tile_rules, Capability::partial_sums, "rooms are aligned for words of one width"},
    Refused{Capability::tile_rules, Capability::blocks, "rooms are aligned for words without scales"},
    Refused{Capability::tile_rules, Capability::own_search, kPlainTiles},
    Refused{Capability::tile_rules, Capability::timeloops, kPlainTiles},
    Refused{Capability::tile_rules, Capability::refinement, "the simulator takes a tile's words as its room"},
    Refused{Capability::tile_rules, Capability::as_built, kBuilt},
    Refused{Capability::tile_rules, Capability::dataflows, "directives take a tile's words as its room"},
    Refused{Capability::tile_rules, Capability::fusion, "leaves of fused mappings take a tile's words as its room"},
    Refused{Capability::tile_rules, Capability::package, "plans on packages take a tile's words as its room"},
    Refused{Capability::pareto, Capability::refinement, "simulated mappings are ranked by one number"},
    Refused{Capability::uneven, Capability::remainders, "uneven mappings are searched with perfect factors"},
    Refused{Capability::uneven, Capability::heuristic, kOnlyOptimal},
    Refused{Capability::uneven, Capability::own_search, kOnlyOptimal},
    Refused{Capability::uneven, Capability::timeloops, kOnlyOptimal},
    Refused{Capability::remainders, Capability::own_search, "it orders the loops of perfect factors"},
    Refused{Capability::remainders, Capability::timeloops, kDivide},
    Refused{Capability::padded, Capability::timeloops, kDivide},
    Refused{Capability::pareto, Capability::timeloops, "it has one best mapping"},
    Refused{Capability::dataflows, Capability::zeros, kDirectives},
    Refused{Capability::dataflows, Capability::partial_sums, kDirectives},
    Refused{Capability::dataflows, Capability::blocks, kDirectives},
    Refused{Capability::dataflows, Capability::pareto, "directives are ranked by one number"},
    Refused{Capability::dataflows, Capability::uneven, kNoMappings},
    Refused{Capability::dataflows, Capability::remainders, kNoMappings},
    Refused{Capability::dataflows, Capability::padded, kNoMappings},
    Refused{Capability::dataflows, Capability::refinement, kNoMappings},
    Refused{Capability::dataflows, Capability::as_built, kNoMappings},
    Refused{Capability::dataflows, Capability::fusion, kNoMappings},
    Refused{Capability::fusion, Capability::zeros, kFusedWords},
    Refused{Capability::fusion, Capability::blocks, kFusedWords},
    Refused{Capability::fusion, Capability::passages, "fused mappings pay memories and units only"},
    Refused{Capability::fusion, Capability::programming, "fused mappings pay memories and units only"},
    Refused{Capability::fusion, Capability::pareto, "a certificate of fused mappings is of one number",
            Capability::certificate},
    Refused{Capability::fusion, Capability::uneven, kFusedSearch},
    Refused{Capability::fusion, Capability::remainders, kFusedSearch},
    Refused{Capability::fusion, Capability::padded, kFusedSearch},
    Refused{Capability::fusion, Capability::heuristic, kFusedSearch},
    Refused{Capability::fusion, Capability::own_search, kFusedSearch},
    Refused{Capability::fusion, Capability::timeloops, kFusedSearch},
    Refused{Capability::fusion, Capability::chosen_search, kFusedSearch},
    Refused{Capability::fusion, Capability::refinement, "the simulator runs layers one after the other"},
    Refused{Capability::fusion, Capability::as_built,
            "machines as built run one layer after the other, with loops or kernels of their own"},
    Refused{Capability::package, Capability::zeros, kPlannedWords},
    Refused{Capability::package, Capability::partial_sums, kPlannedWords},
    Refused{Capability::package, Capability::blocks, kPlannedWords},
    Refused{Capability::package, Capability::pareto, "a plan is proven best by one number"},
    Refused{Capability::package, Capability::uneven, kPlannedLeaves},
    Refused{Capability::package, Capability::remainders, kPlannedLeaves},
    Refused{Capability::package, Capability::padded, kPlannedLeaves},
    Refused{Capability::package, Capability::heuristic, kPlannedLeaves},
    Refused{Capability::package, Capability::own_search, kPlannedLeaves},
    Refused{Capability::package, Capability::timeloops, kPlannedLeaves},
    Refused{Capability::package, Capability::chosen_search, kPlannedLeaves},
    Refused{Capability::package, Capability::refinement, "the simulator runs one core's layers one after the other"},
    Refused{Capability::package, Capability::as_built, kBuilt},
    Refused{Capability::package, Capability::dataflows, kNoMappings},
    Refused{Capability::package, Capability::fusion, "a run of a plan fuses einsums in its own way"},
    Refused{Capability::package, Capability::what_if, "it looks at layers one by one, on one core"},
    Refused{Capability::as_built, Capability::pareto, "it is minimised alone"},
    Refused{Capability::as_built, Capability::other_objective, "it is minimised alone"},
    Refused{Capability::as_built, Capability::uneven, kTiles},
    Refused{Capability::as_built, Capability::remainders, kTiles},
    Refused{Capability::as_built, Capability::padded, kTiles},
    Refused{Capability::as_built, Capability::heuristic, kTiles},
    Refused{Capability::as_built, Capability::own_search, kTiles},
    Refused{Capability::as_built, Capability::timeloops, kTiles},
    Refused{Capability::as_built, Capability::chosen_search, kTiles},
    Refused{Capability::as_built, Capability::refinement, "both predict the machine, each in a way of its own"},
    Refused{Capability::as_built, Capability::what_if, "mappings on the changed machine are costed by the plain model"},
    Refused{Capability::as_built, Capability::certificate, "certificates are of the plain model"},
    Refused{Capability::refinement, Capability::what_if,
            "mappings on the changed machine are costed by the model, not simulated"},
    Refused{Capability::what_if, Capability::dataflows, kNoMappings},
    Refused{Capability::what_if, Capability::fusion,
            "it looks at layers one by one; --buffers shows what a buffer brings"},
    Refused{Capability::certificate, Capability::heuristic, kNoProof},
    Refused{Capability::certificate, Capability::own_search, kNoProof},
    Refused{Capability::certificate, Capability::timeloops, kNoProof},
    Refused{Capability::certificate, Capability::dataflows, kNoProof},
    Refused{Capability::certificate, Capability::refinement, "a simulated choice has no proof to check"},
    Refused{Capability::certificate, Capability::padded, "the checker knows mappings of the layer, not of paddings"},
    Refused{Capability::serving, Capability::zeros, "steps of a server are dense"},
    Refused{Capability::serving, Capability::partial_sums,
            "widths are of weights and caches, which have no partial sums"},
    Refused{Capability::serving, Capability::pareto, "a step has one time"},
    Refused{Capability::serving, Capability::refinement, "the simulator runs layers, not the steps of a server"},
    Refused{Capability::serving, Capability::dataflows, kNoMappings},
    Refused{Capability::serving, Capability::package, "devices of a server share a model as --deploy says"},
    Refused{Capability::serving, Capability::what_if, "it looks at layers one by one, not at the steps of a server"},
    Refused{Capability::serving, Capability::certificate,
            "times between mapped steps are interpolated, without a proof"},
};

std::optional<Capability> capability_of(MapperKind mapper) {
    if (mapper == MapperKind::optimal) return std::nullopt;
    if (is_timeloops(mapper)) return Capability::timeloops;
    const bool orders = mapper == MapperKind::loma || mapper == MapperKind::salsa || mapper == MapperKind::cosa;
    return orders ? Capability::own_search : Capability::heuristic;
}

void add_of_words(const LayerProblem& problem, std::vector<Capability>& all) {
    if (problem.zeros) all.push_back(Capability::zeros);
    if (problem.words.has_partial_sums()) all.push_back(Capability::partial_sums);
    if (problem.words.has_blocks()) all.push_back(Capability::blocks);
    const std::vector<Capability> machine = capabilities_of(problem.architecture);
    all.insert(all.end(), machine.begin(), machine.end());
}

void add_of_search(const MapOptions& options, std::vector<Capability>& all) {
    if (options.objective.kind == ObjectiveKind::pareto) all.push_back(Capability::pareto);
    if (options.uneven) all.push_back(Capability::uneven);
    if (options.factors == FactorRule::padded) all.push_back(Capability::padded);
    if (options.factors != FactorRule::padded && options.factors != FactorRule::perfect)
        all.push_back(Capability::remainders);
    if (const auto mapper = capability_of(intended_mapper(options))) all.push_back(*mapper);
}

}  // namespace

std::string_view name_of(Capability capability) {
    return std::ranges::find(kNames, capability, &Named::capability)->name;
}

const std::vector<Refused>& refused_pairs() { return kRefused; }

std::string others_of(const Refused& refused) {
    const std::string other(name_of(refused.other));
    return refused.third ? fmt::format("{} and {}", other, name_of(*refused.third)) : other;
}

std::string refusal(Capability one, Capability other) {
    for (const Refused& pair : kRefused)
        if (!pair.third && ((pair.one == one && pair.other == other) || (pair.one == other && pair.other == one)))
            return fmt::format("{} and {} do not go together: {}", name_of(one), name_of(other), pair.why);
    return "";
}

std::string refusal(const std::vector<Capability>& together) {
    for (std::size_t i = 0; i < together.size(); ++i)
        for (std::size_t j = i + 1; j < together.size(); ++j)
            if (std::string why = refusal(together[i], together[j]); !why.empty()) return why;
    const auto asked = [&](Capability one) { return std::ranges::find(together, one) != together.end(); };
    for (const Refused& three : kRefused)
        if (three.third && asked(three.one) && asked(three.other) && asked(*three.third))
            return fmt::format("{}, {} do not go together: {}", name_of(three.one), others_of(three), three.why);
    return "";
}

std::vector<Capability> capabilities_of(const Architecture& architecture) {
    std::vector<Capability> all;
    const std::vector<Memory>& memories = architecture.memories;
    if (std::ranges::any_of(memories, [](const Memory& memory) { return !memory.link.passages.empty(); }))
        all.push_back(Capability::passages);
    if (std::ranges::any_of(memories, [](const Memory& memory) { return memory.write_stall_cycles > 0.0; }))
        all.push_back(Capability::programming);
    if (std::ranges::any_of(memories, &Memory::rules_tiles)) all.push_back(Capability::tile_rules);
    return all;
}

std::vector<Capability> capabilities_of(const MapOptions& options) {
    std::vector<Capability> all;
    add_of_search(options, all);
    return all;
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
