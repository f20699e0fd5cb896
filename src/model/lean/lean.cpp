#include "model/lean/lean.hpp"

#include <algorithm>
#include <bit>

#include "model/lean/imperfect.hpp"
#include "model/lean/nest.hpp"

namespace tilewright {

using lean::LevelForm;
using lean::Setup;

namespace {

// Adds one memory's temporal loops to the nest, innermost first. Loops that run once are overwritten by the next one:
// no branch to mispredict.
void add_loops(const TilingLevel& level, int index, int dimensions, lean::Nest& nest) {
    const auto& inner = nest.tile[index + 1];
    int count = nest.loop_count;
    for (int k = 0; k < dimensions; ++k) {
        const int d = level.order[k];
        nest.loops[count] = {d, static_cast<double>(level.temporal[d]), inner[d] * level.spatial[d]};
        count += level.temporal[d] != 1 ? 1 : 0;
        count = std::min(count, lean::kMaxNestLoops);  // reached only by factors that do not make up the extents
    }
    nest.loop_count = count;
    for (int d = 0; d < dimensions; ++d) nest.tile[index][d] = inner[d] * level.spatial[d] * level.temporal[d];
}

void index_loops(const Setup& setup, lean::Nest& nest) {
    const int tensors = static_cast<int>(setup.tensors.size());
    for (int t = 0; t < tensors; ++t) nest.moving[t] = 0;
    nest.around[nest.loop_count] = 1.0;
    for (int j = nest.loop_count - 1; j >= 0; --j) {
        const lean::NestLoop& loop = nest.loops[j];
        nest.around[j] = nest.around[j + 1] * loop.extent;
        for (int t = 0; t < tensors; ++t)
            nest.moving[t] |= std::uint64_t{setup.tensors[t].relevant >> loop.dimension & 1U} << j;
    }
}

std::uint32_t spread_dimensions(const TilingLevel& level, int dimensions) {
    std::uint32_t spread = 0;
    for (int d = 0; d < dimensions; ++d) spread |= (level.spatial[d] != 1 ? 1U : 0U) << d;
    return spread;
}

void lay_out_spread(const TilingPoint& point, lean::Nest& nest) {
    nest.used_x[0] = nest.used_y[0] = 1.0;
    nest.partly = false;
    for (int l = 0; l < point.level_count(); ++l) {
        double x = nest.used_x[l];
        double y = nest.used_y[l];
        nest.spread[l] = spread_dimensions(point[l], point.dimension_count());
        for (std::uint32_t left = nest.spread[l]; left != 0; left &= left - 1) {
            const int d = std::countr_zero(left);
            x *= point[l].along_x[d];
            y *= point[l].along_y[d];
            nest.partly = nest.partly || point[l].along_x[d] * point[l].along_y[d] != point[l].spatial[d];
        }
        nest.used_x[l + 1] = x;
        nest.used_y[l + 1] = y;
    }
}

void lay_out(const Setup& setup, const TilingPoint& point, lean::Nest& nest) {
    const int levels = point.level_count();
    nest.loop_count = 0;
    std::fill_n(nest.tile[levels].begin(), point.dimension_count(), 1.0);
    nest.outside[levels] = 0;
    for (int l = levels - 1; l >= 0; --l) {
        add_loops(point[l], l, point.dimension_count(), nest);
        nest.outside[l] = nest.loop_count;
    }
    index_loops(setup, nest);
    lay_out_spread(point, nest);
}

// Loops beyond an extent: a mapping with remainders, or none.
bool is_imperfect(const Setup& setup, const TilingPoint& point, const lean::Nest& nest) {
    if (nest.partly) return true;
    for (int d = 0; d < point.dimension_count(); ++d)
        if (nest.tile[0][d] > setup.extents[d]) return true;
    return false;
}

std::optional<ViolationKind> structural_violation(const Setup& setup, const TilingPoint& point,
                                                  const lean::Nest& nest) {
    for (int l = 0; l < point.level_count(); ++l)
        if (!setup.levels[l].stores && !point[l].keep.empty()) return ViolationKind::nest;
    std::uint32_t kept = 0;
    for (int d = 0; d < point.dimension_count(); ++d)
        if (nest.tile[0][d] != setup.extents[d]) return ViolationKind::factor_product;
    for (int l = 0; l < point.level_count(); ++l) {
        kept |= point[l].keep.bits();
        if (nest.spread[l] != 0 && !setup.levels[l].spreads) return ViolationKind::no_fanout;
    }
    if (kept != TensorSet::all(setup.einsum.tensor_count()).bits()) return ViolationKind::bypass;
    return std::nullopt;
}

std::optional<ViolationKind> mesh_violation(double x, double y, double instances, double mesh_x, double mesh_y) {
    if (x * y > instances) return ViolationKind::instances;
    if (x > mesh_x) return ViolationKind::fanout_x;
    if (y > mesh_y) return ViolationKind::fanout_y;
    return std::nullopt;
}

std::optional<ViolationKind> level_violation(const Setup& setup, const TilingPoint& point, lean::Nest& nest, int l) {
    const LevelForm& form = setup.levels[l];
    double room = 0.0;
    for (std::uint32_t left = point[l].keep.bits(); left != 0; left &= left - 1) {
        const int t = std::countr_zero(left);
        nest.words[l][t] = lean::words_in(setup.tensors[t], nest.tile[l]);
        room += form.room(t, nest.words[l][t]);
    }
    if (room > form.capacity) return ViolationKind::capacity;
    if (room < form.least_use) return ViolationKind::min_utilization;
    if (!form.allows(point[l].keep.bits(), nest.tile[l])) return ViolationKind::tile;
    return mesh_violation(nest.used_x[l], nest.used_y[l], form.instances, form.mesh_x, form.mesh_y);
}

// In the order of check(): structure, the compute array, the memories from the innermost outwards, neighbours.
std::optional<ViolationKind> violation_of(const Setup& setup, const TilingPoint& point, lean::Nest& nest) {
    if (const auto violation = structural_violation(setup, point, nest)) return violation;
    const int levels = point.level_count();
    if (const auto violation = mesh_violation(nest.used_x[levels], nest.used_y[levels], setup.compute_instances,
                                              setup.compute_mesh_x, setup.compute_mesh_y))
        return violation;
    for (int l = levels - 1; l >= 0; --l)
        if (const auto violation = level_violation(setup, point, nest, l)) return violation;
    return lean::neighbour_violation(setup, nest);
}

struct Totals {
    double energy_pj = 0.0;
    std::array<Demand, kMaxMemories> demand;
};

// Demand is by time step.
void add_priced(const Setup& setup, const lean::Nest& nest, int level, int tensor, const Accesses& accesses,
                Totals& totals) {
    const LevelForm& form = setup.levels[level];
    const lean::TensorPrices& prices = (*form.prices)[tensor];
    const double charged = std::min(nest.used(level), static_cast<double>(form.rates.clusters));
    totals.energy_pj += charged * prices.pj(accesses);
    if (!form.throttles) return;
    const double word = bandwidth_share(setup.einsum.tensors[tensor], setup.architecture.memories[level]);
    const Demand more = prices.demand(accesses, word / nest.steps());
    totals.demand[level].read += more.read;
    totals.demand[level].write += more.write;
}

void add_accesses(const Setup& setup, const lean::Nest& nest, int level, int tensor, const Accesses& accesses,
                  Totals& totals) {
    const LevelForm& form = setup.levels[level];
    if (form.prices != nullptr) return add_priced(setup, nest, level, tensor, accesses, totals);
    const double used = nest.used(level);
    const std::int64_t spread = static_cast<std::int64_t>(used);
    totals.energy_pj += access_energy_pj(form.rates, form.rows[tensor], accesses, spread, used);
    if (form.rates.address_pj != 0.0)
        totals.energy_pj += address_generations(accesses, setup.tensors[tensor].written) * form.rates.address_pj *
                            address_generators(form.rates, spread, used);
    if (!form.throttles) return;
    const Demand more = demand_of(accesses, 1.0, static_cast<std::int64_t>(nest.steps()), form.bandwidth_share[tensor]);
    totals.demand[level].read += more.read;
    totals.demand[level].write += more.write;
}

// Walks one tensor outwards. A bypassed memory's demand goes on to the next outer one's groups.
void add_tensor(const Setup& setup, const TilingPoint& point, const lean::Nest& nest, int tensor,
                lean::LinkCache* links, Totals& totals) {
    int outermost = 0;
    while (!point[outermost].keep.has(tensor)) ++outermost;
    const bool written = setup.tensors[tensor].written;
    double asked = nest.steps();  // by one inner neighbour, over the run
    for (int l = point.level_count() - 1; l >= outermost; --l) {
        const bool keeps = point[l].keep.has(tensor);
        const double words = lean::sharing_groups(setup, point, nest, l, tensor) * asked;
        if (!setup.levels[l].link_is_free)
            totals.energy_pj += lean::link_energy_pj(setup, point, nest, l, tensor, words, asked, links);
        asked = words;
        if (!keeps) continue;
        if (l > outermost) asked = lean::words_to_one_instance(setup, nest, l, tensor, nest.words[l][tensor]);
        double held = 0.0;      // first arrivals from outside
        double arriving = 0.0;  // and from inside
        if (written) {
            held = lean::distinct_words(setup, point, nest, l, l, tensor);
            arriving = setup.tensors[tensor].gapless ? held : lean::arriving_words(setup, point, nest, l, tensor);
        }
        const Accesses accesses{words - std::min(words, arriving), l > outermost ? asked - held : 0.0,
                                written ? words : 0.0};
        add_accesses(setup, nest, l, tensor, accesses, totals);
    }
}

double leakage_pj(const Setup& setup, const lean::Nest& nest, std::int64_t cycles) {
    const int levels = static_cast<int>(setup.levels.size());
    double per_cycle_pj = setup.compute_leak_pj_per_cycle * nest.used(levels);
    for (int l = 0; l < levels; ++l) {
        const LevelForm& form = setup.levels[l];
        const double leaking = form.under_gate > 1.0 ? form.under_gate * nest.used(form.gate) : nest.used(l);
        per_cycle_pj += form.rates.leak_pj_per_cycle * leaking;
    }
    return per_cycle_pj * static_cast<double>(cycles);
}

// For time steps that may take no cycle.
std::int64_t priced_cycles(const Setup& setup, const lean::Nest& nest, const Totals& totals) {
    double steps = nest.steps();
    for (std::size_t l = 0; l < setup.levels.size(); ++l)
        if (setup.levels[l].throttles)
            steps = std::max(steps, nest.steps() / throttle(setup.levels[l].rates, totals.demand[l]).slowdown);
    return static_cast<std::int64_t>(fast_ceil(steps * setup.busy * lean::kNoMore));
}

LeanCost cost_of(const Setup& setup, const TilingPoint& point, const lean::Nest& nest, lean::LinkCache* links) {
    Totals totals;
    for (int t = 0; t < static_cast<int>(setup.tensors.size()); ++t) add_tensor(setup, point, nest, t, links, totals);
    const std::int64_t compute_cycles = static_cast<std::int64_t>(nest.steps());
    std::int64_t cycles = compute_cycles;
    for (int l = 0; l < point.level_count(); ++l) {
        if (!setup.levels[l].throttles) continue;
        const Throttle limit = throttle(setup.levels[l].rates, totals.demand[l]);
        if (limit.bound != Bound::compute) cycles = std::max(cycles, throttled_cycles(compute_cycles, limit.slowdown));
    }
    if (setup.prices) cycles = priced_cycles(setup, nest, totals);
    LeanCost cost;
    cost.energy_pj = setup.compute_energy_pj + totals.energy_pj;
    if (setup.leaks) cost.energy_pj += leakage_pj(setup, nest, cycles);
    cost.cycles = cycles + setup.link_latency_cycles;
    return cost;
}

}  // namespace

LeanScratch::LeanScratch(const StopSource* stop) : stop_(stop) {}
LeanScratch::LeanScratch(LeanScratch&&) noexcept = default;
LeanScratch& LeanScratch::operator=(LeanScratch&&) noexcept = default;
LeanScratch::~LeanScratch() = default;

LeanEvaluator::LeanEvaluator(const Einsum& einsum, const Architecture& architecture)
    : LeanEvaluator(einsum, architecture, nullptr) {}

LeanEvaluator::LeanEvaluator(const Einsum& einsum, const Architecture& architecture,
                             std::shared_ptr<const lean::Prices> prices)
    : setup_(std::make_shared<const Setup>(einsum, architecture, std::move(prices))) {}

const Einsum& LeanEvaluator::einsum() const { return setup_->einsum; }
const Architecture& LeanEvaluator::architecture() const { return setup_->architecture; }
const std::shared_ptr<const lean::Prices>& LeanEvaluator::prices() const { return setup_->prices; }

LeanCost LeanEvaluator::evaluate(const TilingPoint& point) const { return evaluate(point, nullptr, nullptr, {}); }

LeanCost LeanEvaluator::evaluate(const TilingPoint& point, LeanScratch& scratch) const {
    return evaluate(point, scratch, {});
}

LeanCost LeanEvaluator::evaluate(const TilingPoint& point, LeanScratch& scratch, const CostLimit& limit) const {
    if (!setup_->links_cost) return evaluate(point, nullptr, scratch.stop_, limit);
    if (!scratch.links_) scratch.links_ = std::make_unique<lean::LinkCache>();
    return evaluate(point, scratch.links_.get(), scratch.stop_, limit);
}

LeanCost LeanEvaluator::evaluate(const TilingPoint& point, lean::LinkCache* links, const StopSource* stop,
                                 const CostLimit& limit) const {
    lean::Nest nest;
    lay_out(*setup_, point, nest);
    if (is_imperfect(*setup_, point, nest)) return lean::imperfect_cost(*setup_, point, links, stop, limit);
    LeanCost cost;
    cost.violation = violation_of(*setup_, point, nest);
    return cost.violation ? cost : cost_of(*setup_, point, nest, links);
}

std::optional<LeanCost> LeanEvaluator::quick_bound(const TilingPoint& point, const LeanScratch& scratch) const {
    if (!setup_->links_cost) return std::nullopt;
    lean::Nest nest;
    lay_out(*setup_, point, nest);
    if (!is_imperfect(*setup_, point, nest)) return std::nullopt;
    return lean::imperfect_cost_without_wires(*setup_, point, scratch.stop_);
}

std::optional<ViolationKind> LeanEvaluator::violation(const TilingPoint& point) const {
    lean::Nest nest;
    lay_out(*setup_, point, nest);
    if (is_imperfect(*setup_, point, nest)) return lean::imperfect_violation(*setup_, point);
    return violation_of(*setup_, point, nest);
}

}  // namespace tilewright
