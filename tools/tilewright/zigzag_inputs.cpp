#include "zigzag_inputs.hpp"

#include <filesystem>
#include <map>
#include <variant>

#include "account/zigzag/translate.hpp"
#include "base/error.hpp"
#include "base/file.hpp"
#include "frontend/zigzag/accelerator.hpp"
#include "no_answer.hpp"
#include "options.hpp"

namespace tilewright::cli {
namespace {

bool is_zigzag(const yaml::Node& root) {
    return zigzag::is_accelerator(root) || zigzag::is_workload(root) || zigzag::is_mapping(root);
}

/// Several documents, of which the first is none of ZigZag's: the reader of the other files takes them all.
bool has_other_documents(const std::string& file) {
    const std::vector<yaml::Node> documents =
        yaml::parse_documents(yaml::Source{read_file(file), file, {}, {}}, yaml::Duplicates::last_wins);
    return documents.size() > 1 && !is_zigzag(documents.front());
}

/// What a file holds when it is one of ZigZag's; nothing when it is not, or no YAML (the reader of the other files
/// says so).
std::optional<zigzag::Document> zigzag_document(const std::string& file) {
    try {
        zigzag::Document document = zigzag::load(file);
        const yaml::Node& root = document.root;
        if (zigzag::is_machine_of_cores(root))
            root.at("cores").fail(ErrorCode::unsupported,
                                  "a machine of several cores (Stream) is not supported: give the file of one core");
        return is_zigzag(root) ? std::optional(document) : std::nullopt;
    } catch (const InputError& error) {
        const bool is_no_yaml = error.code() == ErrorCode::syntax || error.code() == ErrorCode::missing_file ||
                                error.code() == ErrorCode::io;
        if (!is_no_yaml && (error.code() != ErrorCode::unsupported || !has_other_documents(file))) throw;
        return std::nullopt;
    }
}

/// The names that the zoo's networks have, which the constraints of its machines use.
void rename(Einsum& einsum) {
    static const std::map<std::string, std::string> kNames{{"B", "N"},      {"OX", "P"},     {"OY", "Q"},
                                                           {"FX", "R"},     {"FY", "S"},     {"W", "Weights"},
                                                           {"I", "Inputs"}, {"O", "Outputs"}};
    Einsum renamed = einsum;
    const auto rename_in = [&](auto& items) {
        for (auto& item : items)
            if (const auto found = kNames.find(item.name); found != kNames.end()) item.name = found->second;
    };
    rename_in(renamed.dimensions);
    rename_in(renamed.tensors);
    if (problem_with(renamed).empty()) einsum = renamed;
}

}  // namespace

bool ZigzagInputs::take(const std::string& file) {
    std::optional<zigzag::Document> document = zigzag_document(file);
    if (!document) return false;
    const yaml::Node& root = document->root;
    std::optional<yaml::Node>& place = zigzag::is_accelerator(root) ? accelerator_
                                       : zigzag::is_workload(root)  ? workload_
                                                                    : mapping_;
    if (place) root.fail(ErrorCode::duplicate_key, "a second file of this kind; the first is " + place->where().file);
    place = root;
    notes_.insert(notes_.end(), document->notes.begin(), document->notes.end());
    return true;
}

const zigzag::Accelerator& ZigzagInputs::accelerator(const std::string& verb) {
    if (!accelerator_) fail_usage(verb, "no ZigZag accelerator: give a file with 'operational_array' and 'memories'");
    if (!read_accelerator_) read_accelerator_ = zigzag::read_accelerator(*accelerator_);
    return *read_accelerator_;
}

void ZigzagInputs::take(const Network& network) {
    network_ = network;
    std::vector<UnmappedOperator> unmapped = network.unmapped;
    for (const Layer& layer : network.layers) {
        auto made = zigzag::from_einsum(layer.einsum, layer.name, layer.op);
        if (const std::string* reason = std::get_if<std::string>(&made)) {
            notes_.push_back("layer '" + layer.name + "' is not mapped: " + *reason);
            unmapped.push_back({layer.name, layer.op, *reason});
            continue;
        }
        if (layer.repeats > 1)
            notes_.push_back("layer '" + layer.name + "' runs " + std::to_string(layer.repeats) +
                             " times; it is counted once");
        const auto id = static_cast<std::int64_t>(network_layers_.size());
        network_layers_.push_back({id, std::get<zigzag::Layer>(std::move(made)), {}});
    }
    if (!network.unmapped.empty())
        notes_.push_back(std::to_string(network.unmapped.size()) + " operators of " + network.name +
                         " are no layers (tilewright show --net lists them)");
    if (network_layers_.empty()) throw NoAnswer(why_there_is_no_layer(network.name, unmapped));
}

std::vector<zigzag::WorkloadLayer> ZigzagInputs::layers(const std::string& verb) const {
    if (network_) return network_layers_;
    if (!workload_) fail_usage(verb, "no ZigZag workload: give a file of layers with 'equation' and 'loop_dims'");
    return zigzag::read_workload(*workload_);
}

Network ZigzagInputs::as_network(const std::string& verb) const {
    const std::vector<zigzag::WorkloadLayer> workload = layers(verb);
    Network result;
    result.name = network();
    for (const zigzag::WorkloadLayer& one : workload) {
        Layer layer{one.layer.name, one.layer.operator_type, zigzag::to_einsum(one.layer), 1, {}};
        for (const auto& [operand, source] : one.sources)
            for (std::size_t i = 0; i < workload.size(); ++i)
                if (workload[i].id == source && source != one.id) layer.feeds_from.push_back(static_cast<int>(i));
        layer.einsum.name = one.layer.operator_type;
        rename(layer.einsum);
        result.layers.push_back(std::move(layer));
    }
    return result;
}

std::string ZigzagInputs::network() const {
    if (network_) return network_->name;
    return workload_ ? std::filesystem::path(workload_->where().file).stem().string() : "";
}

const std::vector<zigzag::MappingEntry>& ZigzagInputs::entries(const std::string& verb) {
    if (!read_entries_) {
        read_entries_.emplace();
        if (mapping_) read_entries_ = zigzag::read_mappings(*mapping_, accelerator(verb));
    }
    return *read_entries_;
}

std::vector<ZigzagProblem> ZigzagInputs::problems(const std::string& verb, const zigzag::Layer& layer) {
    ZigzagProblem problem;
    problem.layer = layer;
    problem.entry = zigzag::entry_for(entries(verb), layer);
    const zigzag::Accelerator& machine = accelerator(verb);
    zigzag::UnrollingRequest request;
    if (problem.entry != nullptr) {
        zigzag::link_operands(*problem.entry, problem.layer);
        request = zigzag::requested_unrolling(*problem.entry, problem.layer);
    }
    std::vector<ZigzagProblem> problems;
    for (zigzag::ArrayUnrolling& unrolling : zigzag::legal_unrollings(machine, problem.layer, request)) {
        problem.unrolling = std::move(unrolling);
        problem.spatial = zigzag::spatial_pair(machine, problem.layer, problem.unrolling);
        problems.push_back(problem);
    }
    return problems;
}

GivenMapping given_mapping(const ZigzagProblem& problem, const zigzag::Accelerator& accelerator,
                           zigzag::Evenness evenness) {
    if (problem.entry == nullptr) return {std::nullopt, "no entry of the mapping file is for it", false, false};
    if (std::string misfit = zigzag::problem_with(accelerator, problem.layer); !misfit.empty())
        return {std::nullopt, misfit, false, false};
    if (auto whole = zigzag::temporal_mapping(*problem.entry, accelerator, problem.layer))
        return {whole, "", false, true};
    const auto order = zigzag::complete_ordering(*problem.entry, problem.layer, problem.spatial.fractional);
    if (!order)
        return {std::nullopt,
                "entry '" + problem.entry->name + "' gives neither a temporal_mapping nor a complete temporal_ordering",
                false, false};
    auto allocated = zigzag::allocate(accelerator, problem.layer, problem.spatial.fractional, *order, evenness);
    if (const auto* shortage = std::get_if<zigzag::Shortage>(&allocated))
        return {std::nullopt, zigzag::text_of(*shortage, accelerator, problem.layer), false, true};
    return {std::get<zigzag::UnevenMapping>(allocated), "", true, true};
}

}  // namespace tilewright::cli
