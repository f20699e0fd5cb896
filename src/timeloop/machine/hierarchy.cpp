// The hierarchy of version 0.4: `nodes` with !Container, !Component, !Parallel, !Hierarchical and !Nothing; and our own
// !Passage and !CellArray (docs/guide-compute-in-memory.md).
//
// Flattened as in Timeloop's front end: containers pass their attributes to everything after them; a container or
// component with a fan-out (`spatial`) becomes a level `inter_<name>_spatial`, which keeps nothing, has the outer mesh
// and multiplies everything below; members of a !Parallel group follow each other.
// The flat form: `arithmetic` and a list `storage`, innermost first.

#include <algorithm>
#include <cmath>
#include <utility>

#include "base/numbers/checked.hpp"
#include "timeloop/components/component_classes.hpp"
#include "timeloop/machine/machine.hpp"
#include "timeloop/machine/part_costs.hpp"
#include "timeloop/machine/passing.hpp"

namespace tilewright::timeloop {
namespace {

class HierarchyReader {
   public:
    HierarchyReader(MachineFile& machine, std::vector<std::string> used)
        : machine_(machine), used_(std::move(used)), scope_(machine.variables) {}

    void read_nodes(const yaml::Node& nodes);

   private:
    void read_node(const yaml::Node& node);
    void read_container(const yaml::Node& node);
    void read_component(const yaml::Node& node);
    void read_parallel(const yaml::Node& node);
    void read_nothing(const yaml::Node& node);
    void read_passage(const yaml::Node& node);
    void place_passing(Component component, const yaml::Node& node);
    void read_array(const yaml::Node& node);
    /// The name of the spreading level, or "".
    std::string read_fanout(const yaml::Node& node, const std::string& name, const std::shared_ptr<const Scope>& scope);
    void place_spreader(const yaml::Node& node, const std::string& name);
    void place(Component component, Role role);
    void note_constraints(const yaml::Node& node, std::string memory, std::string spatial,
                          std::shared_ptr<const Scope> scope);
    std::shared_ptr<const Scope> scope_of(const yaml::Node& node) const;
    bool asks_for_power_gate(const Attributes& attributes) const;

    MachineFile& machine_;
    std::vector<std::string> used_;  // names referenced by expressions
    std::shared_ptr<const Scope> scope_;
    Mesh mesh_;
    ParallelGroup* parallel_ = nullptr;
    bool gate_next_ = false;  // the next component is the power gate of everything below
    std::optional<std::string> gate_;
    bool first_container_ = true;
    bool open_ = false;  // the last level is of passing components alone: the next fan-out may be its own
};

void HierarchyReader::read_nodes(const yaml::Node& nodes) {
    for (const yaml::Node& node : nodes.items()) read_node(node);
}

void HierarchyReader::read_node(const yaml::Node& node) {
    const std::string& tag = node.tag();
    if (machine_.array)
        node.fail(ErrorCode::unsupported, "the array '" + machine_.array->name + "' computes: it comes last");
    if (tag == "!Container" || tag == "!ArrayContainer")
        return read_container(node);  // CiMLoop's: counted for its sizes
    if (tag == "!Component") return read_component(node);
    if (tag == "!Parallel") return read_parallel(node);
    if (tag == "!Nothing") return read_nothing(node);
    if (tag == "!Passage") return read_passage(node);
    if (tag == "!CellArray") return read_array(node);
    if (tag == "!Hierarchical") {
        node.expect_keys({"nodes"});
        return read_nodes(node.at("nodes"));
    }
    if (tag == "!Pipelined") node.fail(ErrorCode::unsupported, "!Pipelined: pipelined groups are not supported");
    static const std::vector<std::string> kTags{"!Container", "!Component", "!Parallel", "!Hierarchical",
                                                "!Nothing",   "!Passage",   "!CellArray"};
    node.fail(ErrorCode::wrong_type,
              (tag.empty() ? "a node without a tag" : "unknown tag '" + tag + "'" + did_you_mean(tag, kTags)) +
                  "; expected one of " + list_words(kTags));
}

std::shared_ptr<const Scope> HierarchyReader::scope_of(const yaml::Node& node) const {
    const yaml::Node* attributes = node.find("attributes");
    if (attributes != nullptr) check_attributes(*attributes, used_, machine_.reads_sparse);
    return std::make_shared<Scope>(Scope{attributes == nullptr ? yaml::Node() : *attributes, scope_});
}

bool HierarchyReader::asks_for_power_gate(const Attributes& attributes) const {
    const yaml::Node* own = attributes.scope()->attributes.find("has_power_gating");
    return own != nullptr && !own->is_null() && attributes.boolean({"has_power_gating"}).value_or(false);
}

void HierarchyReader::read_container(const yaml::Node& node) {
    node.expect_keys({"name", "attributes", "spatial", "constraints", "sparse_optimizations", "networks", "enabled"});
    if (const yaml::Node* enabled = node.find("enabled"); enabled != nullptr && !enabled->boolean()) return;
    if (const yaml::Node* networks = node.find("networks"); networks != nullptr && !networks->items().empty())
        networks->fail(ErrorCode::unsupported, "networks inside a container are not supported");
    const std::string name = node.at("name").text();
    if (first_container_) machine_.name = name;
    first_container_ = false;
    scope_ = scope_of(node);
    const Attributes attributes(scope_, machine_.evaluator);
    machine_.evaluator->add_component(name, node, scope_);
    std::string spreader = read_fanout(node, name, scope_);
    take_sparse(node, spreader.empty() ? name : spreader, machine_);
    gate_next_ = gate_next_ || asks_for_power_gate(attributes);
    note_constraints(node, "", std::move(spreader), scope_);
}

std::string HierarchyReader::read_fanout(const yaml::Node& node, const std::string& name,
                                         const std::shared_ptr<const Scope>& scope) {
    const yaml::Node* spatial = node.find("spatial");
    if (spatial == nullptr || spatial->is_null()) return "";
    spatial->expect_keys({"meshX", "meshY"});
    const auto extent = [&](const char* key) {
        const yaml::Node* given = spatial->find(key);
        if (given == nullptr) return std::int64_t{1};
        const std::string what = std::string("'") + key + "'";
        if (given->is_null()) given->fail(ErrorCode::missing_key, what + " has no value");
        refuse_boolean(*given, what);
        const std::int64_t value = whole_of(machine_.evaluator->value(*given, scope), *given, what);
        if (value < 1)
            given->fail(ErrorCode::bad_value, what + " has to be at least 1, found " + std::to_string(value));
        return value;
    };
    const Mesh fanout{extent("meshX"), extent("meshY")};
    if (fanout.x == 1 && fanout.y == 1) return "";
    if (parallel_ != nullptr)
        spatial->fail(ErrorCode::unsupported, "a fan-out inside a !Parallel group is not supported");
    std::string spreader = "inter_" + name + "_spatial";
    if (open_ && machine_.memories.back().mesh == mesh_) {
        const std::string before = std::exchange(machine_.memories.back().name, spreader);
        for (PassingComponent& one : machine_.passing)
            if (one.level == before) one.level = spreader;
        if (gate_ == before) gate_ = spreader;
        if (machine_.memories.back().power_gate == before) machine_.memories.back().power_gate = spreader;
    } else {
        place_spreader(node.at("name"), spreader);
    }
    open_ = false;
    constexpr std::int64_t kMost = std::int64_t{1} << 40;  // bound on instances: counts below stay within 64 bits
    if (saturating_mul(mesh_.x, fanout.x) > kMost || saturating_mul(mesh_.y, fanout.y) > kMost ||
        saturating_mul(mesh_.x * fanout.x, mesh_.y * fanout.y) > kMost)
        spatial->fail(ErrorCode::overflow, "'" + name + "' would make more than 2^40 instances");
    mesh_ = {mesh_.x * fanout.x, mesh_.y * fanout.y};
    note_unshared(node, spreader, machine_);
    return spreader;
}

void HierarchyReader::place_spreader(const yaml::Node& node, const std::string& name) {
    const yaml::Node one = yaml::Node::scalar("1", node);
    std::vector<yaml::Node::Entry> entries;
    for (const char* key : {"width", "depth", "datawidth"}) entries.push_back({key, node, one});
    entries.push_back({"technology", node, yaml::Node::scalar("-1", node)});
    Component component;
    component.name = name;
    component.component_class = "dummy_storage";
    component.node = node;
    component.attributes = Attributes(std::make_shared<Scope>(Scope{yaml::Node::map(std::move(entries), node), scope_}),
                                      machine_.evaluator);
    component.spreads_only = true;
    place(std::move(component), Role::memory);
}

void HierarchyReader::place(Component component, Role role) {
    for (const char* key : {"meshX", "meshY", "instances"})
        if (component.attributes.has({key}))
            component.attributes.find({key})->fail(
                ErrorCode::bad_value,
                std::string("'") + key +
                    "' is no attribute in a hierarchy: 'spatial: {meshX: .., meshY: ..}' says how many there are");
    component.mesh = mesh_;
    component.instances = checked_mul(mesh_.x, mesh_.y);
    if (role != Role::network) {
        if (gate_next_) gate_ = component.name;
        gate_next_ = !component.spreads_only && asks_for_power_gate(component.attributes);
        component.power_gate = gate_;
    }
    if (role == Role::memory && machine_.has_compute)
        component.node.fail(ErrorCode::unsupported, "the memory '" + component.name +
                                                        "' lies inside the compute unit '" + machine_.compute.name +
                                                        "': compute units come last");
    open_ = false;
    if (role == Role::memory && parallel_ != nullptr) parallel_->branches.back().memories.push_back(component.name);
    add_component(machine_, std::move(component), role);
}

void HierarchyReader::read_component(const yaml::Node& node) {
    node.expect_keys({"name", "class", "subclass", "attributes", "spatial", "constraints", "sparse_optimizations",
                      "required_actions", "enabled", "energy_scale", "area_scale"});
    if (const yaml::Node* enabled = node.find("enabled"); enabled != nullptr && !enabled->boolean()) return;
    Component component;
    component.name = node.at("name").text();
    take_sparse(node, component.name, machine_);
    if (component.name.empty() || component.name.find('[') != std::string::npos)
        node.at("name").fail(ErrorCode::bad_value, "expected a plain name ('spatial' says how many there are)");
    const yaml::Node& class_node = class_of(node);
    component.component_class = class_node.text();
    const Role role = role_of(component.component_class);
    if (role == Role::unknown || role == Role::passive)
        class_node.fail(ErrorCode::unknown_name, unknown_class(machine_.root, component.component_class));
    component.subclass = subclass_of(node);
    component.node = node.at("name");
    const auto scope = scope_of(node);
    component.attributes = Attributes(scope, machine_.evaluator);
    set_scales(node, component);
    machine_.evaluator->add_component(component.name, node, scope);
    const std::string spreader = read_fanout(node, component.name, scope);
    if (role == Role::memory && parallel_ == nullptr && holds_nothing(node)) {
        if (!spreader.empty())
            node.at("spatial").fail(ErrorCode::unsupported,
                                    "a fan-out of a component that holds nothing: write a !Container around it");
        return place_passing(std::move(component), node);
    }
    component.latch = role == Role::memory && parallel_ == nullptr && is_latch(node);
    note_constraints(node, component.name, spreader, scope);
    if (!spreader.empty()) gate_next_ = gate_next_ || asks_for_power_gate(component.attributes);
    Component around = component;
    place(std::move(component), role);
    if (!std::exchange(around.latch, false)) return;
    around.subclass = class_name(around);
    place_passing(std::move(around), node);
}

std::string place_of(const Location& where) { return "given in " + where.file + ":" + std::to_string(where.line); }

// Belongs to the level that it stands in: the last memory, or one of its own inside a fan-out.
void HierarchyReader::read_passage(const yaml::Node& node) {
    node.expect_keys({"name", "tensor", "energy", "actions"});
    if (parallel_ != nullptr) node.fail(ErrorCode::unsupported, "a !Passage inside a !Parallel group is not supported");
    if (machine_.memories.empty())
        node.fail(ErrorCode::bad_value, "a passage lies inside a memory: the words that leave the memory pass it");
    const auto number = [&](const char* key) {
        const yaml::Node& given = node.at(key);
        const std::string what = std::string("'") + key + "'";
        refuse_boolean(given, what);
        const Value found = machine_.evaluator->value(given, scope_);
        if (!found.is_number()) given.fail(ErrorCode::wrong_type, what + " is " + to_text(found) + ", not a number");
        const double value = found.real();
        if (!(value >= 0.0 && std::isfinite(value)))
            given.fail(ErrorCode::bad_value, what + " of a passage has to be at least 0");
        return value;
    };
    const yaml::Node& name = node.at("name");
    Passage passage{name.text(),
                    node.at("tensor").text(),
                    {number("energy"), place_of(node.at("energy").where())},
                    node.has("actions") ? number("actions") : 1.0};
    const Component& outside = machine_.memories.back();
    if (outside.mesh.value_or(Mesh{}) != mesh_) place_spreader(name, passage.name);
    machine_.memories.back().passages.push_back(std::move(passage));
}

// On a level of its own, where nothing else leaks.
void HierarchyReader::place_passing(Component component, const yaml::Node& node) {
    const bool is_first = machine_.memories.empty();
    if (is_first || machine_.memories.back().mesh != mesh_ || !machine_.memories.back().spreads_only)
        place_spreader(component.node, "inter_" + component.name + "_spatial"), open_ = true;
    component.mesh = mesh_;
    component.instances = checked_mul(mesh_.x, mesh_.y);
    add_passing(std::move(component), node, machine_);
}

// Stands for the compute units: read_architecture() puts its levels there.
void HierarchyReader::read_array(const yaml::Node& node) {
    node.expect_keys({"name", "attributes", "spatial"});
    if (parallel_ != nullptr)
        node.fail(ErrorCode::unsupported, "a !CellArray inside a !Parallel group is not supported");
    if (machine_.memories.empty()) node.fail(ErrorCode::bad_value, "an array lies inside a memory");
    const yaml::Node& own = node.at("attributes");
    for (const yaml::Node::Entry& entry : own.entries())
        if (!is_in(array_attributes(), entry.key) && !is_in(used_, entry.key))
            entry.key_node.fail(ErrorCode::unknown_key, "unknown attribute '" + entry.key + "' of an array" +
                                                            did_you_mean(entry.key, array_attributes()));
    const auto scope = std::make_shared<Scope>(Scope{own, scope_});
    const std::string name = node.at("name").text();
    machine_.evaluator->add_component(name, node, scope);
    static_cast<void>(read_fanout(node, name, scope));
    Component unit;
    unit.name = name + "_unit";
    unit.component_class = "intmac";
    unit.node = node.at("name");
    const yaml::Node free = yaml::Node::map({{"energy", unit.node, yaml::Node::scalar("0", unit.node)}}, unit.node);
    unit.attributes = Attributes(std::make_shared<Scope>(Scope{free, scope_}), machine_.evaluator);
    place(std::move(unit), Role::compute);
    machine_.array = timeloop::read_array(node, Attributes(scope, machine_.evaluator));
}

void HierarchyReader::read_parallel(const yaml::Node& node) {
    node.expect_keys({"nodes"});
    if (parallel_ != nullptr)
        node.fail(ErrorCode::unsupported, "a !Parallel group inside another one is not supported");
    ParallelGroup group{node, {}};
    const std::shared_ptr<const Scope> around = scope_;
    for (const yaml::Node& branch : node.at("nodes").items()) {
        group.branches.emplace_back();
        parallel_ = &group;
        read_node(branch);
        parallel_ = nullptr;
        scope_ = around;
    }
    machine_.parallels.push_back(std::move(group));
}

void HierarchyReader::read_nothing(const yaml::Node& node) {
    node.expect_keys({"name", "constraints"});
    const yaml::Node* constraints = node.find("constraints");
    if (parallel_ != nullptr && constraints != nullptr) parallel_->branches.back().constraints.push_back(*constraints);
}

void HierarchyReader::note_constraints(const yaml::Node& node, std::string memory, std::string spatial,
                                       std::shared_ptr<const Scope> scope) {
    const yaml::Node* constraints = node.find("constraints");
    if (constraints == nullptr || constraints->is_null()) return;
    if (parallel_ != nullptr) parallel_->branches.back().constraints.push_back(*constraints);
    machine_.constraints.push_back(
        {std::move(memory), std::move(spatial), node.has("spatial"), *constraints, std::move(scope)});
}

}  // namespace

void read_hierarchy(const yaml::Node& architecture, MachineFile& machine) {
    architecture.expect_keys({"version", "nodes", "name"});
    check_version(architecture, {"0.4"});
    HierarchyReader(machine, names_in_use(machine.root, architecture)).read_nodes(architecture.at("nodes"));
    hold_outside(machine);
    place_by_sharing(machine);
}

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
