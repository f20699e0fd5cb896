#include "inputs/zigzag_inputs.hpp"

#include <filesystem>

#include "base/error.hpp"
#include "base/files/file.hpp"
#include "options/options.hpp"
#include "options/verb.hpp"
#include "report/report.hpp"
#include "run/zigzag/problem.hpp"
#include "zigzag/files/load.hpp"
#include "zigzag/files/stream.hpp"

namespace tilewright::cli {
namespace {

bool is_zigzag(const yaml::Node& root) {
    return zigzag::is_accelerator(root) || zigzag::is_workload(root) || zigzag::is_mapping(root) ||
           zigzag::is_machine_of_cores(root);
}

/// Several documents, of which the first is none of ZigZag's: the reader of the other files takes them all.
bool has_other_documents(const std::string& file, std::uintmax_t most_bytes) {
    const std::vector<yaml::Node> documents =
        yaml::parse_documents(yaml::Source{read_file(file, most_bytes), file, {}, {}}, yaml::Duplicates::last_wins);
    return documents.size() > 1 && !is_zigzag(documents.front());
}

/// What a file holds when it is one of ZigZag's; nothing when it is not, or no YAML (the reader of the other files
/// says so).
std::optional<zigzag::Document> zigzag_document(const std::string& file, std::uintmax_t most_bytes) {
    try {
        zigzag::Document document = zigzag::load(file, most_bytes);
        const yaml::Node& root = document.root;
        zigzag::refuse_other_kinds_of_core(root);
        return is_zigzag(root) ? std::optional(document) : std::nullopt;
    } catch (const InputError& error) {
        const bool is_no_yaml = error.code() == ErrorCode::syntax || error.code() == ErrorCode::missing_file ||
                                error.code() == ErrorCode::io;
        if (!is_no_yaml && (error.code() != ErrorCode::unsupported || !has_other_documents(file, most_bytes))) throw;
        return std::nullopt;
    }
}

}  // namespace

bool ZigzagInputs::take(const std::string& file, const std::string& core, std::uintmax_t most_bytes) {
    std::optional<zigzag::Document> document = zigzag_document(file, most_bytes);
    if (!document) return false;
    if (zigzag::is_machine_of_cores(document->root)) {
        core_file_ = zigzag::file_of_core(document->root, core).string();
        document = zigzag::load_core(core_file_, core, file, most_bytes);
    }
    const yaml::Node& root = document->root;
    std::optional<yaml::Node>& place = zigzag::is_accelerator(root) ? accelerator_
                                       : zigzag::is_workload(root)  ? workload_
                                                                    : mapping_;
    if (place) root.fail(ErrorCode::duplicate_key, "a second file of this kind; the first is " + place->where().file);
    place = root;
    of_several_cores_ = of_several_cores_ || document->of_several_cores;
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
    ZigzagWorkload workload = zigzag_workload(network);
    network_layers_ = std::move(workload.layers);
    notes_.insert(notes_.end(), workload.notes.begin(), workload.notes.end());
    if (!network.unmapped.empty())
        notes_.push_back(std::to_string(network.unmapped.size()) + " operators of " + network.name +
                         " are no layers (tilewright show --net lists them)");
    if (network_layers_.empty()) throw NoAnswer("error: " + report::no_layer_text(network.name, workload.left_out));
}

std::vector<zigzag::WorkloadLayer> ZigzagInputs::layers(const std::string& verb) const {
    if (network_) return network_layers_;
    if (!workload_) fail_usage(verb, "no ZigZag workload: give a file of layers with 'equation' and 'loop_dims'");
    return zigzag::read_workload(*workload_);
}

Network ZigzagInputs::as_network(const std::string& verb) const { return network_of(layers(verb), network()); }

std::string ZigzagInputs::network() const {
    if (network_) return network_->name;
    return workload_ ? std::filesystem::path(workload_->where().file).stem().string() : "";
}

const std::vector<zigzag::MappingEntry>& ZigzagInputs::entries(const std::string& verb) {
    if (!read_entries_) {
        read_entries_.emplace();
        const zigzag::Accelerator& machine = accelerator(verb);
        if (mapping_) read_entries_ = zigzag::read_mappings(zigzag::with_dataflows(*mapping_, *accelerator_), machine);
    }
    return *read_entries_;
}

}  // namespace tilewright::cli
