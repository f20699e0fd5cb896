#include "timeloop/machine/machine.hpp"

#include <algorithm>
#include <charconv>

#include "base/numbers/checked.hpp"
#include "timeloop/components/component_classes.hpp"
#include "timeloop/machine/read_over.hpp"

namespace tilewright::timeloop {
namespace {

constexpr std::int64_t kMostInstances = std::int64_t{1} << 40;  // counts below stay within 64 bits

std::optional<std::int64_t> number(std::string_view text) {
    std::int64_t value = 0;
    const auto [end, problem] = std::from_chars(text.data(), text.data() + text.size(), value);
    if (problem != std::errc{} || end != text.data() + text.size() || text.empty()) return std::nullopt;
    return value;
}

[[noreturn]] void refuse_sparse_feature(const yaml::Node::Entry& entry) {
    entry.key_node.fail(
        ErrorCode::unsupported,
        "'" + entry.key +
            "': here a machine is a dense one (evaluate, compare, explore and map count zeros); --dense reads over it");
}

// Disabled sparse features (0, false) are free; any other value changes the results.
void refuse_sparse_attribute(const yaml::Node::Entry& entry) {
    if (is_sparse_attribute(entry)) refuse_sparse_feature(entry);
}

}  // namespace

const yaml::Node& class_of(const yaml::Node& component) {
    for (const char* key : {"class", "subclass"})
        if (const yaml::Node* given = component.find(key); given != nullptr && !given->is_null()) return *given;
    return component.at("class");  // throws missing_key
}

std::string subclass_of(const yaml::Node& component) {
    const yaml::Node* given = component.find("subclass");
    return given == nullptr || given->is_null() ? "" : given->text();
}

const yaml::Node* find_architecture(const yaml::Node& root) {
    const yaml::Node* found = root.find("architecture");
    return found != nullptr ? found : root.find("arch");
}

MachineFile read_machine(const yaml::Node& root, Sparsity sparsity) {
    const yaml::Node* architecture = find_architecture(root);
    if (architecture == nullptr) root.fail(ErrorCode::missing_key, "the key 'architecture' is missing");
    if (!architecture->is_map()) architecture->fail(ErrorCode::wrong_type, "expected a map (key: value)");
    MachineFile machine;
    machine.reads_sparse = sparsity == Sparsity::read;
    if (!machine.reads_sparse) take_sparse(root, "", machine);
    machine.root = root;
    machine.evaluator = std::make_shared<Evaluator>(root);
    machine.dumped = root.has("dumped_by_timeloop_front_end");
    const yaml::Node* variables = root.find("variables");
    if (variables != nullptr && !variables->is_null()) (void)variables->entries();  // throws unless a map
    machine.variables =
        std::make_shared<Scope>(Scope{variables == nullptr ? yaml::Node() : *variables, nullptr, false});
    if (architecture->has("nodes")) {
        machine.form = Form::hierarchy;
        read_hierarchy(*architecture, machine);
    } else if (architecture->has("subtree")) {
        machine.form = Form::tree;
        read_tree(*architecture, machine);
    } else if (architecture->has("storage") || architecture->has("arithmetic")) {
        read_flat(*architecture, machine);
    } else {
        architecture->fail(
            ErrorCode::missing_key,
            "expected 'nodes' (version 0.4), 'subtree' (versions 0.2 to 0.4) or 'storage' and 'arithmetic'");
    }
    if (machine.memories.empty()) architecture->fail(ErrorCode::bad_value, "the architecture has no memory");
    if (!machine.has_compute) architecture->fail(ErrorCode::bad_value, "the architecture has no compute unit");
    return machine;
}

void add_component(MachineFile& machine, Component component, Role role) {
    const auto taken = [&](const std::vector<Component>& components) {
        return std::any_of(components.begin(), components.end(),
                           [&](const Component& other) { return other.name == component.name; });
    };
    if (taken(machine.memories) || taken(machine.networks) || is_in(machine.others, component.name) ||
        (machine.has_compute && machine.compute.name == component.name))
        component.node.fail(ErrorCode::duplicate_key, "two components are called '" + component.name + "'");
    if (role == Role::compute && machine.has_compute)
        component.node.fail(ErrorCode::unsupported, "a second compute unit, '" + component.name + "' beside '" +
                                                        machine.compute.name + "', is not supported");
    switch (role) {
        case Role::memory: machine.memories.push_back(std::move(component)); break;
        case Role::compute:
            machine.compute = std::move(component);
            machine.has_compute = true;
            break;
        case Role::network: machine.networks.push_back(std::move(component)); break;
        default: machine.others.push_back(std::move(component.name));
    }
}

void check_attributes(const yaml::Node& attributes, const std::vector<std::string>& used, bool reads_sparse) {
    const std::vector<std::string>& known = known_attributes();
    for (const yaml::Node::Entry& entry : attributes.entries()) {
        if (!reads_sparse) refuse_sparse_attribute(entry);
        if (entry.value.is_null() && is_in(known, entry.key) && entry.key != "technology" &&
            entry.key != "power_gated_at")
            entry.key_node.fail(ErrorCode::missing_key,
                                "'" + entry.key + "' has no value; leave it out if nothing is meant");
        if (is_in(known, entry.key) || is_in(used, entry.key)) continue;
        entry.key_node.fail(ErrorCode::unknown_key,
                            "unknown attribute '" + entry.key + "'" + did_you_mean(entry.key, known));
    }
}

void set_scales(const yaml::Node& node, Component& component) {
    const auto scale = [&](const char* key) {
        const yaml::Node* given = node.find(key);
        if (given == nullptr || given->is_null()) return 1.0;
        const Value value = component.attributes.evaluator()->value(*given, component.attributes.scope());
        if (!value.is_number() || value.real() < 0.0)
            given->fail(ErrorCode::bad_value,
                        std::string("'") + key + "' is a number of at least 0, found " + to_text(value));
        return value.real();
    };
    component.energy_scale = scale("energy_scale");
    component.area_scale = scale("area_scale");
}

void check_version(const yaml::Node& architecture, const std::vector<std::string>& known) {
    const yaml::Node* version = architecture.find("version");
    if (version == nullptr || version->is_null() || is_in(known, version->text())) return;
    version->fail(ErrorCode::unsupported,
                  "version " + version->text() + " of this form is not supported; known is " + list_words(known));
}

void take_sparse(const yaml::Node& node, const std::string& level, MachineFile& machine) {
    for (const yaml::Node::Entry& entry : node.entries()) {
        if (entry.key != "sparse_optimizations" || entry.value.is_null()) continue;
        if (entry.value.is_map() && entry.value.entries().empty()) continue;
        if (entry.value.is_sequence() && entry.value.items().empty()) continue;
        if (!machine.reads_sparse) refuse_sparse_feature(entry);
        machine.sparse_sections.emplace_back(level, entry.value);
    }
}

RangedName ranged_name(const yaml::Node& node) {
    const std::string& text = node.text();
    const std::size_t open = text.find('[');
    if (open == std::string::npos) {
        if (text.empty()) node.fail(ErrorCode::bad_value, "a name cannot be empty");
        return {text, 1};
    }
    const std::size_t dots = text.find("..", open);
    const bool closed = text.back() == ']' && dots != std::string::npos && open > 0;
    const std::optional<std::int64_t> low =
        closed ? number(std::string_view(text).substr(open + 1, dots - open - 1)) : std::nullopt;
    const std::optional<std::int64_t> high =
        closed ? number(std::string_view(text).substr(dots + 2, text.size() - dots - 3)) : std::nullopt;
    if (!low || !high || *low < 0 || *high < *low)
        node.fail(ErrorCode::bad_value, "expected a range like 'name[0..15]', found '" + text + "'");
    if (*high - *low >= kMostInstances)
        node.fail(ErrorCode::overflow, "'" + text + "' would be more than 2^40 instances");
    return {text.substr(0, open), *high - *low + 1};
}

// The tree form (versions 0.2 to 0.4): nested `subtree`, each with `local` components, outermost first. The front end
// of version 0.4 dumps its hierarchies in this form too.

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
