#include "inputs/asked.hpp"

#include "options/machine_options.hpp"
#include "verbs/map/dataflow_search.hpp"

namespace tilewright::cli {
namespace {

// A mapper by its name, a factor rule by its own.
MapOptions options_of(const SearchPlan& plan) {
    MapOptions options;
    options.factors = factor_rule_named(plan.factors).value_or(FactorRule::perfect);
    options.mapper = mapper_kind_named(plan.mapper).value_or(options.mapper);
    options.uneven = plan.uneven;
    if (plan.objective == "pareto") options.objective.kind = ObjectiveKind::pareto;
    return options;
}

}  // namespace

std::vector<Capability> capabilities_asked(const std::string& verb, const InputOptions& input, const SearchPlan& plan) {
    std::vector<Capability> all;
    const auto add = [&](bool asked, Capability capability) {
        if (asked) all.push_back(capability);
    };
    const std::vector<TensorWidth> widths = read_widths(verb, input.bits);
    add(is_dataflow_mapper(plan.mapper), Capability::dataflows);
    add(!input.density.empty() && !input.dense, Capability::zeros);
    add(have_partial_sums(widths), Capability::partial_sums);
    add(have_blocks(widths), Capability::blocks);
    const std::vector<Capability> search = capabilities_of(options_of(plan));
    all.insert(all.end(), search.begin(), search.end());
    add(plan.orders.zigzag.is_physical(), Capability::as_built);
    add(!plan.objective.empty() && plan.objective != "latency", Capability::other_objective);
    add(!plan.mapper.empty() || !plan.factors.empty(), Capability::chosen_search);
    return all;
}

}  // namespace tilewright::cli
