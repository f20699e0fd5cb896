// Removes data without effect on a dense layer before the readers, with one note each: attributes for estimator
// plug-ins or for nothing, keys describing a problem or the printing of Timeloop's mapper, and, on request, everything
// sparse.
//
// The readers behind it accept only keys with a use.
#pragma once

#include "base/notes.hpp"
#include "yaml/node.hpp"

namespace tilewright::timeloop {

struct ReadingOver {
    bool strict = false;  ///< nothing is skipped: the readers refuse unknown keys
    bool dense = false;   ///< skip sparse optimizations, densities and metadata
    bool quiet = false;   ///< without notes: they are read elsewhere
};

/// `root` without the skipped parts. A name one or two letters from a known one stays for the readers to refuse:
/// possibly a slip. Names in expressions stay too.
yaml::Node read_over(const yaml::Node& root, const ReadingOver& how, Notes& notes);

/// Attributes of a sparse feature unless 0 or false.
bool is_sparse_attribute(const yaml::Node::Entry& entry);

}  // namespace tilewright::timeloop
