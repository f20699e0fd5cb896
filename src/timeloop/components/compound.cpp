#include "timeloop/components/compound.hpp"

#include <algorithm>

#include "timeloop/components/component_classes.hpp"
#include "timeloop/expression/expression.hpp"

namespace tilewright::timeloop {
namespace {

// Defined in files of Timeloop's standard library; estimators know them by name.
bool is_standard(const std::string& name) {
    static const std::vector<std::string> kStandard{
        "SRAM",   "DRAM",  "regfile", "smartbuffer_SRAM", "smartbuffer_RF", "smartbuffer",
        "intmac", "fpmac", "mac",     "aladdin_register"};
    return std::find(kStandard.begin(), kStandard.end(), name) != kStandard.end();
}

std::vector<yaml::Node> definitions(const yaml::Node& root) {
    std::vector<yaml::Node> found;
    for (const char* name : {"components", "compound_components"}) {
        const yaml::Node* section = root.find(name);
        if (section == nullptr || section->is_null()) continue;
        const yaml::Node* classes = section->is_map() ? section->find("classes") : section;
        if (classes != nullptr) found.insert(found.end(), classes->items().begin(), classes->items().end());
    }
    return found;
}

const yaml::Node* parts_of(const yaml::Node& definition) {
    const yaml::Node* parts = definition.find("subcomponents");
    return parts == nullptr || parts->items().empty() ? nullptr : parts;
}

}  // namespace

std::optional<yaml::Node> find_compound(const yaml::Node& root, const std::string& name) {
    for (const yaml::Node& definition : definitions(root))
        if (definition.at("name").text() == name) return definition;
    return std::nullopt;
}

std::vector<std::string> names_in_use(const yaml::Node& root, const yaml::Node& architecture) {
    std::vector<std::string> names = words_in(architecture);
    for (const yaml::Node& definition : definitions(root)) {
        const std::vector<std::string> words = words_in(definition);
        names.insert(names.end(), words.begin(), words.end());
        if (const yaml::Node* attributes = definition.find("attributes"))
            for (const yaml::Node::Entry& entry : attributes->entries()) names.push_back(entry.key);
    }
    return names;
}

std::string unknown_class(const yaml::Node& root, const std::string& name) {
    if (!find_compound(root, name)) return "unknown class '" + name + "': " + known_classes();
    const Role role = role_of(resolved_class(root, name));
    return "'" + name + "' is a compound component, which stands under 'subclass': write class: " +
           (role == Role::compute ? "compute" : "storage") + ", subclass: " + name;
}

std::string resolved_class(const yaml::Node& root, const std::string& name) {
    std::vector<std::string> path{name};
    for (;;) {
        const std::string& current = path.back();
        const std::optional<yaml::Node> definition = find_compound(root, current);
        if (!definition) return current;
        const yaml::Node* parts = parts_of(*definition);
        if (parts == nullptr) return "";
        if (is_standard(current)) return current;
        const std::vector<yaml::Node>& items = parts->items();
        const auto central = std::find_if(items.begin(), items.end(), [](const yaml::Node& part) {
            const Role role = role_of(part.at("class").text());
            return role == Role::memory || role == Role::compute;
        });
        const yaml::Node& next = (central == items.end() ? items.front() : *central).at("class");
        if (std::find(path.begin(), path.end(), next.text()) != path.end())
            next.fail(ErrorCode::cyclic_inheritance, "the class '" + next.text() + "' is made of itself");
        path.push_back(next.text());
    }
}

}  // namespace tilewright::timeloop
