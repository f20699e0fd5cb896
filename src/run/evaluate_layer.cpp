#include "run/evaluate_layer.hpp"

#include <fmt/format.h>
#include <algorithm>
#include <array>
#include <variant>

#include "arch/blocks.hpp"
#include "base/error.hpp"
#include "base/numbers/checked.hpp"
#include "mapping/uneven.hpp"
#include "mapping/validity.hpp"
#include "mapspace/layer_problem.hpp"
#include "model/sparse/sparse_model.hpp"
#include "run/words.hpp"
#include "sparse/given.hpp"
#include "timeloop/sparse/sparse_account.hpp"
#include "workload/widths.hpp"
#include "zigzag/forms/translate.hpp"

namespace tilewright {
namespace {

constexpr std::array kRules{std::string_view("exact"), std::string_view("timeloop"), std::string_view("zigzag")};

// A mapping of a layer on a machine, which is judged and counted.
struct Given {
    const Mapping& mapping;
    const Architecture& architecture;
    const MappingPlaces& places;
};

std::string failure_of(const Violation& violation, const MappingPlaces& places) {
    return placed_text(violation, places) + " [" + violation_kind_name(violation.kind) + "]";
}

// Says in `result` what is wrong with the mapping, if anything.
bool is_legal(const Given& given, report::LayerResult& result) {
    for (const Violation& violation : check(result.einsum, given.architecture, given.mapping))
        result.failures.push_back(failure_of(violation, given.places));
    return result.failures.empty();
}

void evaluate_exactly(const Given& given, const LayerDetails& details, report::LayerResult& result) {
    const LayerProblem problem{result.einsum, given.architecture, {}, details.words, details.zeros};
    result.partial_bits = details.words.partial_bits;
    Mapping plain = given.mapping;
    plain.options.clear();
    LayerCosts costs = costs_of(problem, plain);
    for (const Violation& violation : costs.violations) result.failures.push_back(failure_of(violation, given.places));
    result.evaluation = std::move(costs.evaluation);
    if (!costs.uncounted.empty())
        result.failures = {fmt::format("it is not counted: {} [unsupported]", costs.uncounted)};
    if (problem.zeros && result.evaluation)
        result.sparse = sparse::rounded(
            sparse::evaluate(problem.einsum, problem.architecture, plain, *problem.zeros, problem.words),
            problem.einsum, problem.architecture, *problem.zeros);
}

void refuse(const char* peer, const std::string& reason, report::LayerResult& result) {
    result.failures = {fmt::format("{} cannot express it: {} [unsupported]", peer, reason)};
}

// Timeloop's refusal with the node at fault, where our own judgement of the nest says the same.
Violation located(Violation refusal, const Einsum& einsum, const Given& given) {
    for (const Violation& same : check(einsum, given.architecture, given.mapping)) {
        if (same.kind != refusal.kind || same.level != refusal.level) continue;
        refusal.node = same.node;
        break;
    }
    return refusal;
}

/// Why Timeloop's rules do not know the machine, or "".
std::string unknown_to_timeloop(const Einsum& einsum, const Architecture& machine) {
    for (const Memory& memory : machine.memories) {
        if (!memory.link.passages.empty())
            return "'" + memory.link.passages.front().name + "' is a passage, a priced place that holds nothing";
        if (memory.write_stall_cycles > 0.0) return "writes of '" + memory.name + "' stop the units";
        if (memory.rules_tiles()) return "'" + memory.name + "' has rules for tiles (alignment_words, buffers, tile)";
    }
    return own_width_in(einsum);
}

void evaluate_as_timeloop(const Given& given, const account::TimeloopOptions& options, report::LayerResult& result) {
    if (const std::string why = unknown_to_timeloop(result.einsum, given.architecture); !why.empty())
        return refuse("Timeloop", why, result);
    const account::TimeloopResult counted =
        account::timeloop(result.einsum, given.architecture, given.mapping, options);
    if (counted.refusal)
        result.failures = {failure_of(located(*counted.refusal, result.einsum, given), given.places)};
    else
        result.evaluation = account::to_evaluation(counted, given.architecture);
}

void evaluate_sparse_as_timeloop(const Given& given, const Accounting& accounting, report::LayerResult& result) {
    if (const std::string why = unknown_to_timeloop(result.einsum, given.architecture); !why.empty())
        return refuse("Timeloop", why, result);
    account::SparseResult counted =
        account::sparse_timeloop(result.einsum, given.architecture, given.mapping, *accounting.details.zeros,
                                 accounting.orders, accounting.timeloop);
    if (counted.common.refusal) {
        result.failures = {failure_of(located(*counted.common.refusal, result.einsum, given), given.places)};
        return;
    }
    result.evaluation = account::to_evaluation(counted.common, given.architecture);
    result.sparse = std::move(counted.costs);
    result.sparse->densities = sparse::densities_of(result.einsum, accounting.details.zeros->densities);
}

void evaluate_as_zigzag(const Given& given, report::LayerResult& result) {
    if (!is_legal(given, result)) return;
    if (const std::string width = own_width_in(result.einsum); !width.empty())
        return refuse("This translation to ZigZag", width, result);
    const auto translated = zigzag::translate(result.einsum, given.architecture, given.mapping);
    if (const std::string* reason = std::get_if<std::string>(&translated)) return refuse("ZigZag", *reason, result);
    const auto& same = std::get<zigzag::Translation>(translated);
    const zigzag::Result counted = zigzag::evaluate(
        same.accelerator, same.layer, spatial_pair(same.accelerator, same.layer, same.unrolling), same.mapping);
    if (!counted.refusal.empty()) return refuse("ZigZag", counted.refusal, result);
    result.evaluation = zigzag::to_evaluation(counted, same, result.einsum, given.architecture);
}

void evaluate_by(const Accounting& accounting, const Given& given, report::LayerResult& result) {
    const LayerDetails& details = accounting.details;
    const std::string unknown = unusual_words_in(result.einsum, details.words);
    if (accounting.rules != Rules::exact && !unknown.empty()) {
        result.partial_bits = details.words.partial_bits;
        return refuse(accounting.rules == Rules::timeloop ? "Timeloop" : "This translation to ZigZag", unknown, result);
    }
    switch (accounting.rules) {
        case Rules::exact: return evaluate_exactly(given, details, result);
        case Rules::timeloop:
            if (details.zeros) return evaluate_sparse_as_timeloop(given, accounting, result);
            return evaluate_as_timeloop(given, accounting.timeloop, result);
        case Rules::zigzag:
            if (details.zeros) return refuse("This translation to ZigZag", "what the machine does about zeros", result);
            return evaluate_as_zigzag(given, result);
    }
}

}  // namespace

std::string_view name_of(Rules rules) { return kRules[static_cast<std::size_t>(rules)]; }

std::optional<Rules> rules_named(std::string_view name) {
    const auto* const found = std::find(kRules.begin(), kRules.end(), name);
    if (found == kRules.end()) return std::nullopt;
    return static_cast<Rules>(found - kRules.begin());
}

std::vector<std::string> rules_names() { return {kRules.begin(), kRules.end()}; }

report::LayerResult evaluate_layer(const Layer& layer, const Architecture& architecture, const Mapping& mapping,
                                   const Accounting& accounting, const MappingPlaces& places) {
    report::LayerResult result = report::unmapped(layer);
    result.mapping = mapping;
    try {
        evaluate_by(accounting, {mapping, architecture, places}, result);
    } catch (const OverflowError&) {
        throw InputError(ErrorCode::overflow, {},
                         "layer '" + layer.name + "' is too large: a count does not fit in 64 bits");
    }
    return result;
}

namespace {

// Timeloop's mappings may bypass the outermost memory; what is outside of the first one that keeps a tensor then costs
// nothing.
std::vector<std::string> homeless_notes(const Einsum& einsum, const Architecture& architecture,
                                        const Mapping& mapping) {
    std::vector<std::string> notes;
    const std::vector<MappingLevel> levels = owned_levels(mapping, architecture.memory_count());
    const auto outermost = std::find_if(architecture.memories.begin(), architecture.memories.end(),
                                        [](const Memory& memory) { return !memory.spreads_only; });
    if (outermost == architecture.memories.end()) return notes;
    const MappingLevel& level = levels[outermost - architecture.memories.begin()];
    for (int t = 0; t < einsum.tensor_count(); ++t)
        if (!level.keep.has(t))
            notes.push_back("'" + outermost->name + "', the outermost memory, bypasses '" + einsum.tensors[t].name +
                            "': its way from there is not counted");
    return notes;
}

}  // namespace

std::vector<std::string> spread_notes(const Einsum& einsum, const Architecture& architecture, const Mapping& mapping,
                                      const Constraints& constraints) {
    std::vector<std::string> notes;
    const std::vector<MappingLevel> levels = owned_levels(mapping, architecture.memory_count());
    for (std::size_t m = 0; m < constraints.levels.size(); ++m) {
        const std::vector<FactorConstraint>& factors = constraints.levels[m].spatial.factors;
        for (std::size_t d = 0; d < factors.size(); ++d) {
            std::int64_t spread = 1;
            for (const Loop& loop : levels[m].spatial)
                if (loop.dimension == static_cast<int>(d)) spread *= loop.extent;
            const std::optional<std::int64_t> most = factors[d].exactly ? factors[d].exactly : factors[d].at_most;
            if (most && spread > *most)
                notes.push_back("the mapping spreads " + einsum.dimensions[d].name + " over " + std::to_string(spread) +
                                " neighbours below '" + architecture.memories[m].name +
                                "'; the constraints of the machine allow " + std::to_string(*most));
        }
    }
    return notes;
}

std::vector<std::string> mapping_notes(const Layer& layer, const Architecture& architecture, const Mapping& mapping,
                                       Rules rules, const ConstraintsOf& constraints) {
    std::vector<std::string> notes;
    if (rules == Rules::exact && !mapping.options.empty())
        notes.emplace_back("the exact accounting ignores the switches of the mapping (no_multicast and the like)");
    for (std::string& note : homeless_notes(layer.einsum, architecture, mapping)) notes.push_back(std::move(note));
    try {
        for (std::string& note : spread_notes(layer.einsum, architecture, mapping, constraints(layer.einsum)))
            notes.push_back(std::move(note));
    } catch (const InputError& error) {
        const Location& where = error.where();
        notes.push_back(where.file + ":" + std::to_string(where.line) +
                        ": the constraints do not fit this layer: " + error.message());
    }
    return notes;
}

}  // namespace tilewright
