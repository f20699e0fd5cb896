// Names of files after what users call their layers: every layer has a file of its own, whatever it is called.
//
//     FileNames names;                       // of one folder
//     names.of("layer/conv 1")               // "layer_conv_1"
//     names.of("layer_conv 1")               // "layer_conv_1_2": that one is taken
#pragma once

#include <set>
#include <string>

namespace tilewright::cli {

/// Letters, digits, '.', '-' and '_' stay, anything else becomes '_'; never hidden, never longer than file systems take
/// with an ending after it.
std::string plain_file_name(const std::string& name);

class FileNames {
   public:
    /// A name that this has not given before.
    std::string of(const std::string& name) { return apart(plain_file_name(name)); }
    /// The same of a text that may be a file's name as it is.
    std::string apart(const std::string& name);

   private:
    std::set<std::string> taken_;
};

}  // namespace tilewright::cli
