#include "report/documents/documents.hpp"

#include <algorithm>
#include <utility>

#include "base/error.hpp"
#include "report/documents/parts.hpp"
#include "workload/einsum_text.hpp"
#include "yaml/json.hpp"

namespace tilewright::documents {
namespace {

// The document, which has to be one of `schema` ("tilewright-report/").
yaml::Node rooted(const std::string& text, const std::string& file, const std::string& schema) {
    const std::optional<yaml::Node> json = yaml::try_json(text, file);
    yaml::Node root = json ? *json : yaml::parse_text(text, file);
    if (!root.is_map() || !root.has("schema") || !root.at("schema").text().starts_with(schema))
        root.fail(ErrorCode::unsupported, "expected a document whose schema begins with '" + schema + "'");
    return root;
}

/// Makes the values of one layer of what the document says by name.
class NamedParts {
   public:
    NamedParts(const yaml::Node& layer, const Architecture& machine) : layer_(layer), machine_(machine) {}

    Einsum einsum(const document::EinsumText& text) const {
        std::vector<std::pair<std::string, std::int64_t>> extents;
        for (const document::Extent& one : text.dimensions) extents.emplace_back(one.name, one.extent);
        Einsum read = parse_einsum(text.text, extents);
        std::vector<Tensor> tensors;  // in the order of the document
        for (const document::Tensor& one : text.tensors) {
            const auto found = std::ranges::find(read.tensors, one.name, &Tensor::name);
            if (found == read.tensors.end()) refuse("the einsum has no tensor '" + one.name + "'");
            tensors.push_back(*found);
            tensors.back().bits = one.bits;
        }
        if (tensors.size() != read.tensors.size()) refuse("a tensor of the einsum is missing");
        read.tensors = std::move(tensors);
        return read;
    }

    Mapping mapping(const document::Nest& nest, const Einsum& einsum) const {
        Mapping mapping;
        for (const auto& line : nest) {
            if (const auto* store = std::get_if<document::StoreLine>(&line)) {
                Store made{index(machine_.memories, store->store, "memory"), {}};
                for (const std::string& name : store->tensors) made.tensors.add(index(einsum.tensors, name, "tensor"));
                mapping.nodes.emplace_back(made);
                continue;
            }
            const auto& loop = std::get<document::LoopLine>(line);
            mapping.nodes.emplace_back(
                Loop{index(einsum.dimensions, loop.loop, "dimension"), loop.extent, loop.remainder, loop.kind});
        }
        return mapping;
    }

    Evaluation evaluation(const document::Costs& costs, const Einsum& einsum) const {
        Evaluation made = costs.of;
        for (const document::MemoryCosts& memory : costs.memories) {
            MemoryEvaluation& one = made.memories.emplace_back(memory.of);
            one.tensors.resize(einsum.tensors.size());
            for (const document::Traffic& traffic : memory.tensors) {
                TensorTraffic& tensor = one.tensors[index(einsum.tensors, traffic.tensor, "tensor")];
                tensor = traffic.of;
                tensor.kept = true;
            }
            if (!memory.link.empty()) one.link.resize(einsum.tensors.size());
            for (const document::Wires& wires : memory.link)
                one.link[index(einsum.tensors, wires.tensor, "tensor")] = wires.of;
        }
        if (made.memories.size() != machine_.memories.size())
            refuse("the costs are of other memories than the machine's");
        if (costs.memory) made.bounding_memory = index(machine_.memories, *costs.memory, "memory");
        return made;
    }

    /// `padded` without its padding.
    Einsum unpadded(Einsum padded, const document::Padding& padding) const {
        for (const auto& [name, extents] : padding.dimensions)
            padded.dimensions[index(padded.dimensions, name, "dimension")].extent = extents.from;
        return padded;
    }
    /// `own` with padding.
    Einsum padded(Einsum own, const document::Padding& padding) const {
        for (const auto& [name, extents] : padding.dimensions)
            own.dimensions[index(own.dimensions, name, "dimension")].extent = extents.to;
        return own;
    }

    sparse::Costs sparse(const document::SparseCosts& costs, const Einsum& einsum) const {
        sparse::Costs made{costs.algorithmic_computes, costs.computes, {}, {}, {}};
        for (const document::SparseDensity& one : costs.densities) made.densities.push_back(one.of);
        for (const document::SparseMemory& memory : costs.memories) {
            sparse::MemoryCosts& one = made.memories.emplace_back(sparse::MemoryCosts{memory.name, {}});
            one.tensors.resize(einsum.tensors.size());
            for (const document::SparseTensor& tensor : memory.tensors)
                one.tensors[index(einsum.tensors, tensor.tensor, "tensor")] = sparse_tensor(tensor);
        }
        if (costs.savings) made.savings = savings(*costs.savings);
        return made;
    }

    template <typename Named>
    int index(const std::vector<Named>& all, const std::string& name, const char* what) const {
        const auto found = std::ranges::find(all, name, &Named::name);
        if (found == all.end()) refuse(std::string("there is no ") + what + " '" + name + "'");
        return static_cast<int>(found - all.begin());
    }

    [[noreturn]] void refuse(const std::string& why) const { layer_.fail(ErrorCode::bad_value, why); }

   private:
    static sparse::TensorCosts sparse_tensor(const document::SparseTensor& tensor) {
        sparse::TensorCosts made = tensor.of;
        made.kept = true;
        for (const document::SparseRank& rank : tensor.ranks) {
            made.format.push_back(rank.format);
            made.most_metadata.push_back(rank.most);
            made.expected_metadata.push_back(rank.expected);
            made.reads.metadata.push_back(rank.reads);
            made.fills.metadata.push_back(rank.fills);
            made.updates.metadata.push_back(rank.updates);
        }
        return made;
    }

    sparse::Savings savings(const document::SparseSavings& from) const {
        sparse::Savings made{from.dense_energy_pj, from.dense_cycles, {}, {}, from.elsewhere_pj};
        if (from.components.size() != machine_.memories.size() + 1) refuse("savings are of the memories and the units");
        made.computes = from.components.back().second;
        for (std::size_t m = 0; m < machine_.memories.size(); ++m) made.memories.push_back(from.components[m].second);
        return made;
    }

    const yaml::Node& layer_;
    const Architecture& machine_;
};

report::Refinement refinement_of(const document::Refinement& from, const Einsum& einsum, const NamedParts& parts) {
    report::Refinement made{{}, from.choice, from.gain};
    for (const document::Candidate& one : from.candidates)
        made.candidates.push_back(
            {parts.mapping(one.mapping, einsum), one.energy_pj, one.cycles, one.simulated_cycles, one.failure});
    return made;
}

report::LayerResult layer_result(document::Layer from, const NamedParts& parts) {
    report::LayerResult made;
    if (from.same_shape.empty()) parts.refuse("a layer has no name");
    made.names = std::move(from.same_shape);
    made.op = std::move(from.op);
    made.repeats = from.repeats;
    made.failures = std::move(from.failures);
    made.einsum = parts.einsum(from.einsum);
    if (from.padding) made.unpadded = parts.unpadded(made.einsum, *from.padding);
    if (!from.partial_bits.empty()) made.partial_bits.resize(made.einsum.tensors.size());
    for (const auto& [tensor, bits] : from.partial_bits)
        made.partial_bits[parts.index(made.einsum.tensors, tensor, "tensor")] = bits;
    if (from.mapping) made.mapping = parts.mapping(*from.mapping, made.einsum);
    if (from.evaluation) {
        made.evaluation = parts.evaluation(*from.evaluation, made.einsum);
        made.on_vector_unit = from.evaluation->on_vector_unit;
    }
    const Einsum& own = made.unpadded ? *made.unpadded : made.einsum;
    for (const document::FrontPoint& point : from.front) {
        FrontAnswer& answer = made.front.emplace_back();
        if (point.padding) answer.padded = parts.padded(own, *point.padding);
        answer.mapping = parts.mapping(point.mapping, answer.padded.value_or(own));
        answer.energy_pj = point.energy_pj;
        answer.cycles = point.cycles;
    }
    made.search = std::move(from.search);
    if (from.refinement) made.refinement = refinement_of(*from.refinement, made.einsum, parts);
    if (from.sparse) made.sparse = parts.sparse(*from.sparse, made.einsum);
    made.as_built = std::move(from.as_built);
    made.not_as_built = std::move(from.not_as_built);
    return made;
}

// Half a word more: a quotient of whole numbers is not cut to one less.
void take_usable_words(const yaml::Node& memory, Memory& made) {
    if (!made.capacity_words || !memory.has("usable_words")) return;
    const std::int64_t usable = memory.at("usable_words").integer();
    if (usable < *made.capacity_words)
        made.multiple_buffering = static_cast<double>(*made.capacity_words) / (static_cast<double>(usable) + 0.5);
}

Architecture machine_of(const document::ShownMachine& shown, const yaml::Node& node) {
    Architecture made;
    made.name = shown.name;
    made.technology = shown.technology;
    made.cycle_seconds = shown.cycle_seconds;
    made.compute = shown.compute.of;
    const std::vector<yaml::Node>& memories = node.at("memories").items();
    for (std::size_t m = 0; m < shown.memories.size(); ++m)
        take_usable_words(memories[m], made.memories.emplace_back(shown.memories[m].of));
    return made;
}

}  // namespace

report::Report read_report(const std::string& text, const std::string& file) {
    const yaml::Node root = rooted(text, file, "tilewright-report/");
    auto document = read_as<document::Report>(root);
    report::Report made;
    made.architecture = machine_of(document.architecture, root.at("architecture"));
    made.provenance = std::move(document.provenance);
    made.network = std::move(document.network);
    made.unmapped = std::move(document.unmapped);
    made.notes = std::move(document.notes);
    made.interrupted = document.interrupted;
    made.what_if = std::move(document.what_if);
    const std::vector<yaml::Node>& layers = root.at("layers").items();
    for (std::size_t i = 0; i < document.layers.size(); ++i)
        made.layers.push_back(layer_result(std::move(document.layers[i]), {layers[i], made.architecture}));
    // It is said with the rule of latency, which the layers have.
    if (report::totals(made).as_built > 0) made.provenance.accounting = "exact";
    return made;
}

report::FusionReport read_fusion_report(const std::string& text, const std::string& file) {
    return read_as<report::FusionReport>(rooted(text, file, "tilewright-fusion/"));
}

report::PackageReport read_package_report(const std::string& text, const std::string& file) {
    return read_as<report::PackageReport>(rooted(text, file, "tilewright-package/"));
}

}  // namespace tilewright::documents
