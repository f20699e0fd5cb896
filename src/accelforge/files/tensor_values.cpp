#include "accelforge/files/tensor_values.hpp"

#include <algorithm>

#include "accelforge/expression/evaluate.hpp"
#include "base/scanner.hpp"

namespace tilewright::accelforge {
namespace {

bool names_other(std::string_view key) {
    Scanner scanner(key);
    while (!scanner.at_end()) {
        const std::string_view word = scanner.name();
        if (word == "Other") return true;
        if (word.empty()) scanner.seek(scanner.place() + 1);
    }
    return false;
}

void cover(const yaml::Node::Entry& entry, std::uint64_t members, std::vector<const yaml::Node*>& covered) {
    for (std::size_t t = 0; t < covered.size(); ++t) {
        if ((members >> t & 1U) == 0) continue;
        if (covered[t] != nullptr)
            entry.key_node.fail(ErrorCode::duplicate_key, "a tensor of '" + entry.key + "' has a value already");
        covered[t] = &entry.value;
    }
}

}  // namespace

std::vector<const yaml::Node*> entries_by_tensor(const yaml::Node& map, const Names& names, std::size_t tensors) {
    std::vector<const yaml::Node*> covered(tensors, nullptr);
    std::uint64_t rest = ~0ULL;
    for (const yaml::Node::Entry& entry : map.entries()) {
        if (names_other(entry.key)) continue;
        const SetValue set = set_of(entry.key, entry.key_node, names);
        cover(entry, set.members, covered);
        rest &= ~set.members;
    }
    for (const yaml::Node::Entry& entry : map.entries()) {
        if (!names_other(entry.key)) continue;
        Names inner{{}, &names};
        if (const Value* all = names.find("All"))
            inner.own["Other"] = Value{SetValue{all->set()->universe, all->set()->members & rest}};
        cover(entry, set_of(entry.key, entry.key_node, inner).members, covered);
    }
    return covered;
}

std::vector<double> values_by_tensor(const yaml::Node& map, const Names& names, std::size_t tensors, double missing) {
    std::vector<double> values;
    for (const yaml::Node* entry : entries_by_tensor(map, names, tensors)) {
        values.push_back(entry == nullptr ? missing : number_at(*entry, names));
        if (entry != nullptr && !(values.back() > 0.0)) entry->fail(ErrorCode::bad_value, "expected a number above 0");
    }
    return values;
}

}  // namespace tilewright::accelforge
