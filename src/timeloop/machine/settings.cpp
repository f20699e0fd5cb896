#include "timeloop/machine/settings.hpp"

#include <algorithm>
#include <optional>

#include "timeloop/components/component_classes.hpp"
#include "timeloop/machine/machine.hpp"

namespace tilewright::timeloop {
namespace {

using Words = std::vector<std::string>;
using yaml::Node;

// Spellings of one attribute.
const std::vector<Words>& spellings() {
    static const std::vector<Words> kGroups{
        {"word_bits", "word_width", "datawidth"},        {"block_size", "n_words"},
        {"width", "memory_width", "data_storage_width"}, {"depth", "memory_depth", "data_storage_depth"},
        {"n_banks", "num_banks", "nbanks", "banks"},     {"n_ports", "num_ports", "nports", "ports"}};
    return kGroups;
}

// Spellings of a capacity.
const Words& capacities() {
    static const Words kNames{"depth", "memory_depth", "data_storage_depth", "entries", "sizeKB", "size"};
    return kNames;
}

// Inputs of an energy or area estimate.
bool is_geometry(const std::string& attribute) {
    static const Words kOthers{"technology", "type", "multiplier_width", "adder_width", "cluster_size"};
    if (is_in(capacities(), attribute) || is_in(kOthers, attribute)) return true;
    return std::any_of(spellings().begin(), spellings().end(),
                       [&](const Words& group) { return is_in(group, attribute); });
}

const Words& other_spellings(const std::string& attribute) {
    static const Words kNone;
    for (const Words& group : spellings())
        if (is_in(group, attribute)) return group;
    return kNone;
}

// Attributes superseded by a setting.
const Words& replaced_by(const std::string& attribute) {
    return is_in(capacities(), attribute) ? capacities() : other_spellings(attribute);
}

// A scalar whose place is the setting's.
Node node_of(const Setting& setting) {
    const yaml::Source source{setting.value, setting.where.file, {{setting.where.file, setting.where.line}}, {}};
    const Node node = yaml::parse(source);
    if (node.is_scalar()) return node;
    throw InputError(
        ErrorCode::bad_value, setting.where,
        "expected a number, a word or an expression for '" + setting.name + "', found '" + setting.value + "'");
}

bool holds(const Node& map, const std::string& key) { return map.is_map() && map.has(key); }

// The entry of `key` replaced in place, else added; entries in other spellings go.
Node with_entry(const Node& map, const std::string& key, const Node& value, const Words& others = {}) {
    std::vector<Node::Entry> entries;
    bool done = false;
    for (const Node::Entry& entry : map.entries()) {
        if (entry.key != key && !is_in(others, entry.key)) {
            entries.push_back(entry);
            continue;
        }
        if (!done) entries.push_back({key, value, value});
        done = true;
    }
    if (!done) entries.push_back({key, value, value});
    return Node::map(std::move(entries), map).with_tag(map.tag());
}

Node with_items(const Node& map, const std::string& key, std::vector<Node> items) {
    return with_entry(map, key, Node::sequence(std::move(items), map.at(key)));
}

// "PE[0..15]" -> "PE"
std::string plain_name(const Node& node) {
    const Node* name = node.is_map() ? node.find("name") : nullptr;
    if (name == nullptr || !name->is_scalar()) return "";
    return name->text().substr(0, name->text().find('['));
}

// Dumped keys that identify the component: a change would have no effect.
void refuse_identity(const Setting& setting, const std::string& attribute) {
    if (!is_in({"name", "class", "subclass", "version"}, attribute)) return;
    throw InputError(ErrorCode::unsupported, setting.where,
                     "'" + attribute + "' says which component it is and cannot be set; attributes can, such as depth");
}

/// Finds and changes a setting's component in a machine of any form.
class Editor {
   public:
    Editor(const Setting& setting, std::string component, std::string attribute)
        : setting_(setting),
          component_(std::move(component)),
          attribute_(std::move(attribute)),
          value_(node_of(setting)) {}

    Node architecture(const Node& node);
    bool found() const { return found_; }
    const Words& names() const { return names_; }

   private:
    Node hierarchy(const Node& node, int depth);
    Node tree(const Node& node, int depth);
    Node flat(const Node& node);
    Node sequence(const Node& map, const std::string& key, Node (Editor::*edit)(const Node&, int), int depth);
    Node tree_component(const Node& node, int depth);
    Node storage(const Node& node, int depth);
    Node changed(const Node& node, bool beside);
    Node ranged(const Node& node) const;
    bool is_meant(const Node& node, const std::string& unnamed = "");

    const Setting& setting_;
    std::string component_;
    std::string attribute_;
    Node value_;
    bool found_ = false;
    Words names_;
};

bool Editor::is_meant(const Node& node, const std::string& unnamed) {
    std::string name = plain_name(node);
    if (name.empty()) name = unnamed;
    if (!name.empty()) names_.push_back(name);
    if (found_ || name != component_) return false;
    found_ = true;
    return true;
}

Node Editor::architecture(const Node& node) {
    if (holds(node, "nodes")) return hierarchy(node, 0);
    if (holds(node, "subtree")) return tree(node, 0);
    return flat(node);
}

Node Editor::sequence(const Node& map, const std::string& key, Node (Editor::*edit)(const Node&, int), int depth) {
    if (!holds(map, key) || !map.at(key).is_sequence()) return map;
    std::vector<Node> items;
    for (const Node& item : map.at(key).items()) items.push_back((this->*edit)(item, depth));
    return with_items(map, key, std::move(items));
}

constexpr int kMaxSettingDepth = 100;  // the readers refuse deeper trees

Node Editor::hierarchy(const Node& node, int depth) {
    if (!node.is_map() || depth > kMaxSettingDepth) return node;
    const bool mesh = attribute_ == "meshX" || attribute_ == "meshY";
    if (is_meant(node)) {
        if (!mesh) return changed(node, false);
        const Node* spatial = node.find("spatial");
        return with_entry(node, "spatial",
                          with_entry(spatial == nullptr ? Node::map({}, value_) : *spatial, attribute_, value_));
    }
    return sequence(node, "nodes", &Editor::hierarchy, depth + 1);
}

// A range gives the count: PE[0..15].
Node Editor::ranged(const Node& node) const {
    const std::int64_t count = value_.positive();
    const std::string name = component_ + (count == 1 ? "" : "[0.." + std::to_string(count - 1) + "]");
    return with_entry(node, "name", Node::scalar(name, value_));
}

Node Editor::tree_component(const Node& node, int) {
    if (!is_meant(node)) return node;
    return attribute_ == "instances" ? ranged(node) : changed(node, false);
}

Node Editor::tree(const Node& node, int depth) {
    if (!node.is_map() || depth > kMaxSettingDepth) return node;
    Node level = sequence(node, "local", &Editor::tree_component, depth);
    level = sequence(level, "subtree", &Editor::tree, depth + 1);
    if (depth == 0 || !is_meant(level)) return level;
    return attribute_ == "instances" ? ranged(level) : changed(level, false);
}

Node Editor::storage(const Node& node, int) { return is_meant(node) ? changed(node, true) : node; }

Node Editor::flat(const Node& node) {
    Node machine = sequence(node, "storage", &Editor::storage, 0);
    if (!holds(machine, "arithmetic")) return machine;
    const Node& arithmetic = machine.at("arithmetic");
    if (is_meant(arithmetic, "arithmetic")) machine = with_entry(machine, "arithmetic", changed(arithmetic, true));
    return machine;
}

// `beside`: the form has attributes beside the name, unless there is a map of them.
Node Editor::changed(const Node& node, bool beside) {
    if (attribute_ == "energy_scale" || attribute_ == "area_scale") return with_entry(node, attribute_, value_);
    refuse_identity(setting_, attribute_);
    const Words& known = node.tag() == "!CellArray" ? array_attributes() : known_attributes();
    if (!is_in(known, attribute_))
        throw InputError(
            ErrorCode::unknown_key, setting_.where,
            "unknown attribute '" + attribute_ + "' of '" + component_ + "'" + did_you_mean(attribute_, known));
    const Words& others = replaced_by(attribute_);
    if (beside && !node.has("attributes")) return with_entry(node, attribute_, value_, others);
    const Node* attributes = node.find("attributes");
    const bool none = attributes == nullptr || attributes->is_null();
    return with_entry(node, "attributes",
                      with_entry(none ? Node::map({}, value_) : *attributes, attribute_, value_, others));
}

// Every map of attributes with this key.
Node everywhere(const Node& node, const Setting& setting, const Node& value, int depth, bool& found) {
    if (depth > 2 * kMaxSettingDepth) return node;
    if (node.is_sequence()) {
        std::vector<Node> items;
        for (const Node& item : node.items()) items.push_back(everywhere(item, setting, value, depth + 1, found));
        return Node::sequence(std::move(items), node).with_tag(node.tag());
    }
    if (!node.is_map()) return node;
    const Words& others = other_spellings(setting.name);
    std::vector<Node::Entry> entries;
    for (const Node::Entry& entry : node.entries()) {
        const bool meant = entry.key == setting.name || is_in(others, entry.key);
        found = found || meant;
        entries.push_back(
            {entry.key, entry.key_node, meant ? value : everywhere(entry.value, setting, value, depth + 1, found)});
    }
    return Node::map(std::move(entries), node).with_tag(node.tag());
}

Node with_section(const Node& root, const std::string& key, const Node& value) { return with_entry(root, key, value); }

Node with_variable(const Node& root, const Setting& setting, const std::string& name) {
    const Node* variables = root.find("variables");
    const bool none = variables == nullptr || !variables->is_map();
    Words names;
    if (!none)
        for (const Node::Entry& entry : variables->entries()) names.push_back(entry.key);
    if (!is_in(names, name) && name != "technology" && name != "global_cycle_seconds")
        throw InputError(ErrorCode::unknown_name, setting.where,
                         "the machine has no variable '" + name + "'" + did_you_mean(name, names));
    const Node value = node_of(setting);
    return with_section(root, "variables", with_entry(none ? Node::map({}, value) : *variables, name, value));
}

// `frequency=200MHz` is the machine's clock, from whichever part or variable.
std::optional<Setting> as_global_clock(const Setting& setting) {
    if (!is_in({"frequency", "clock_frequency", "cycle_time", "cycle_seconds"}, setting.name)) return std::nullopt;
    const bool plain = node_of(setting).try_real().has_value();
    if (plain && setting.name != "cycle_seconds")
        throw InputError(ErrorCode::bad_value, setting.where,
                         "'" + setting.name + "' needs a number and its unit, such as " +
                             (setting.name == "cycle_time" ? "1ns" : "1GHz") + ", found '" + setting.value + "'");
    return Setting{"global_cycle_seconds", setting.value, setting.where};
}

Node with_everywhere(const Node& root, const std::string& section, const Setting& setting) {
    refuse_identity(setting, setting.name);
    if (const std::optional<Setting> clock = as_global_clock(setting)) return with_everywhere(root, section, *clock);
    bool found = false;
    const Node machine = everywhere(root.at(section), setting, node_of(setting), 0, found);
    if (found) return with_section(root, section, machine);
    if (setting.name == "technology" || setting.name == "global_cycle_seconds")
        return with_variable(root, setting, setting.name);
    if (!is_in(known_attributes(), setting.name))
        throw InputError(ErrorCode::unknown_key, setting.where,
                         "unknown attribute '" + setting.name + "'" + did_you_mean(setting.name, known_attributes()));
    throw InputError(ErrorCode::unknown_key, setting.where,
                     "no part of the machine gives '" + setting.name + "'; say which: COMPONENT." + setting.name);
}

// "systolic_array.latency_cycles", "caches.L2.bytes": an entry of a section with its own reader.
Node with_entry_at(const Node& section, const std::string& path, const Setting& setting) {
    const std::size_t dot = path.find('.');
    const std::string key = path.substr(0, dot);
    if (section.is_map() && dot == std::string::npos) return with_entry(section, key, node_of(setting));
    Words names;
    std::vector<Node> items;
    bool found = false;
    const auto inside = [&](const std::string& name, const Node& node) {
        names.push_back(name);
        if (name != key || dot == std::string::npos) return node;
        found = true;
        return with_entry_at(node, path.substr(dot + 1), setting);
    };
    Node changed = section;
    if (section.is_map())
        for (const Node::Entry& entry : section.entries())
            changed = with_entry(changed, entry.key, inside(entry.key, entry.value));
    if (section.is_sequence()) {
        for (const Node& item : section.items()) items.push_back(inside(plain_name(item), item));
        changed = Node::sequence(std::move(items), section);
    }
    if (found) return changed;
    throw InputError(ErrorCode::unknown_name, setting.where,
                     "there is no '" + key + "' to set '" + setting.name + "'" + did_you_mean(key, names));
}

Node with_setting(const Node& root, const Setting& setting) {
    constexpr std::string_view kSilicon = "silicon.";
    if (setting.name.starts_with(kSilicon) && root.has("silicon"))
        return with_section(root, "silicon",
                            with_entry_at(root.at("silicon"), setting.name.substr(kSilicon.size()), setting));
    const std::string section = root.has("architecture") ? "architecture" : "arch";
    const std::size_t dot = setting.name.rfind('.');
    if (dot == std::string::npos) return with_everywhere(root, section, setting);
    const std::string component = setting.name.substr(0, dot);
    const std::string attribute = setting.name.substr(dot + 1);
    if (component == "variables") return with_variable(root, setting, attribute);
    Editor editor(setting, component, attribute);
    const Node machine = editor.architecture(root.at(section));
    if (!editor.found())
        throw InputError(ErrorCode::unknown_name, setting.where,
                         "the machine has no component '" + component + "'" +
                             (nearest(component, editor.names()).empty() ? "; there are " + list_words(editor.names())
                                                                         : did_you_mean(component, editor.names())));
    return with_section(root, section, machine);
}

bool touches(const Setting& setting, const std::string& component) {
    const std::size_t dot = setting.name.rfind('.');
    if (dot == std::string::npos) return is_geometry(setting.name);
    const std::string owner = setting.name.substr(0, dot);
    return owner == component && is_geometry(setting.name.substr(dot + 1));
}

}  // namespace

yaml::Node with_settings(const yaml::Node& root, const std::vector<Setting>& settings) {
    Node changed = root;
    for (const Setting& setting : settings) changed = with_setting(changed, setting);
    return changed;
}

std::set<std::string> resized(const Architecture& architecture, const std::vector<Setting>& settings) {
    std::set<std::string> names;
    for (const Setting& setting : settings) {
        for (const Memory& memory : architecture.memories)
            if (touches(setting, memory.name)) names.insert(memory.name);
        if (touches(setting, architecture.compute.name)) names.insert(architecture.compute.name);
    }
    return names;
}

void forget_given(Architecture& architecture, const std::set<std::string>& components) {
    for (Memory& memory : architecture.memories) {
        if (!components.contains(memory.name)) continue;
        memory.energy = {};
        memory.area_um2 = {};
    }
    if (!components.contains(architecture.compute.name)) return;
    architecture.compute.energy_pj = {};
    architecture.compute.leak_pj_per_cycle = {};
    architecture.compute.area_um2 = {};
}

}  // namespace tilewright::timeloop
