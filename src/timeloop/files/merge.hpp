// Several files as one: as Accelergy and Timeloop's front end join them.
#pragma once

#include "yaml/node.hpp"

namespace tilewright::timeloop {

/// `first` and what `second` adds. Maps under the same top-level key are joined; so are their lists where Accelergy
/// joins them (`compound_components.classes`, `components`, tables of an ERT or ART, targets of constraints): an entry
/// with the same name and content counts once. `variables` are joined key by key. An empty section says nothing. After
/// a dump of Timeloop's front end (`dumped_by_timeloop_front_end`) a file's mapping replaces the dump's constraints
/// that were written as one. All else that is given twice is refused (duplicate_key) unless it is the same plain value,
/// and so is a name whose content differs.
yaml::Node merged_documents(const yaml::Node& first, const yaml::Node& second);

/// Lists that stand for something else, spelled out: `variables` as a list of maps (a later one wins), and lists of
/// lists of classes (`classes: [[a, b], [c]]`).
yaml::Node with_flat_lists(const yaml::Node& root);

}  // namespace tilewright::timeloop
