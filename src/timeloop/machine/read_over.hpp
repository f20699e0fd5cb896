// What has no bearing on the result of a dense layer, taken out of a tree before its readers see it, with a note that
// names it once: attributes for the plug-ins of an energy estimator or for none, keys that only describe a problem or
// say what Timeloop's mapper prints, and, where the user asks for it, all that is about sparse tensors.
//
// The readers behind it know only what they use and refuse all else.
#pragma once

#include "base/notes.hpp"
#include "yaml/node.hpp"

namespace tilewright::timeloop {

struct ReadingOver {
    bool strict = false;  ///< nothing unknown is read over: the readers refuse it
    bool dense = false;   ///< sparse optimizations, densities and metadata are read over
    bool quiet = false;   ///< the notes about them are not made: they are read elsewhere
};

/// `root` without what is read over. A name that is one or two letters away from a known one stays, for the readers to
/// refuse: it may be a slip. Names that an expression refers to stay too.
yaml::Node read_over(const yaml::Node& root, const ReadingOver& how, Notes& notes);

/// Attributes that ask for a sparse feature unless they are 0 or false.
bool is_sparse_attribute(const yaml::Node::Entry& entry);

}  // namespace tilewright::timeloop
