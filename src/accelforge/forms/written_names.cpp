#include "accelforge/forms/written_names.hpp"

#include <algorithm>
#include <set>

#include "base/scanner.hpp"

namespace tilewright::accelforge {
namespace {

std::string unlike(std::string name, std::set<std::string>& taken) {
    while (!taken.insert(name).second) name += "_";
    return name;
}

}  // namespace

std::string plain_name(const std::string& name) {
    std::string plain;
    for (const char c : name) plain.push_back(continues_name(c) ? c : '_');
    return plain.empty() || !starts_name(plain.front()) ? "T_" + plain : plain;
}

std::vector<std::string> tensor_names(const std::vector<std::string>& names) {
    static const std::set<std::string> kSets{"All",    "Tensors", "Nothing", "Inputs",     "Outputs", "Intermediates",
                                             "Shared", "Above",   "Other",   "Persistent", "Total"};
    std::set<std::string> taken;
    std::vector<std::string> written;
    for (const std::string& name : names) {
        const std::string plain = plain_name(name);
        written.push_back(unlike(kSets.contains(plain) ? "T_" + plain : plain, taken));
    }
    return written;
}

std::vector<std::string> variable_names(const Einsum& einsum) {
    std::set<std::string> taken;
    std::vector<std::string> written;
    for (const Dimension& dimension : einsum.dimensions) {
        std::string lower = plain_name(dimension.name);
        std::ranges::transform(lower, lower.begin(),
                               [](char c) { return c >= 'A' && c <= 'Z' ? static_cast<char>(c + 32) : c; });
        if (lower.front() == '_') lower.insert(0, "v");
        written.push_back(unlike(lower, taken));
    }
    return written;
}

}  // namespace tilewright::accelforge
