// Attribute names known to Timeloop, its front end and Accelergy.
#pragma once

#include <string>
#include <vector>

namespace tilewright::timeloop {

/// Attributes with a use here or without effect on a dense model; known_keys.cpp tells them apart.
const std::vector<std::string>& known_attributes();

bool is_in(const std::vector<std::string>& words, const std::string& word);

}  // namespace tilewright::timeloop
