// ZigZag's own files among what the user gave: accelerator, workload and mapping.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "workload/network.hpp"
#include "zigzag/files/load.hpp"
#include "zigzag/files/mapping.hpp"
#include "zigzag/values/accelerator.hpp"

namespace tilewright::cli {

/// The ZigZag files of one run. Not thread-safe.
class ZigzagInputs {
   public:
    /// True, and the file is taken, when it is one of ZigZag's; of a machine of several cores that of `core`. Throws
    /// InputError for the second of a kind.
    bool take(const std::string& file, const std::string& core, std::uintmax_t most_bytes);
    /// True where a file is about one of several cores (of Stream), beside which there is more memory.
    bool of_several_cores() const { return of_several_cores_; }
    /// Of the core that was chosen; "" where none was.
    const std::string& core_file() const { return core_file_; }

    bool any() const { return accelerator_ || workload_ || mapping_; }
    /// True when the machine or the mapping are ZigZag's; a workload alone is a network like others.
    bool decide() const { return accelerator_ || mapping_; }
    /// Notes about the files.
    const std::vector<std::string>& notes() const { return notes_; }

    /// Throws InputError(usage) when a file is missing. The name of the network is that of the workload's file.
    const zigzag::Accelerator& accelerator(const std::string& verb);
    std::vector<zigzag::WorkloadLayer> layers(const std::string& verb) const;
    std::string network() const;
    /// The workload's layers as einsums, for machines of other kinds; dimensions and tensors have the zoo's names.
    Network as_network(const std::string& verb) const;
    bool has_accelerator() const { return accelerator_.has_value(); }
    bool has_workload() const { return workload_.has_value() || network_.has_value(); }
    /// Takes a network of another kind (ONNX, the zoo, einsums) as the workload; a layer that ZigZag cannot express is
    /// left out with a note. Throws NoAnswer when none is left.
    void take(const Network& network);
    bool has_mapping() const { return mapping_.has_value(); }

    /// Of the mapping file; none when there is no file. Throws InputError.
    const std::vector<zigzag::MappingEntry>& entries(const std::string& verb);

   private:
    std::optional<yaml::Node> accelerator_;
    std::optional<yaml::Node> workload_;
    std::optional<yaml::Node> mapping_;
    std::optional<Network> network_;  // in place of a workload
    std::vector<zigzag::WorkloadLayer> network_layers_;
    std::optional<zigzag::Accelerator> read_accelerator_;
    std::optional<std::vector<zigzag::MappingEntry>> read_entries_;
    std::vector<std::string> notes_;
    std::string core_file_;
    bool of_several_cores_ = false;
};

}  // namespace tilewright::cli
