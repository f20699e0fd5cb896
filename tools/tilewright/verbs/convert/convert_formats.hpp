// What convert writes of machines and networks, by format: files of Timeloop, ZigZag and our own.
#pragma once

#include <string>
#include <vector>

#include "inputs/file_names.hpp"
#include "inputs/inputs.hpp"
#include "output/output.hpp"
#include "timeloop/write/write_machine.hpp"

namespace tilewright::cli {

/// A layer's name as a file's, unlike all in `taken`; names such as "/conv1/Conv" come from ONNX.
std::string file_name(const std::string& layer, FileNames& taken);

struct Converted {
    std::vector<NamedBytes> files;
    std::vector<std::string> notes;
    std::vector<std::string> failures;  ///< what the format cannot say of single layers
};

/// The machine (NAME.arch.yaml), the layers (LAYER.problem.yaml) and the mappings (LAYER.mapping.yaml) that were given.
/// `estimates`: energies and areas that were not given are written as given. Throws InputError.
Converted timeloop_files(Inputs& inputs, timeloop::MachineForm form, bool estimates);

/// The machine (hardware.yaml) and the layers (workload.yaml); with mappings of ours, what `--account zigzag` makes of
/// each, in a folder for each layer. Throws InputError.
Converted zigzag_files(Inputs& inputs);

/// The machine (NAME.arch.yaml), the cascade (NAME.workload.yaml) or the layers (LAYER.workload.yaml), and the mappings
/// (LAYER.mapping.yaml) as AccelForge's files. Throws InputError.
Converted accelforge_files(Inputs& inputs);

/// All layers in one file of our own (NAME.network.yaml).
Converted network_file(Inputs& inputs);

/// LAYER.problem.yaml
Converted problem_files(const Inputs& inputs, const Network& network);

}  // namespace tilewright::cli
