#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <iterator>
#include <set>

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

struct LayerInBlocks {
    Einsum einsum;
    BlockFormats blocks;
};

bool is_same(const LayerInBlocks& a, const LayerInBlocks& b) {
    return a.einsum.dimensions == b.einsum.dimensions && a.einsum.tensors == b.einsum.tensors && a.blocks == b.blocks;
}

class Planner {
   public:
    Planner(const llm::Model& model, const ServingMachine& machine, const std::vector<TensorWidth>& widths)
        : model_(model), machine_(machine), widths_(widths) {
        shapes_.name = model.name;
        if (machine.silicon) kernels_ = std::get_if<silicon::KernelMachine>(&machine.silicon->machine);
        if (!widths.empty() && machine.silicon && kernels_ == nullptr)
            throw InputError(ErrorCode::unsupported, {},
                             fmt::format("the time as built of machine '{}' knows words of one width: widths of "
                                         "weights and caches are for the plain model's times",
                                         machine.architecture.name));
    }

    ServingPoint plan(const llm::Point& point) {
        ServingPoint planned{point, {}, {}};
        planned.costs.point = point;
        Cascade cascade = share(point, planned.costs);
        blocks_ = llm::set_widths(cascade, widths_);
        const auto word_bits = machine_.architecture.memories.front().word_bits;
        const llm::Footprint room = llm::footprint_of(cascade, word_bits, blocks_);
        planned.costs.weight_bytes = room.weight_bytes;
        planned.costs.cache_bytes = room.cache_bytes;
        planned.costs.capacity_bytes = capacity_of(machine_);
        add_parts(cascade, planned);
        if (machine_.fuse) add_runs(cascade, planned);
        return planned;
    }

    void take_problem(ServingPlan& plan) const {
        plan.problem = network_problem(shapes_, machine_.architecture, machine_.constraints, [&](std::size_t layer) {
            LayerDetails details;
            details.words.blocks = formats_[layer];
            return details;
        });
        plan.fusible = fusible_;
    }

   private:
    // One device's part, and the costs of summing up the parts.
    Cascade share(const llm::Point& point, llm::PhaseCosts& costs) {
        ends_.clear();
        Cascade whole = model_.at(point);
        if (point.devices == 1) return whole;
        if (!machine_.device.links)
            throw InputError(ErrorCode::missing_key, {},
                             fmt::format("{} devices need links between them: machine '{}' has no 'device: {{links: "
                                         "{{bytes_per_us: ..., latency_us: ...}}}}' (docs/llm.md)",
                                         point.devices, machine_.architecture.name));
        auto shared = llm::shared_by(whole, point.devices);
        if (const auto* why = std::get_if<std::string>(&shared))
            throw InputError(ErrorCode::unsupported, {},
                             fmt::format("'{}' cannot be shared by {} devices: {}", model_.name, point.devices, *why));
        auto& parts = std::get<llm::Shared>(shared);
        for (const llm::SummedTensor& sum : parts.sums) {
            add_sum(parts.part, sum, costs);
            ends_.insert(parts.part.tensors[sum.tensor].writers.back().einsum + 1);
        }
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
            add_einsum(cascade.einsums[index], is_digital(cascade, i), planned);
            for (std::size_t p = first; p < planned.parts.size(); ++p) {
                planned.parts[p].einsum = i;
                planned.parts[p].repeats = repeats_of(cascade, i);
                planned.parts[p].attention = attention[index];
                if (timed[index]) planned.parts[p].seconds = 0.0;
            }
        }
    }

    // A sum over devices needs all of its tensor, and what reads the sum comes after it.
    void add_runs(const Cascade& cascade, ServingPoint& planned) {
        std::set<int> borders = ends_;
        borders.insert({0, cascade.einsum_count()});
        for (const Block& block : cascade.blocks) borders.insert({block.first, block.end});
        for (auto first = borders.begin(); std::next(first) != borders.end(); ++first)
            planned.runs.push_back(
                {*first, repeats_of(cascade, *first), fusible_part(part_of(cascade, *first, *std::next(first)))});
    }

    std::size_t fusible_part(Cascade part) {
        const auto known =
            std::ranges::find_if(fusible_, [&](const Cascade& one) { return is_same_but_for_names(one, part); });
        if (known != fusible_.end()) return static_cast<std::size_t>(known - fusible_.begin());
        fusible_.push_back(std::move(part));
        return fusible_.size() - 1;
    }

    // One kernel each: its einsums take no time of their own.
    void add_attentions(const Cascade& cascade, ServingPoint& planned, std::vector<bool>& timed) const {
        for (const llm::Attention& one : llm::plain_attentions(cascade)) {
            const KernelTime time =
                time_of_attention(one, planned.point, machine_.attention, kept_bytes(cascade, one), *kernels_);
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

    // Mean of a word of keys and values; 0 if no width is given.
    double kept_bytes(const Cascade& cascade, const llm::Attention& one) const {
        double bits = 0.0;
        int count = 0;
        for (const int index : {one.scores, one.mix}) {
            const CascadeEinsum& einsum = cascade.einsums[index];
            const std::vector<WordBits> moved = moved_bits(einsum.einsum, llm::blocks_of(einsum, blocks_));
            for (std::size_t t = 0; t < moved.size(); ++t) {
                if (cascade.tensors[einsum.accesses[t].tensor].role != TensorRole::cache) continue;
                bits += moved[t].bits > 0 ? moved[t].each() : static_cast<double>(kernels_->word_bytes) * kBitsOfByte;
                ++count;
            }
        }
        return count > 0 ? bits / count / kBitsOfByte : 0.0;
    }

    // The layers of an einsum, with the operand of each tensor in the bits of its words.
    std::vector<LayerInBlocks> layers_in_blocks(const CascadeEinsum& one) const {
        CascadeEinsum marked = one;
        for (std::size_t t = 0; t < marked.einsum.tensors.size(); ++t)
            marked.einsum.tensors[t].bits = static_cast<std::int64_t>(t) + 1;
        const BlockFormats blocks = llm::blocks_of(one, blocks_);
        std::vector<LayerInBlocks> layers;
        for (Einsum& layer : layers_of(marked)) {
            BlockFormats of_layer(layer.tensors.size());
            for (std::size_t t = 0; t < layer.tensors.size(); ++t) {
                const std::int64_t operand = layer.tensors[t].bits - 1;  // below 0: made on the way
                layer.tensors[t].bits = operand < 0 ? 0 : one.einsum.tensors[operand].bits;
                if (operand >= 0) of_layer[t] = blocks[operand];
            }
            layers.push_back({std::move(layer), std::move(of_layer)});
        }
        return layers;
    }

    // The vector unit's. Cells that are programmed hold weights: of two activations the one in the cells would be
    // written for every token.
    bool is_digital(const Cascade& cascade, int einsum) const {
        if (!machine_.vector_unit) return false;
        if (cascade.einsums[einsum].kind != EinsumKind::contraction) return true;
        return weights_of(cascade, einsum).empty() &&
               std::ranges::any_of(machine_.architecture.memories,
                                   [](const Memory& memory) { return memory.write_stall_cycles > 0.0; });
    }

    void add_einsum(const CascadeEinsum& one, bool is_digital, ServingPoint& planned) {
        if (kernels_ != nullptr) return planned.parts.push_back(as_kernel(one));
        if (is_digital) return planned.parts.push_back(on_vector_unit(one));
        for (const LayerInBlocks& layer : layers_in_blocks(one)) {
            ServingPart part;
            part.name = one.name;
            part.shape = shape_of(layer, one.name);
            planned.parts.push_back(std::move(part));
        }
    }

    ServingPart on_vector_unit(const CascadeEinsum& one) const {
        const std::vector<WordBits> bits = moved_bits(one.einsum, llm::blocks_of(one, blocks_));
        const std::int64_t parts = parts_of_bit(bits);
        CascadeEinsum in_small_parts = one;
        in_small_parts.einsum = in_parts(one.einsum, bits, parts);
        const Evaluation costs =
            evaluate_on_vector_unit(in_small_parts, in_parts(machine_.architecture, parts), *machine_.vector_unit);
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
        const std::vector<LayerInBlocks> layers = layers_in_blocks(one);
        const std::optional<silicon::ProductBatch> batch = one.kind == EinsumKind::contraction && layers.size() == 1
                                                               ? silicon::batch_of(layers.front().einsum)
                                                               : std::nullopt;
        const BlockFormats blocks = llm::blocks_of(one, blocks_);
        const KernelTime time =
            batch ? time_of_products(with_widths(*batch, layers.front().einsum, layers.front().blocks), *kernels_)
                  : time_of_pass(one, blocks, *kernels_);
        part.seconds = time.seconds;
        part.bound = time.bound;
        if (batch)
            add_energy(*batch, layers.front(), part);
        else
            part.energy_pj = energy_of_pass_pj(one, blocks, machine_.architecture);
        return part;
    }

    // Products of a batch share no words: each has its own cost.
    void add_energy(const silicon::ProductBatch& batch, const LayerInBlocks& layer, ServingPart& part) {
        LayerInBlocks each{batched_matmul(1, batch.each.rows, batch.each.depth, batch.each.columns), layer.blocks};
        for (std::size_t t = 0; t < each.einsum.tensors.size(); ++t)
            each.einsum.tensors[t].bits = layer.einsum.tensors[t].bits;
        if (const std::optional<double> energy = kernels_->has_blocks() ? block_energy(each) : std::nullopt) {
            part.energy_pj = *energy * static_cast<double>(batch.count);
            return;
        }
        part.shape = shape_of(each, part.name);
        part.times = batch.count;
    }

    // Of the mapping of the least time as built.
    std::optional<double> block_energy(const LayerInBlocks& layer) {
        const auto known = std::ranges::find_if(energies_, [&](const auto& one) { return is_same(one.first, layer); });
        if (known != energies_.end()) return known->second;
        const Constraints constraints = machine_.constraints ? machine_.constraints(layer.einsum) : Constraints{};
        const PhysicalAnswer found =
            map_physically(layer.einsum, machine_.architecture,
                           kept_by(layer.einsum, machine_.architecture, constraints), *machine_.silicon);
        std::optional<double> energy;
        if (found.mapping) {
            const auto costs = evaluate_layer({"", "", layer.einsum, 1, {}}, machine_.architecture, *found.mapping,
                                              {.details = {.words = {{}, layer.blocks}}});
            if (costs.evaluation) energy = costs.evaluation->energy_pj;
        }
        energies_.emplace_back(layer, energy);
        return energy;
    }

    int shape_of(const LayerInBlocks& layer, const std::string& name) {
        for (std::size_t i = 0; i < formats_.size(); ++i)
            if (is_same({shapes_.layers[i].einsum, formats_[i]}, layer)) return static_cast<int>(i);
        shapes_.layers.push_back({name, "", layer.einsum, 1, {}});
        formats_.push_back(layer.blocks);
        return static_cast<int>(formats_.size()) - 1;
    }

    const llm::Model& model_;
    const ServingMachine& machine_;
    const silicon::KernelMachine* kernels_ = nullptr;
    const std::vector<TensorWidth>& widths_;
    std::vector<BlockFormat> blocks_;  ///< by tensor of the current cascade
    std::set<int> ends_;               ///< of its runs: first einsums behind a sum over devices
    std::vector<Cascade> fusible_;
    Network shapes_;
    std::vector<BlockFormats> formats_;  ///< by layer of shapes_
    std::vector<std::pair<LayerInBlocks, std::optional<double>>> energies_;
};

}  // namespace

ServingPlan plan_serving(const llm::Model& model, const std::vector<llm::Point>& points, const ServingMachine& machine,
                         const std::vector<TensorWidth>& widths) {
    Planner planner(model, machine, widths);
    ServingPlan plan;
    for (const llm::Point& point : points) plan.points.push_back(planner.plan(point));
    planner.take_problem(plan);
    return plan;
}

}  // namespace tilewright
