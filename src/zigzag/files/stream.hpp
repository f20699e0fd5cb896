// Files of Stream, a scheduler of networks over several ZigZag cores: one of the cores is a machine here.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "base/notes.hpp"
#include "yaml/node.hpp"

namespace tilewright::zigzag {

/// True for a multi-core file: `cores` lists their files or maps numbers to them.
bool is_machine_of_cores(const yaml::Node& root);

/// The core file named by `choice`: a number, or a file name without ending. Searched in the folder of `root`, in its
/// `cores`, and by paths from the folders above. Throws InputError, with all choices, for an empty choice and a missing
/// core. `option`: the user's name for a choice.
std::filesystem::path file_of_core(const yaml::Node& root, const std::string& choice,
                                   const std::string& option = "--core");

/// Throws InputError for a core of another kind than ZigZag's: without an array and operand memories (`type:
/// aie2.compute`).
void refuse_other_kinds_of_core(const yaml::Node& root);

/// True for a Stream mapping: the layers' cores and cuts, without array unrolling.
bool is_mapping_to_cores(const yaml::Node& root);

/// A mapping to cores as one of ZigZag's, with the array open; multi-core statements are left out with a note. Requires
/// is_mapping_to_cores().
yaml::Node mapping_of_one_core(const yaml::Node& root, Notes& notes);

/// `mapping` with the core's own `dataflows`, if any, in entries without statement on the array.
yaml::Node with_dataflows(const yaml::Node& mapping, const yaml::Node& core);

}  // namespace tilewright::zigzag
