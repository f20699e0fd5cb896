// Merge of several files, as in Accelergy and Timeloop's front end.
#pragma once

#include "yaml/node.hpp"

namespace tilewright::timeloop {

/// `first` extended by `second`. Maps under the same top-level key are joined; so are the lists joined by Accelergy
/// (`compound_components.classes`, `components`, tables of an ERT or ART, targets of constraints): entries with equal
/// name and content count once. `variables` are joined key by key. An empty section has no effect. After a dump of
/// Timeloop's front end (`dumped_by_timeloop_front_end`) a file's mapping replaces the dump's constraints written as
/// one. Any other duplicate is refused (duplicate_key) unless it is the same plain value, and so is a name with
/// differing content.
yaml::Node merged_documents(const yaml::Node& first, const yaml::Node& second);

/// Shorthand lists expanded: `variables` as a list of maps (the later wins), and lists of lists of classes (`classes:
/// [[a, b], [c]]`).
yaml::Node with_flat_lists(const yaml::Node& root);

}  // namespace tilewright::timeloop
