// The tree form (versions 0.2 to 0.4): nested `subtree`, each with `local` components, outermost first. The front end
// of version 0.4 dumps its hierarchies in this form too.
#include "base/numbers/checked.hpp"
#include "timeloop/components/compound.hpp"
#include "timeloop/machine/machine.hpp"

namespace tilewright::timeloop {
namespace {

constexpr int kMaxSubtrees = 100;

std::int64_t multiplied(std::int64_t copies, std::int64_t count, const yaml::Node& place) {
    constexpr std::int64_t kMost = std::int64_t{1} << 40;  // counts below stay within 64 bits
    if (saturating_mul(copies, count) > kMost) place.fail(ErrorCode::overflow, "more than 2^40 instances");
    return copies * count;
}

void read_component(const yaml::Node& node, std::int64_t copies, const std::shared_ptr<const Scope>& around,
                    const std::vector<std::string>& used, MachineFile& machine) {
    node.expect_keys({"name", "class", "subclass", "attributes", "required_actions", "enabled", "sparse_optimizations",
                      "energy_scale", "area_scale"});
    const yaml::Node& name_node = node.at("name");
    const RangedName ranged = ranged_name(name_node);
    take_sparse(node, ranged.name, machine);
    if (const yaml::Node* enabled = node.find("enabled"); enabled != nullptr && !enabled->boolean()) {
        machine.others.push_back(ranged.name);
        return;
    }
    const yaml::Node& class_node = class_of(node);
    const Role role = role_of(class_node.text());
    if (role == Role::unknown) class_node.fail(ErrorCode::unknown_name, unknown_class(machine.root, class_node.text()));
    const yaml::Node* attributes = node.find("attributes");
    if (attributes != nullptr && role != Role::passive) check_attributes(*attributes, used, machine.reads_sparse);
    const auto scope = std::make_shared<Scope>(Scope{attributes == nullptr ? yaml::Node() : *attributes, around});
    Component component;
    component.name = ranged.name;
    component.component_class = class_node.text();
    component.subclass = subclass_of(node);
    component.node = name_node;
    component.attributes = Attributes(scope, machine.evaluator);
    set_scales(node, component);
    component.instances = multiplied(copies, ranged.count, name_node);
    component.spreads_only = component.component_class.find("dummy") != std::string::npos;
    machine.evaluator->add_component(ranged.name, node, scope);
    add_component(machine, std::move(component), role);
}

const yaml::Node& only_child(const yaml::Node& subtree) {
    const std::vector<yaml::Node>& children = subtree.items();
    if (children.size() != 1)
        subtree.fail(ErrorCode::unsupported,
                     "a subtree needs exactly one branch, found " + std::to_string(children.size()));
    return children.front();
}

// Attributes inherited by everything below `node`.
void add_attributes(const yaml::Node& node, const std::vector<std::string>& used, const MachineFile& machine,
                    std::shared_ptr<const Scope>& scope) {
    const yaml::Node* attributes = node.find("attributes");
    if (attributes == nullptr || attributes->is_null()) return;
    if (!machine.dumped) check_attributes(*attributes, used, machine.reads_sparse);
    scope = std::make_shared<Scope>(Scope{*attributes, scope});
}

// The front end calls the root of a hierarchy "<first container>_top_level".
std::string root_name(const std::string& name) {
    constexpr std::string_view kSuffix = "_top_level";
    return name.ends_with(kSuffix) ? name.substr(0, name.size() - kSuffix.size()) : name;
}

}  // namespace

void read_tree(const yaml::Node& architecture, MachineFile& machine) {
    architecture.expect_keys({"version", "subtree", "name", "attributes", "constraints"});
    check_version(architecture, {"0.2", "0.3", "0.4"});
    const std::vector<std::string> used = names_in_use(machine.root, architecture);
    std::shared_ptr<const Scope> scope = machine.variables;
    std::int64_t copies = 1;
    add_attributes(architecture, used, machine, scope);
    const yaml::Node* level = &architecture;
    for (int depth = 0; const yaml::Node* subtree = level->find("subtree"); ++depth) {
        if (depth > kMaxSubtrees) subtree->fail(ErrorCode::syntax, "subtrees are nested too deeply");
        level = &only_child(*subtree);
        level->expect_keys({"name", "attributes", "local", "subtree"});
        const RangedName ranged = level->has("name") ? ranged_name(level->at("name")) : RangedName{};
        if (machine.name.empty()) machine.name = root_name(ranged.name);
        copies = multiplied(copies, ranged.count, *level);
        add_attributes(*level, used, machine, scope);
        if (const yaml::Node* local = level->find("local"))
            for (const yaml::Node& node : local->items()) read_component(node, copies, scope, used, machine);
    }
}

}  // namespace tilewright::timeloop
