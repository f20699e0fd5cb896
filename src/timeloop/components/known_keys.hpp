// The attribute names that Timeloop, its front end and Accelergy know.
#pragma once

#include <string>
#include <vector>

namespace tilewright::timeloop {

/// Attributes that this reader uses, or that have no effect on a dense model and are accepted: the comments in
/// known_keys.cpp say which.
const std::vector<std::string>& known_attributes();

bool is_in(const std::vector<std::string>& words, const std::string& word);

}  // namespace tilewright::timeloop
