// Which statistics stand behind a sum that is begun with them unfinished (docs/fusion.md, rule 18). Internal to
// model/oracle.
#pragma once

#include <map>

#include "mapping/fused/unfinished.hpp"
#include "oracle/elements.hpp"

namespace tilewright::oracle {

/// By element of the sum: the statistics behind it, as elements of their first result; all results have the same ones.
std::map<Element, Elements> rows_behind(const Cascade& cascade, const UnfinishedStatistics& statistics);

}  // namespace tilewright::oracle
