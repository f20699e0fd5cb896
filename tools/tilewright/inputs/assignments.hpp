// NAME=EXTENT, as --dim and --extents take it.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <utility>
#include <vector>

namespace tilewright::cli {

/// "n=1" -> ("n", 1). Throws InputError(usage), naming the option, for anything else.
std::pair<std::string, std::int64_t> assignment(const std::string& verb, const std::string& option,
                                                const std::string& text);

/// The same of several, every name once.
std::map<std::string, std::int64_t> assignments(const std::string& verb, const std::string& option,
                                                const std::vector<std::string>& texts);

}  // namespace tilewright::cli
