#include "accelforge/files/machine.hpp"

#include <algorithm>
#include <memory>

#include "accelforge/expression/evaluate.hpp"
#include "accelforge/files/component.hpp"

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
          names_{{}, &einsum.names},
          kept_{{}, &names_} {}

    MachineSpec read() {
        const yaml::Node& section = root_.at("arch");
        section.expect_keys({"nodes", "variables", "extra_attributes_for_all_component_models"});
        read_variables(root_.find("variables"));
        read_variables(section.find("variables"));
        attributes_ = section.find("extra_attributes_for_all_component_models");
        if (const Value* nothing = einsum_.names.find("Nothing")) kept_.own["Above"] = *nothing;
        machine_.tree = read_nodes(section.at("nodes"), 0);
        return std::move(machine_);
    }

   private:
    void read_variables(const yaml::Node* section) {
        if (section == nullptr) return;
        for (const yaml::Node::Entry& entry : section->entries()) names_.own[entry.key] = evaluate(entry.value, names_);
    }

    std::vector<MachineNode> read_nodes(const yaml::Node& list, int depth);
    MachineNode read_node(const yaml::Node& node, int depth);
    void add_component(const yaml::Node& node);
    void name_component(const Component& component);

    const yaml::Node& root_;
    const EinsumSpec& einsum_;
    const Figures& figures_;
    Notes* notes_;
    Names names_;  // variables, and components with their parts
    Names kept_;   // memories as their possible tensors
    const yaml::Node* attributes_ = nullptr;
    MachineSpec machine_;
};

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
    name_component(machine_.components.back());
}

void MachineReader::name_component(const Component& component) {
    std::map<std::string, Value, std::less<>> record;
    record["name"] = Value{component.name};
    record["size"] = Value{component.size_bits};
    record["area"] = Value{component.area_m2};
    record["leak_power"] = Value{component.leak_w};
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
