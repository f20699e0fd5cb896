#include "run/physical/map_physically.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <ranges>
#include <set>

#include "base/error.hpp"
#include "mapping/validity.hpp"
#include "model/exact/model.hpp"
#include "run/map_layer.hpp"
#include "silicon/accelerator/blocks.hpp"
#include "silicon/kernels/product.hpp"
#include "silicon/systolic/machine.hpp"
#include "silicon/systolic/search.hpp"

namespace tilewright {
namespace {

// What the layer's loops and the machine's levels are, for one call.
struct GivenLoops {
    const Einsum& einsum;
    const Architecture& architecture;
    const std::vector<TensorSet>& keep;
    const StopSource* stop;
};

PhysicalAnswer failed(std::string why) {
    PhysicalAnswer answer;
    answer.failure = std::move(why);
    return answer;
}

PhysicalAnswer unknown(std::string why) {
    PhysicalAnswer answer = failed(std::move(why));
    answer.unknown = true;
    return answer;
}

// A mapping that the checker refuses is no answer.
void take_mapping(std::optional<Mapping> mapping, const GivenLoops& given, PhysicalAnswer& answer) {
    if (!mapping) {
        answer.failure = "the best tile has no nest on the levels of this machine";
        return;
    }
    const std::vector<Violation> violations = check(given.einsum, given.architecture, *mapping);
    if (violations.empty())
        answer.mapping = std::move(mapping);
    else
        answer.failure = "the best tile is not legal here: " + violations.front().message;
}

PhysicalAnswer on(const silicon::SystolicMachine& machine, const GivenLoops& given) {
    const auto layer = silicon::whole_layer(given.einsum);
    if (const auto* refusal = std::get_if<std::string>(&layer)) return unknown(*refusal);
    const auto& whole = std::get<silicon::TiledLayer>(layer);
    const auto room = silicon::room_of(given.einsum, given.architecture, given.keep, machine);
    if (!room) return failed("a systolic machine needs memories of limited size for operands and for sums");
    const auto best = silicon::best_tiling(
        whole, machine, [&](const silicon::AxisExtents& tile) { return silicon::fits(whole, tile, *room); },
        given.stop);
    if (!best) return failed("no tile fits the scratchpad and the accumulator");
    PhysicalAnswer answer;
    answer.latency = physical_latency(best->latency, given.architecture);
    answer.proven = best->proven;
    answer.mappings = best->tiles;
    answer.compared = best->compared;
    answer.claim = best->proven ? "proven optimal: no tile of whole blocks of channels, in no order that finishes its "
                                  "sums, takes fewer cycles as built"
                                : "not proven: stopped before every tile was ruled out";
    take_mapping(silicon::mapping_of(best->layer, given.einsum, given.architecture, given.keep, machine), given,
                 answer);
    return answer;
}

// Every mapping takes as long: the plain model's fastest is the answer.
PhysicalAnswer any_mapping(const GivenLoops& given, const silicon::Silicon& silicon, const char* why) {
    LayerProblem problem{given.einsum, given.architecture, {}};
    problem.constraints.levels.resize(given.keep.size());
    for (std::size_t level = 1; level < given.keep.size(); ++level)
        problem.constraints.levels[level].must_keep = given.keep[level];
    MapOptions options;
    options.objective.kind = ObjectiveKind::latency;
    if (!silicon::product_of(given.einsum)) {  // any will do; a search of convolutions to the end takes long
        constexpr std::int64_t kTried = 2000;
        options.mapper = MapperKind::hybrid;
        options.evaluations = kTried;
    }
    const LayerAnswer plain = map_layer(problem, options, {.stop = given.stop});
    if (!plain.mapping) return failed(plain.failures.empty() ? "no mapping was found" : plain.failures.front());
    const auto latency = physical_latency(given.einsum, given.architecture, *plain.mapping, silicon);
    if (const auto* refusal = std::get_if<std::string>(&latency)) return failed(*refusal);
    PhysicalAnswer answer;
    answer.latency = std::get<PhysicalLatency>(latency);
    answer.proven = true;
    answer.mappings = answer.compared = 1;
    answer.claim = fmt::format("proven optimal: {}, so that every mapping takes as long as built", why);
    answer.mapping = plain.mapping;
    return answer;
}

// "tiles of 16 to 256 x 64 to 256 results, the reduction in 1, 2 and 4 parts"
std::string kernels_text(const std::vector<silicon::BlockMapping>& kernels) {
    const auto rows = [](const silicon::BlockMapping& one) { return one.tile.rows; };
    const auto columns = [](const silicon::BlockMapping& one) { return one.tile.columns; };
    const auto [least_rows, most_rows] = std::ranges::minmax(kernels | std::views::transform(rows));
    const auto [least_columns, most_columns] = std::ranges::minmax(kernels | std::views::transform(columns));
    std::set<std::int64_t> splits;
    for (const silicon::BlockMapping& one : kernels) splits.insert(one.split);
    std::vector<std::string> parts;
    for (const std::int64_t split : splits) parts.push_back(std::to_string(split));
    return fmt::format("tiles of {} to {} x {} to {} results, the reduction in {} part{}", least_rows, most_rows,
                       least_columns, most_columns, list_words(parts), splits == std::set<std::int64_t>{1} ? "" : "s");
}

template <class Machine>
constexpr const char* kLists = "its file lists";
template <>
constexpr const char* kLists<silicon::Accelerator> = "its generation's libraries have";

template <class Machine>
PhysicalAnswer best_blocks(const silicon::ImplicitProduct& product, const Machine& machine,
                           const silicon::KernelMachine& nests, const GivenLoops& given) {
    const silicon::ProductLatency best = silicon::best_kernel(product, given.einsum, machine);
    PhysicalAnswer answer;
    answer.latency = physical_latency(best, given.architecture);
    answer.proven = true;
    answer.mappings = answer.compared = best.compared;
    answer.claim = fmt::format(
        "proven optimal: none of the {} kernels that the machine has for this product takes less time as built: of "
        "those that {}, {}; the fastest has a tile of {} x {}",
        best.compared, kLists<Machine>, kernels_text(silicon::block_mappings(product.batch, machine)),
        best.mapping.tile.rows, best.mapping.tile.columns);
    take_mapping(silicon::mapping_of(best.mapping, given.einsum, given.architecture, given.keep, nests), given, answer);
    return answer;
}

PhysicalAnswer on_kernels(const silicon::Silicon& silicon, const GivenLoops& given) {
    const auto& machine = std::get<silicon::KernelMachine>(silicon.machine);
    const auto found = silicon::implicit_product(given.einsum);
    const auto* product = std::get_if<silicon::ImplicitProduct>(&found);
    if (product == nullptr) return any_mapping(given, silicon, "the layer is one pass over its words");
    if (!machine.has_blocks()) return any_mapping(given, silicon, "the machine takes the product whole");
    if (silicon.accelerator) return best_blocks(*product, *silicon.accelerator, machine, given);
    return best_blocks(*product, machine, machine, given);
}

SearchSummary summary_of(const PhysicalAnswer& answer) {
    SearchSummary summary;
    summary.evaluations = summary.valid = summary.sampled = answer.compared;
    summary.space = static_cast<double>(answer.mappings);
    summary.stopped_by = answer.proven ? "proven" : "interrupted";
    summary.proven = answer.proven;
    summary.claim = answer.claim;
    return summary;
}

}  // namespace

std::vector<TensorSet> kept_by(const Einsum& einsum, const Architecture& architecture, const Constraints& constraints) {
    std::vector<TensorSet> keep(architecture.memories.size());
    for (std::size_t level = 0; level < constraints.levels.size(); ++level)
        keep[level] = constraints.levels[level].must_keep;
    keep.front() = TensorSet::all(einsum.tensor_count());
    return keep;
}

PhysicalAnswer map_physically(const Einsum& einsum, const Architecture& architecture,
                              const std::vector<TensorSet>& keep, const silicon::Silicon& silicon,
                              const StopSource* stop) {
    const GivenLoops given{einsum, architecture, keep, stop};
    if (const auto* machine = std::get_if<silicon::SystolicMachine>(&silicon.machine)) return on(*machine, given);
    return on_kernels(silicon, given);
}

MapsShape physical_mapper(const NetworkProblem& problem, const silicon::Silicon& silicon) {
    return [&problem, &silicon](std::size_t shape, const MapOptions&,
                                const SearchControl& control) -> std::optional<LayerAnswer> {
        const LayerProblem& layer = problem.shapes[shape].layer;
        PhysicalAnswer found =
            map_physically(layer.einsum, layer.architecture,
                           kept_by(layer.einsum, layer.architecture, layer.constraints), silicon, control.stop);
        if (found.unknown) return std::nullopt;
        LayerAnswer answer;
        answer.einsum = layer.einsum;
        if (!found.mapping) {
            answer.failures = {found.failure};
            return answer;
        }
        answer.search = summary_of(found);
        answer.evaluation = evaluate(layer.einsum, layer.architecture, *found.mapping);
        answer.mapping = std::move(found.mapping);
        return answer;
    };
}

}  // namespace tilewright
