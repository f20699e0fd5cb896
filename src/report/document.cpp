#include "report/document.hpp"

namespace tilewright::document {
namespace {

// Padded extents, and the share of operations on padding.
Padding padding_of(const Einsum& own, const Einsum& padded) {
    Padding padding;
    for (std::size_t d = 0; d < padded.dimensions.size(); ++d) {
        const Dimension& before = own.dimensions[d];
        const Dimension& after = padded.dimensions[d];
        if (before != after) padding.dimensions.emplace_back(before.name, Padded{before.extent, after.extent});
    }
    padding.share = report::padding_share(own, padded);
    return padding;
}

FrontPoint front_of(const FrontAnswer& point, const Einsum& own, const Architecture& architecture) {
    FrontPoint out{point.energy_pj, point.cycles, nest_of(point.mapping, point.padded.value_or(own), architecture), {}};
    if (point.padded) out.padding = padding_of(own, *point.padded);
    return out;
}

Refinement refinement_of(const report::Refinement& refinement, const Einsum& einsum, const Architecture& architecture) {
    Refinement out{refinement.choice, refinement.gain, {}};
    for (const report::RefinedCandidate& one : refinement.candidates)
        out.candidates.push_back(
            {one.energy_pj, one.cycles, one.simulated_cycles, one.failure, nest_of(one.mapping, einsum, architecture)});
    return out;
}

sparse::RankCounts rank_of(const sparse::Accesses& accesses, std::size_t rank) {
    return rank < accesses.metadata.size() ? accesses.metadata[rank] : sparse::RankCounts{};
}

SparseTensor sparse_tensor_of(const std::string& name, const sparse::TensorCosts& costs) {
    SparseTensor out{name, costs, {}};
    for (std::size_t r = 0; r < costs.format.size(); ++r) {
        const auto words = [&](const std::vector<sparse::RankWords>& all) {
            return r < all.size() ? all[r] : sparse::RankWords{};
        };
        out.ranks.push_back({costs.format[r], words(costs.most_metadata), words(costs.expected_metadata),
                             rank_of(costs.reads, r), rank_of(costs.fills, r), rank_of(costs.updates, r)});
    }
    return out;
}

SparseSavings savings_of(const sparse::Savings& savings, const Architecture& architecture) {
    SparseSavings out{savings.dense_energy_pj, savings.dense_cycles, {}, savings.elsewhere_pj};
    for (std::size_t m = 0; m < savings.memories.size(); ++m)
        out.components.emplace_back(architecture.memories[m].name, savings.memories[m]);
    out.components.emplace_back(architecture.compute.name, savings.computes);
    return out;
}

SparseCosts sparse_costs_of(const sparse::Costs& costs, const Einsum& einsum, const Architecture& architecture) {
    SparseCosts out{costs.algorithmic_computes, costs.computes, {}, {}, {}};
    for (std::size_t t = 0; t < costs.densities.size(); ++t)
        out.densities.push_back({einsum.tensors[t].name, costs.densities[t]});
    if (costs.savings) out.savings = savings_of(*costs.savings, architecture);
    for (const sparse::MemoryCosts& memory : costs.memories) {
        SparseMemory& one = out.memories.emplace_back(SparseMemory{memory.name, {}});
        for (std::size_t t = 0; t < memory.tensors.size(); ++t)
            if (memory.tensors[t].kept)
                one.tensors.push_back(sparse_tensor_of(einsum.tensors[t].name, memory.tensors[t]));
    }
    return out;
}

Layer layer_of(const report::LayerResult& layer, const Architecture& architecture) {
    const Einsum& own = layer.unpadded ? *layer.unpadded : layer.einsum;
    Layer out;
    out.name = layer.names.front();
    out.same_shape = layer.names;
    out.op = layer.op;
    out.repeats = layer.repeats;
    out.einsum = einsum_of(layer.einsum);
    for (std::size_t t = 0; t < layer.partial_bits.size(); ++t)
        if (layer.partial_bits[t] > 0)
            out.partial_bits.emplace_back(layer.einsum.tensors[t].name, layer.partial_bits[t]);
    if (layer.unpadded) out.padding = padding_of(own, layer.einsum);
    out.failures = layer.failures;
    if (layer.mapping) out.mapping = nest_of(*layer.mapping, layer.einsum, architecture);
    if (layer.evaluation) out.evaluation = costs_of(*layer.evaluation, layer.einsum, layer.on_vector_unit);
    for (const FrontAnswer& point : layer.front) out.front.push_back(front_of(point, own, architecture));
    out.search = layer.search;
    if (layer.refinement) out.refinement = refinement_of(*layer.refinement, layer.einsum, architecture);
    out.as_built = layer.as_built;
    out.not_as_built = layer.not_as_built;
    if (out.evaluation) out.evaluation->bound_text = report::bound_sentence(layer);
    if (out.as_built) out.evaluation->bound = report::LatencyBound::as_built;
    if (layer.sparse) out.sparse = sparse_costs_of(*layer.sparse, layer.einsum, architecture);
    return out;
}

std::vector<std::string> names_of(TensorSet tensors, const Einsum& einsum) {
    std::vector<std::string> names;
    for (int t = 0; t < einsum.tensor_count(); ++t)
        if (tensors.has(t)) names.push_back(einsum.tensors[t].name);
    return names;
}

MemoryCosts memory_costs_of(const MemoryEvaluation& memory, const Einsum& einsum) {
    MemoryCosts costs{memory, {}, {}};
    costs.of.tensors.clear();
    costs.of.link.clear();
    for (std::size_t t = 0; t < memory.tensors.size(); ++t)
        if (memory.tensors[t].kept) costs.tensors.push_back({einsum.tensors[t].name, memory.tensors[t]});
    for (std::size_t t = 0; t < memory.link.size(); ++t) costs.link.push_back({einsum.tensors[t].name, memory.link[t]});
    return costs;
}

}  // namespace

ShownMachine machine_of(const Architecture& architecture) {
    ShownMachine machine{
        architecture.name,     architecture.technology, architecture.cycle_seconds, total_area_um2(architecture), {},
        {architecture.compute}};
    for (const tilewright::Memory& memory : architecture.memories) machine.memories.push_back({memory});
    return machine;
}

EinsumText einsum_of(const Einsum& einsum) {
    EinsumText out{to_text(einsum), {}, {}};
    for (const Dimension& dimension : einsum.dimensions) out.dimensions.push_back({dimension.name, dimension.extent});
    for (int t = 0; t < einsum.tensor_count(); ++t) {
        const tilewright::Tensor& tensor = einsum.tensors[t];
        out.tensors.push_back({tensor.name, tensor_words(einsum, t), tensor.written, tensor.bits});
    }
    return out;
}

Nest nest_of(const Mapping& mapping, const Einsum& einsum, const Architecture& architecture) {
    Nest nest;
    for (const Node& node : mapping.nodes) {
        if (const Store* store = std::get_if<Store>(&node)) {
            nest.emplace_back(StoreLine{architecture.memories[store->memory].name, names_of(store->tensors, einsum)});
            continue;
        }
        const Loop& loop = std::get<Loop>(node);
        nest.emplace_back(LoopLine{einsum.dimensions[loop.dimension].name, loop.extent, loop.remainder, loop.kind});
    }
    return nest;
}

Costs costs_of(const Evaluation& evaluation, const Einsum& einsum, bool on_vector_unit) {
    Costs costs{evaluation,
                {},
                report::latency_bound(evaluation, on_vector_unit),
                on_vector_unit,
                report::bound_sentence(evaluation, on_vector_unit),
                {}};
    costs.of.memories.clear();
    if (evaluation.bounding_memory >= 0) costs.memory = evaluation.memories[evaluation.bounding_memory].name;
    for (const MemoryEvaluation& memory : evaluation.memories)
        costs.memories.push_back(memory_costs_of(memory, einsum));
    return costs;
}

Report document_of(const report::Report& report) {
    Report out{report.provenance, report.interrupted,
               report.notes,      machine_of(report.architecture),
               report.network,    report.unmapped,
               totals(report),    summary(report),
               report.what_if,    {}};
    out.provenance.accounting = accounting_of(report);
    for (const report::LayerResult& layer : report.layers) out.layers.push_back(layer_of(layer, report.architecture));
    return out;
}

}  // namespace tilewright::document
