// Names of named items, for messages.
#pragma once

#include <string>
#include <vector>

namespace tilewright::timeloop {

template <class Named>
std::vector<std::string> names_of(const std::vector<Named>& items) {
    std::vector<std::string> names;
    names.reserve(items.size());
    for (const Named& item : items) names.push_back(item.name);
    return names;
}

}  // namespace tilewright::timeloop
