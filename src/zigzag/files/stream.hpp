// Files of Stream, which runs the layers of a network on several of ZigZag's cores: one core of them is a machine here.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "base/notes.hpp"
#include "yaml/node.hpp"

namespace tilewright::zigzag {

/// True for a file that puts several cores together: `cores` names their files, as a list or by number.
bool is_machine_of_cores(const yaml::Node& root);

/// The file of the core that `choice` names: by its number, or by the name of its file without the ending. It lies in
/// the folder of `root`, in `cores` below it, or where a path from one of the folders above leads. Throws InputError,
/// with all choices, for an empty choice and for a core that is not there. `option`: how users name a choice.
std::filesystem::path file_of_core(const yaml::Node& root, const std::string& choice,
                                   const std::string& option = "--core");

/// Throws InputError for a core that is described in another way than ZigZag's: without an array and memories of
/// operands (`type: aie2.compute`).
void refuse_other_kinds_of_core(const yaml::Node& root);

/// True for a mapping of Stream: which cores layers run on and how they are cut, but not where an array unrolls them.
bool is_mapping_to_cores(const yaml::Node& root);

/// A mapping to cores as one of ZigZag's, whose entries leave the array open; what is about several cores is left out
/// with a note. Requires is_mapping_to_cores().
yaml::Node mapping_of_one_core(const yaml::Node& root, Notes& notes);

/// `mapping` with the core's own `dataflows`, if it has any, where an entry says nothing of the array.
yaml::Node with_dataflows(const yaml::Node& mapping, const yaml::Node& core);

}  // namespace tilewright::zigzag
