// The flat form: `arithmetic` and a list `storage`, innermost first.
#include <algorithm>

#include "timeloop/components/compound.hpp"
#include "timeloop/machine/machine.hpp"

namespace tilewright::timeloop {
namespace {

// Attributes stand beside the name or in a map of their own.
std::shared_ptr<const Scope> scope_of(const yaml::Node& node, const MachineFile& machine) {
    const yaml::Node* inside = node.find("attributes");
    auto outer = inside == nullptr ? machine.variables : std::make_shared<Scope>(Scope{node, machine.variables});
    return std::make_shared<Scope>(Scope{inside == nullptr ? node : *inside, std::move(outer)});
}

Component component_of(const yaml::Node& node, const std::string& name, MachineFile& machine,
                       const std::vector<std::string>& used) {
    take_sparse(node, name, machine);
    std::vector<std::string> accepted = used;
    accepted.emplace_back("attributes");
    if (machine.reads_sparse) accepted.emplace_back("sparse_optimizations");
    check_attributes(node, accepted, machine.reads_sparse);
    if (const yaml::Node* inside = node.find("attributes")) check_attributes(*inside, used, machine.reads_sparse);
    Component component;
    component.name = name;
    if (const yaml::Node* given = node.find("class")) component.component_class = given->text();
    if (const yaml::Node* given = node.find("subclass")) component.subclass = given->text();
    component.node = node;
    component.spreads_only = component.component_class.find("dummy") != std::string::npos;
    component.attributes = Attributes(scope_of(node, machine), machine.evaluator);
    return component;
}

}  // namespace

void read_flat(const yaml::Node& architecture, MachineFile& machine) {
    machine.form = Form::flat;
    architecture.expect_keys({"arithmetic", "storage", "name", "version", "technology", "constraints"});
    if (const yaml::Node* name = architecture.find("name")) machine.name = name->text();
    const std::vector<std::string> used = names_in_use(machine.root, architecture);
    const yaml::Node& arithmetic = architecture.at("arithmetic");
    const yaml::Node* name = arithmetic.find("name");
    add_component(machine, component_of(arithmetic, name == nullptr ? "__ARITH__" : name->text(), machine, used),
                  Role::compute);
    const std::vector<yaml::Node>& storage = architecture.at("storage").items();
    for (auto level = storage.rbegin(); level != storage.rend(); ++level) {
        const std::string level_name = level->at("name").text();
        Component component = component_of(*level, level_name, machine, used);
        machine.evaluator->add_component(level_name, *level, component.attributes.scope());
        add_component(machine, std::move(component), Role::memory);
    }
}

}  // namespace tilewright::timeloop
