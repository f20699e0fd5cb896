#include "accelforge/files/machine.hpp"

#include <algorithm>
#include <memory>
#include <set>

#include "accelforge/expression/evaluate.hpp"

namespace tilewright::accelforge {
namespace {

constexpr std::size_t kMostComponents = 256;

class MachineReader {
   public:
    MachineReader(const yaml::Node& root, const EinsumSpec& einsum, const Figures& figures, Notes* notes)
        : root_(root),
          einsum_(einsum),
          figures_(figures),
          notes_(notes),
          given_{{}, &einsum.names},
          names_{{}, &given_},
          kept_{{}, &names_} {}

    MachineSpec read() {
        const yaml::Node& section = root_.at("arch");
        section.expect_keys({"nodes", "variables", "extra_attributes_for_all_component_models"});
        name_array_functions(section.at("nodes"));
        name_fanouts(section.at("nodes"));
        read_variables(root_.find("variables"), given_);
        read_variables(section.find("variables"), names_);
        attributes_ = section.find("extra_attributes_for_all_component_models");
        if (const Value* nothing = einsum_.names.find("Nothing")) kept_.own["Above"] = *nothing;
        machine_.tree = read_nodes(section.at("nodes"), 0);
        return std::move(machine_);
    }

   private:
    void read_variables(const yaml::Node* section, Names& names);
    void name_array_functions(const yaml::Node& nodes);
    void name_fanouts(const yaml::Node& nodes);
    Value fanout_function(const yaml::Node& node) const;
    double array_fanout(const yaml::Node& nodes, const char* shared) const;
    std::vector<MachineNode> read_nodes(const yaml::Node& list, int depth);
    MachineNode read_node(const yaml::Node& node, int depth);
    void add_component(const yaml::Node& node);
    void name_component(const Component& component, const yaml::Node& node);

    const yaml::Node& root_;
    const EinsumSpec& einsum_;
    const Figures& figures_;
    Notes* notes_;
    Names given_;  // variables of the file
    Names names_;  // those of the machine, and components with their parts
    Names kept_;   // memories as their possible tensors
    const yaml::Node* attributes_ = nullptr;
    MachineSpec machine_;
};

// Variables may use one another in any order. One that uses itself means the outer one of its name.
void MachineReader::read_variables(const yaml::Node* section, Names& names) {
    if (section == nullptr) return;
    std::set<std::string, std::less<>> open;
    names.deferred = [&](std::string_view name) -> const Value* {
        const yaml::Node* node = open.contains(name) ? nullptr : section->find(name);
        if (node == nullptr) return nullptr;
        const auto here = open.emplace(name).first;
        Value value = evaluate(*node, names_);
        open.erase(here);
        return &names.own.insert_or_assign(std::string(name), std::move(value)).first->second;
    };
    for (const yaml::Node::Entry& entry : section->entries()) (void)names.find(entry.key);
    names.deferred = {};
}

// Copies in the array: fan-outs with ARRAY in their names, all or those that may share a tensor.
double MachineReader::array_fanout(const yaml::Node& nodes, const char* shared) const {
    double copies = 1.0;
    for (const yaml::Node& node : nodes.items()) {
        if (const yaml::Node* inside = node.find("nodes")) copies *= array_fanout(*inside, shared);
        const yaml::Node* list = node.find("spatial");
        for (const yaml::Node& one : list == nullptr ? std::vector<yaml::Node>{} : list->items()) {
            if (one.at("name").text().find("ARRAY") == std::string::npos) continue;
            const yaml::Node* reuse = one.has("reuse") ? one.find("reuse") : one.find("may_reuse");
            const Value* tensor = names_.find(shared);
            const std::uint64_t members = tensor == nullptr || tensor->set() == nullptr ? 0 : tensor->set()->members;
            if (members != 0 && (reuse == nullptr || (set_at(*reuse, names_).members & members) == 0)) continue;
            copies *= number_at(one.at("fanout"), names_);
        }
    }
    return copies;
}

void MachineReader::name_array_functions(const yaml::Node& nodes) {
    for (const auto& [name, shared] : {std::pair{"get_array_fanout_reuse_input", "input"},
                                       {"get_array_fanout_reuse_output", "output"},
                                       {"get_array_fanout_total", ""}})
        given_.own[name] = Value{FunctionValue{
            name, [this, nodes, tensor = std::string(shared)](const std::vector<Value>&) -> std::optional<Value> {
                return Value{array_fanout(nodes, tensor.c_str())};
            }}};
    given_.own["spec"] = Value{std::string("spec")};
}

Value MachineReader::fanout_function(const yaml::Node& node) const {
    return {FunctionValue{"get_fanout", [this, node](const std::vector<Value>&) -> std::optional<Value> {
                              double copies = 1.0;
                              if (const yaml::Node* list = node.find("spatial"))
                                  for (const yaml::Node& one : list->items())
                                      copies *= number_at(one.at("fanout"), names_);
                              return Value{copies};
                          }}};
}

// Of components to come, only the fan-outs are known.
void MachineReader::name_fanouts(const yaml::Node& nodes) {
    for (const yaml::Node& node : nodes.items()) {
        if (const yaml::Node* inside = node.find("nodes")) name_fanouts(*inside);
        const yaml::Node* name = node.find("name");
        if (name == nullptr) continue;
        std::map<std::string, Value, std::less<>> record{{"get_fanout", fanout_function(node)}};
        given_.own[name->text()] =
            Value{std::make_shared<const std::map<std::string, Value, std::less<>>>(std::move(record))};
    }
}

std::vector<MachineNode> MachineReader::read_nodes(const yaml::Node& list, int depth) {
    constexpr int kDeepestNode = 50;
    if (depth > kDeepestNode) list.fail(ErrorCode::unsupported, "nested deeper than 50 levels");
    std::vector<MachineNode> nodes;
    for (const yaml::Node& node : list.items()) nodes.push_back(read_node(node, depth));
    return nodes;
}

MachineNode MachineReader::read_node(const yaml::Node& node, int depth) {
    const std::string& tag = node.tag();
    MachineNode made;
    if (tag == "!Fork" || tag == "!Hierarchical") {
        node.expect_keys({"name", "nodes", "forked_power_gateable", "non_forked_power_gateable"});
        made.is_fork = tag == "!Fork";
        if (const yaml::Node* flag = node.find("forked_power_gateable"))
            made.forked_power_gateable = truth_at(*flag, names_);
        if (const yaml::Node* flag = node.find("non_forked_power_gateable"))
            made.non_forked_power_gateable = truth_at(*flag, names_);
        made.inside = read_nodes(node.at("nodes"), depth + 1);
        return made;
    }
    if (tag == "!Network" || tag == "!Array")
        node.fail(ErrorCode::unsupported, "'" + tag + "' is not modelled: networks between and inside of memories");
    static const std::vector<std::string> kTags{"!Memory", "!Toll", "!Compute", "!Container", "!Hierarchical", "!Fork"};
    if (std::ranges::find(kTags, tag) == kTags.end())
        node.fail(ErrorCode::unknown_key,
                  "expected a node tagged " + list_words(kTags) + ", found '" + tag + "'" + did_you_mean(tag, kTags));
    add_component(node);
    made.component = static_cast<int>(machine_.components.size()) - 1;
    return made;
}

void MachineReader::add_component(const yaml::Node& node) {
    const std::string& name = node.at("name").text();
    if (machine_.component_of(name) >= 0)
        node.at("name").fail(ErrorCode::duplicate_key, "two components are called '" + name + "'");
    if (machine_.components.size() == kMostComponents) node.fail(ErrorCode::unsupported, "more than 256 components");
    const auto figures = figures_.find(name);
    machine_.components.push_back(read_component(
        node, {einsum_, names_, kept_, figures == figures_.end() ? nullptr : &figures->second, notes_, attributes_}));
    name_component(machine_.components.back(), node);
}

void MachineReader::name_component(const Component& component, const yaml::Node& node) {
    std::map<std::string, Value, std::less<>> record;
    record["name"] = Value{component.name};
    record["size"] = Value{component.size_bits};
    record["area"] = Value{component.area_m2};
    record["leak_power"] = Value{component.leak_w};
    record["get_fanout"] = fanout_function(node);
    const Value* all = einsum_.names.find("All");
    if (component.kind == ComponentKind::memory && all != nullptr) {
        const auto universe = all->set()->universe;
        const std::uint64_t kept = component.enabled ? (component.keep | component.may_keep) & universe->all() : 0;
        kept_.own[component.name] = Value{SetValue{universe, kept}};
        kept_.own["Above"] = Value{SetValue{universe, kept_.own["Above"].set()->members | kept}};
        record["tensors"] = kept_.own[component.name];
    }
    names_.own[component.name] =
        Value{std::make_shared<const std::map<std::string, Value, std::less<>>>(std::move(record))};
}

double figure_at(const yaml::Node& node) {
    const std::string& text = node.text();
    return text == "Infinity" || text == "inf" ? std::numeric_limits<double>::infinity() : node.real();
}

ComponentFigures read_one(const yaml::Node& node) {
    ComponentFigures made;
    node.expect_keys({"area", "leak_power", "actions"});
    if (const yaml::Node* leak = node.find("leak_power")) made.leak_w = figure_at(*leak);
    if (const yaml::Node* area = node.find("area")) made.area_m2 = figure_at(*area);
    if (const yaml::Node* actions = node.find("actions"))
        for (const yaml::Node::Entry& action : actions->entries()) {
            action.value.expect_keys({"energy", "throughput"});
            const double rate = figure_at(action.value.at("throughput"));
            if (!(rate > 0.0))
                action.value.at("throughput").fail(ErrorCode::bad_value, "a throughput has to be above 0");
            made.actions[action.key] = {figure_at(action.value.at("energy")), rate};
        }
    return made;
}

}  // namespace

MachineSpec read_machine(const yaml::Node& root, const EinsumSpec& einsum, const Figures& figures, Notes* notes) {
    return MachineReader(root, einsum, figures, notes).read();
}

std::map<std::string, Figures> read_figures(const std::string& text, const std::string& file) {
    std::map<std::string, Figures> all;
    const yaml::Node root = yaml::parse_text(text, file);
    for (const yaml::Node::Entry& machine : root.entries())
        for (const yaml::Node::Entry& component : machine.value.entries())
            all[machine.key][component.key] = read_one(component.value);
    return all;
}

}  // namespace tilewright::accelforge
