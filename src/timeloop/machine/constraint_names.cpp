#include "timeloop/machine/constraint_names.hpp"

#include <algorithm>

#include "timeloop/files/sections.hpp"
#include "timeloop/files/zoo.hpp"

namespace tilewright::timeloop {
namespace {

const std::vector<std::string>& usual_dimensions() {
    static const std::vector<std::string> kNames{"R", "S", "P", "Q", "C", "K", "N", "G"};
    return kNames;
}

const std::vector<std::string>& usual_tensors() {
    static const std::vector<std::string> kNames{"Weights", "Inputs", "Outputs"};
    return kNames;
}

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

std::string remark_on_roles(const std::string& file, const LayerRoles& roles, const Einsum& einsum,
                            const std::string& because) {
    return file + ": rules of layers hold by role: " + to_text(roles, einsum) + " (" + because + ")";
}

bool ConstraintNames::may_be_void(const yaml::Node& place) const {
    return unnamed_ == Unnamed::ignore || (unnamed_ == Unnamed::ignore_in_zoo && is_zoo_file(place.where().file));
}

bool ConstraintNames::may_lack(const yaml::Node& place, const std::string& name, const std::vector<std::string>& own,
                               const std::vector<std::string>& usual) const {
    if (may_be_void(place)) return true;
    const auto is_usual = [&](const std::string& one) { return std::ranges::find(usual, one) != usual.end(); };
    return unnamed_ != Unnamed::refuse && is_usual(name) && std::ranges::any_of(own, is_usual);
}

bool ConstraintNames::may_lack_some_of(const yaml::Node& place, const std::string& text) const {
    const std::vector<std::string> own = names_of(einsum_.dimensions);
    return may_be_void(place) || std::ranges::any_of(usual_dimensions(), [&](const std::string& one) {
               return text.find(one) != std::string::npos && find_dimension(einsum_, one) < 0 &&
                      may_lack(place, one, own, usual_dimensions());
           });
}

void ConstraintNames::remark(const yaml::Node& place, const std::string& text) const {
    const Location where = place.where();
    found_[where.file].remarks.insert(where.file + ":" + std::to_string(where.line) + ": " + text);
}

std::optional<int> ConstraintNames::dimension(const yaml::Node& place, const std::string& name) const {
    const int found = find_dimension(einsum_, name);
    if (found >= 0) return found;
    const std::vector<std::string> known = names_of(einsum_.dimensions);
    if (!may_lack(place, name, known, usual_dimensions()))
        place.fail(ErrorCode::unknown_name,
                   "there is no dimension '" + name + "'; the problem has " + list_words(known));
    found_[place.where().file].dimensions.insert(name);
    return std::nullopt;
}

std::optional<int> ConstraintNames::tensor(const yaml::Node& place) const {
    const int found = find_tensor(einsum_, place.text());
    if (found >= 0) return found;
    const std::vector<std::string> known = names_of(einsum_.tensors);
    if (!may_lack(place, place.text(), known, usual_tensors()))
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
