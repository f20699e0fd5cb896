#include "timeloop/machine/constraint_names.hpp"

#include "timeloop/files/names.hpp"
#include "timeloop/files/zoo.hpp"

namespace tilewright::timeloop {
namespace {

std::string missing(const std::string& kind, const std::set<std::string>& names) {
    return "no " + kind + (names.size() == 1 ? " " : "s ") + list_words({names.begin(), names.end()});
}

}  // namespace

std::vector<std::string> notes_about(const VoidNamesByFile& names) {
    std::vector<std::string> notes;
    for (const auto& [file, lacking] : names) {
        notes.insert(notes.end(), lacking.remarks.begin(), lacking.remarks.end());
        if (lacking.dimensions.empty() && lacking.tensors.empty()) continue;
        std::string text = file + ": the problem has ";
        if (!lacking.dimensions.empty()) text += missing("dimension", lacking.dimensions);
        if (!lacking.dimensions.empty() && !lacking.tensors.empty()) text += " and ";
        if (!lacking.tensors.empty()) text += missing("tensor", lacking.tensors);
        const bool one = lacking.dimensions.size() + lacking.tensors.size() == 1;
        notes.push_back(text + ": what constraints say of " + (one ? "it" : "them") + " is void");
    }
    return notes;
}

bool ConstraintNames::may_be_void(const yaml::Node& place) const {
    return unnamed_ == Unnamed::ignore || (unnamed_ == Unnamed::ignore_in_zoo && is_zoo_file(place.where().file));
}

void ConstraintNames::remark(const yaml::Node& place, const std::string& text) const {
    const Location where = place.where();
    found_[where.file].remarks.insert(where.file + ":" + std::to_string(where.line) + ": " + text);
}

std::optional<int> ConstraintNames::dimension(const yaml::Node& place, const std::string& name) const {
    const int found = find_dimension(einsum_, name);
    if (found >= 0) return found;
    if (!may_be_void(place))
        place.fail(ErrorCode::unknown_name,
                   "there is no dimension '" + name + "'; the problem has " + list_words(names_of(einsum_.dimensions)));
    found_[place.where().file].dimensions.insert(name);
    return std::nullopt;
}

std::optional<int> ConstraintNames::tensor(const yaml::Node& place) const {
    const int found = find_tensor(einsum_, place.text());
    if (found >= 0) return found;
    const std::vector<std::string> known = names_of(einsum_.tensors);
    if (!may_be_void(place))
        place.fail(ErrorCode::unknown_tensor, "there is no tensor '" + place.text() + "'" +
                                                  did_you_mean(place.text(), known) + "; the problem has " +
                                                  list_words(known));
    found_[place.where().file].tensors.insert(place.text());
    return std::nullopt;
}

std::optional<TensorSet> ConstraintNames::tensors(const yaml::Node& list) const {
    TensorSet set;
    bool any = list.items().empty();
    for (const yaml::Node& item : list.items()) {
        if (item.text() == "*") {
            set = TensorSet::all(einsum_.tensor_count());
            any = true;
        } else if (const std::optional<int> found = tensor(item)) {
            set.add(*found);
            any = true;
        }
    }
    return any ? std::optional(set) : std::nullopt;
}

}  // namespace tilewright::timeloop
