#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "base/error.hpp"
#include "base/numbers/checked.hpp"
#include "llm/attention.hpp"
#include "llm/footprint.hpp"
#include "llm/split.hpp"
#include "model/vector/vector.hpp"
#include "run/evaluate_layer.hpp"
#include "run/llm/kernel_work.hpp"
#include "run/llm/serve.hpp"
#include "run/physical/map_physically.hpp"
#include "workload/cascade/layers.hpp"
#include "workload/shapes.hpp"

namespace tilewright {
namespace {

constexpr double kBitsOfByte = 8.0;

std::optional<double> capacity_of(const ServingMachine& machine) {
    if (machine.device.memory_bytes) return machine.device.memory_bytes;
    const Memory& outermost = machine.architecture.memories.front();
    const std::optional<std::int64_t> words = outermost.usable_words();
    if (!words) return std::nullopt;
    return static_cast<double>(*words) * static_cast<double>(outermost.word_bits) / kBitsOfByte;
}

bool is_same(const Einsum& a, const Einsum& b) { return a.dimensions == b.dimensions && a.tensors == b.tensors; }

// What constraints demand; the outermost memory keeps everything.
std::vector<TensorSet> kept(const ServingMachine& machine, const Einsum& einsum) {
    const Constraints constraints = machine.constraints ? machine.constraints(einsum) : Constraints{};
    std::vector<TensorSet> keep(machine.architecture.memories.size());
    for (std::size_t level = 0; level < constraints.levels.size(); ++level)
        keep[level] = constraints.levels[level].must_keep;
    keep.front() = TensorSet::all(einsum.tensor_count());
    return keep;
}

class Planner {
   public:
    Planner(const std::string& model, const ServingMachine& machine) : model_(model), machine_(machine) {
        shapes_.name = model;
        if (machine.silicon) kernels_ = std::get_if<silicon::KernelMachine>(&machine.silicon->machine);
    }

    ServingPoint plan(const llm::Point& point) {
        ServingPoint planned{point, {}, {}};
        planned.costs.point = point;
        const Cascade cascade = share(point, planned.costs);
        const auto word_bits = machine_.architecture.memories.front().word_bits;
        const llm::Footprint room = llm::footprint_of(cascade, word_bits);
        planned.costs.weight_bytes = room.weight_bytes;
        planned.costs.cache_bytes = room.cache_bytes;
        planned.costs.capacity_bytes = capacity_of(machine_);
        add_parts(cascade, planned);
        return planned;
    }

    NetworkProblem take_problem() { return network_problem(shapes_, machine_.architecture, machine_.constraints); }

   private:
    // One device's part, and what it takes to sum up the parts.
    Cascade share(const llm::Point& point, llm::PhaseCosts& costs) const {
        Cascade whole = llm::cascade_at(model_, point);
        if (point.devices == 1) return whole;
        if (!machine_.device.links)
            throw InputError(ErrorCode::missing_key, {},
                             fmt::format("{} devices need links between them: machine '{}' has no 'device: {{links: "
                                         "{{bytes_per_us: ..., latency_us: ...}}}}' (docs/llm.md)",
                                         point.devices, machine_.architecture.name));
        auto shared = llm::shared_by(whole, point.devices);
        if (const auto* why = std::get_if<std::string>(&shared))
            throw InputError(ErrorCode::unsupported, {},
                             fmt::format("'{}' cannot be shared by {} devices: {}", model_, point.devices, *why));
        auto& parts = std::get<llm::Shared>(shared);
        for (const llm::SummedTensor& sum : parts.sums) add_sum(parts.part, sum, costs);
        return std::move(parts.part);
    }

    void add_sum(const Cascade& part, const llm::SummedTensor& sum, llm::PhaseCosts& costs) const {
        const CascadeTensor& tensor = part.tensors[sum.tensor];
        const std::int64_t bits = tensor.bits > 0 ? tensor.bits : machine_.architecture.memories.front().word_bits;
        const double bytes = static_cast<double>(words_of(tensor)) * static_cast<double>(bits) / kBitsOfByte;
        const auto repeats = static_cast<double>(sum.repeats);
        const Links& links = *machine_.device.links;
        const std::int64_t devices = costs.point.devices;
        costs.collectives = checked_add(costs.collectives, sum.repeats);
        costs.collective_seconds += repeats * llm::all_reduce_us(bytes, devices, links, machine_.collective) * 1e-6;
        costs.energy_pj += repeats * llm::all_reduce_pj(bytes, devices, links);
    }

    void add_parts(const Cascade& cascade, ServingPoint& planned) {
        const std::vector<bool> attention = llm::attention_einsums(cascade);
        std::vector<bool> timed(cascade.einsums.size(), false);
        if (kernels_ != nullptr) add_attentions(cascade, planned, timed);
        for (int i = 0; i < cascade.einsum_count(); ++i) {
            const auto index = static_cast<std::size_t>(i);
            if (cascade.einsums[index].kind == EinsumKind::copy) continue;
            const std::size_t first = planned.parts.size();
            add_einsum(cascade.einsums[index], planned);
            for (std::size_t p = first; p < planned.parts.size(); ++p) {
                planned.parts[p].repeats = repeats_of(cascade, i);
                planned.parts[p].attention = attention[index];
                if (timed[index]) planned.parts[p].seconds = 0.0;
            }
        }
    }

    // One kernel each: its einsums take no time of their own.
    void add_attentions(const Cascade& cascade, ServingPoint& planned, std::vector<bool>& timed) const {
        for (const llm::Attention& one : llm::plain_attentions(cascade)) {
            const KernelTime time = time_of_attention(one, planned.point, machine_.attention, *kernels_);
            ServingPart part;
            part.name = cascade.einsums[one.scores].name;
            part.repeats = repeats_of(cascade, one.scores);
            part.attention = true;
            part.seconds = time.seconds;
            part.bound = time.bound;
            planned.parts.push_back(std::move(part));
            for (const int einsum : one.einsums) timed[einsum] = true;
        }
    }

    void add_einsum(const CascadeEinsum& one, ServingPoint& planned) {
        if (kernels_ != nullptr) return planned.parts.push_back(as_kernel(one));
        if (machine_.vector_unit && one.kind != EinsumKind::contraction)
            return planned.parts.push_back(on_vector_unit(one));
        for (const Einsum& layer : layers_of(one)) {
            ServingPart part;
            part.name = one.name;
            part.shape = shape_of(layer, one.name);
            planned.parts.push_back(std::move(part));
        }
    }

    ServingPart on_vector_unit(const CascadeEinsum& one) const {
        const Evaluation costs = evaluate_on_vector_unit(one, machine_.architecture, *machine_.vector_unit);
        ServingPart part;
        part.name = one.name;
        part.energy_pj = costs.energy_pj;
        part.seconds = static_cast<double>(costs.cycles) * machine_.architecture.cycle_seconds;
        part.bound = costs.bounding_memory < 0 ? "vector unit" : "memory";
        return part;
    }

    ServingPart as_kernel(const CascadeEinsum& one) {
        ServingPart part;
        part.name = one.name;
        const std::vector<Einsum> layers = layers_of(one);
        const std::optional<silicon::ProductBatch> batch = one.kind == EinsumKind::contraction && layers.size() == 1
                                                               ? silicon::batch_of(layers.front())
                                                               : std::nullopt;
        const KernelTime time = batch ? time_of_products(*batch, *kernels_) : time_of_pass(one, *kernels_);
        part.seconds = time.seconds;
        part.bound = time.bound;
        if (batch)
            add_energy(*batch, part);
        else
            part.energy_pj = energy_of_pass_pj(one, machine_.architecture);
        return part;
    }

    // Products of a batch share no words: each costs what it costs alone.
    void add_energy(const silicon::ProductBatch& batch, ServingPart& part) {
        const Einsum each = batched_matmul(1, batch.each.rows, batch.each.depth, batch.each.columns);
        if (const std::optional<double> energy = kernels_->has_blocks() ? block_energy(each) : std::nullopt) {
            part.energy_pj = *energy * static_cast<double>(batch.count);
            return;
        }
        part.shape = shape_of(each, part.name);
        part.times = batch.count;
    }

    // Of the mapping of the least time as built.
    std::optional<double> block_energy(const Einsum& einsum) {
        const auto known = std::ranges::find_if(energies_, [&](const auto& one) { return is_same(one.first, einsum); });
        if (known != energies_.end()) return known->second;
        const PhysicalAnswer found =
            map_physically(einsum, machine_.architecture, kept(machine_, einsum), *machine_.silicon);
        std::optional<double> energy;
        if (found.mapping) {
            const auto costs = evaluate_layer({"", "", einsum, 1, {}}, machine_.architecture, *found.mapping);
            if (costs.evaluation) energy = costs.evaluation->energy_pj;
        }
        energies_.emplace_back(einsum, energy);
        return energy;
    }

    int shape_of(const Einsum& einsum, const std::string& name) {
        const auto known =
            std::ranges::find_if(shapes_.layers, [&](const Layer& layer) { return is_same(layer.einsum, einsum); });
        const auto index = static_cast<int>(known - shapes_.layers.begin());
        if (known == shapes_.layers.end()) shapes_.layers.push_back({name, "", einsum, 1, {}});
        return index;
    }

    const std::string& model_;
    const ServingMachine& machine_;
    const silicon::KernelMachine* kernels_ = nullptr;
    Network shapes_;
    std::vector<std::pair<Einsum, std::optional<double>>> energies_;
};

}  // namespace

ServingPlan plan_serving(const std::string& model, const std::vector<llm::Point>& points,
                         const ServingMachine& machine) {
    Planner planner(model, machine);
    ServingPlan plan;
    for (const llm::Point& point : points) plan.points.push_back(planner.plan(point));
    plan.problem = planner.take_problem();
    return plan;
}

}  // namespace tilewright
