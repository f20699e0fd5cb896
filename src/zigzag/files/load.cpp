#include "zigzag/files/load.hpp"

#include <algorithm>
#include <array>
#include <string>
#include <vector>

#include "base/notes.hpp"
#include "yaml/node.hpp"
#include "zigzag/files/mapping.hpp"
#include "zigzag/files/stream.hpp"

namespace tilewright::zigzag {

using yaml::Node;
namespace {

// Older and related spellings of ZigZag's files converted to the current ones: hardware from before 2025 (`r_bw`,
// `w_bw`, `r_port`, ports as lists, `multiplier_energy`), Stream cores (`type`), Stream's mapping keys.

/// `root` in the readers' spelling; data without effect on one core are left out with a note. A foreign file stays
/// unchanged. Throws InputError for an unknown port.
///
/// A memory with `r_port`, `w_port` and `rw_port` gets ports of those names (`r_port_1`, ..) with bandwidth `r_bw` and
/// `w_bw` (the smaller for both directions) and granularity `min_r_granularity`, `min_w_granularity`; the i-th entry of
/// its port list is for the i-th operand.
yaml::Node upgraded(const yaml::Node& root, Notes& notes);

constexpr const char* kUnused = "keys that nothing here uses";

Node text(std::string value, const Node& place) { return Node::scalar(std::move(value), place); }
Node::Entry entry(const std::string& key, Node value, const Node& place) { return {key, place, std::move(value)}; }

bool is_in(const std::vector<std::string>& words, const std::string& word) {
    return std::find(words.begin(), words.end(), word) != words.end();
}

void note(const Node::Entry& entry, Notes& notes) {
    const Location where = entry.key_node.where();
    notes.add(kUnused, "'" + entry.key + "'", where.file + ":" + std::to_string(where.line));
}

Node without(const Node& item, const std::vector<std::string>& keys, Notes& notes) {
    if (!item.is_map()) return item;
    std::vector<Node::Entry> entries;
    for (const Node::Entry& one : item.entries()) {
        if (is_in(keys, one.key))
            note(one, notes);
        else
            entries.push_back(one);
    }
    return Node::map(std::move(entries), item);
}

// --- memories with numbers of ports ---

/// Ports of one memory from before 2025.
class Ports {
   public:
    Ports(const Node& memory, Notes& notes) : memory_(memory), notes_(notes) {
        add("r_port", "read", "r_bw", "min_r_granularity");
        add("w_port", "write", "w_bw", "min_w_granularity");
        add("rw_port", "read_write", shared(), shared_least());
        assign();
    }

    Node list() const {
        std::vector<Node> ports;
        for (const Port& port : ports_) {
            if (port.uses.empty()) continue;  // it is not used
            const Node& at = port.uses.front();
            ports.push_back(Node::map({entry("name", text(port.name, at), at), entry("type", text(port.type, at), at),
                                       entry("bandwidth_min", port.least, at), entry("bandwidth_max", port.most, at),
                                       entry("allocation", Node::sequence(port.uses, at), at)},
                                      at));
        }
        return Node::sequence(std::move(ports), memory_.at("ports"));
    }

   private:
    struct Port {
        std::string name;
        std::string type;
        Node most;
        Node least;
        std::vector<Node> uses;
    };

    void add(const std::string& count, const char* type, const char* most, const char* least) {
        constexpr std::int64_t kMostPorts = 64;
        const Node* given = memory_.find(count);
        const std::int64_t ports = given == nullptr ? 0 : given->integer();
        if (ports < 0 || ports > kMostPorts)
            given->fail(ErrorCode::bad_value, "expected 0 to " + std::to_string(kMostPorts) + " ports");
        if (ports == 0) return;
        const Node& bandwidth = memory_.at(most);
        const Node* granularity = memory_.find(least);
        for (std::int64_t i = 1; i <= ports; ++i)
            ports_.push_back({count + "_" + std::to_string(i),
                              type,
                              bandwidth,
                              granularity == nullptr ? bandwidth : *granularity,
                              {}});
    }

    // A bidirectional port now has one bandwidth.
    const char* shared() {
        if (!memory_.has("r_bw") || !memory_.has("w_bw")) return "r_bw";
        const std::int64_t read = memory_.at("r_bw").integer();
        const std::int64_t write = memory_.at("w_bw").integer();
        if (read != write && memory_.has("rw_port") && memory_.at("rw_port").integer() > 0) {
            const Location where = memory_.at("r_bw").where();
            notes_.add("a port for both directions has the smaller of r_bw and w_bw", "memory",
                       where.file + ":" + std::to_string(where.line));
        }
        return write < read ? "w_bw" : "r_bw";
    }
    const char* shared_least() { return shared()[0] == 'r' ? "min_r_granularity" : "min_w_granularity"; }

    void assign() {
        const std::vector<Node>& operands = memory_.at("operands").items();
        const std::vector<Node>& lists = memory_.at("ports").items();
        if (operands.size() != lists.size())
            memory_.at("ports").fail(ErrorCode::bad_value, "expected the ports of each of the " +
                                                               std::to_string(operands.size()) + " operands, found " +
                                                               std::to_string(lists.size()));
        for (std::size_t i = 0; i < lists.size(); ++i)
            for (const Node::Entry& use : lists[i].entries())
                port_named(use.value).uses.push_back(text(operands[i].text() + ", " + use.key, use.key_node));
    }

    Port& port_named(const Node& name) {
        std::vector<std::string> names;
        for (Port& port : ports_) {
            if (port.name == name.text()) return port;
            names.push_back(port.name);
        }
        name.fail(ErrorCode::unknown_name, "the memory has no port '" + name.text() + "'" +
                                               (names.empty() ? "" : "; it has " + list_words(names)));
    }

    const Node& memory_;
    Notes& notes_;
    std::vector<Port> ports_;
};

bool has_named_ports(const Node& memory) {
    const Node* ports = memory.find("ports");
    return ports != nullptr && ports->is_sequence() && !ports->items().empty() && ports->items().front().is_map() &&
           ports->items().front().has("name");
}

bool is_old_memory(const Node& memory) {
    return memory.is_map() && (memory.has("r_bw") || memory.has("w_bw") || memory.has("r_port") ||
                               memory.has("w_port") || memory.has("rw_port"));
}

/// Drops empty statements: `area: null`.
Node without_nulls(const Node& node) {
    if (!node.is_map()) return node;
    std::vector<Node::Entry> entries;
    for (const Node::Entry& one : node.entries())
        if (!one.value.is_null() || one.key == "served_dimensions") entries.push_back(one);
    return Node::map(std::move(entries), node);
}

Node upgraded_memory(const Node& given, Notes& notes) {
    Node memory = without_nulls(given);
    if (!is_old_memory(memory)) return memory;
    if (has_named_ports(memory))  // each has a bandwidth of its own
        return without(memory, {"r_bw", "w_bw", "r_port", "w_port", "rw_port"}, notes);
    static const std::vector<std::string> kReplaced{
        "r_bw", "w_bw", "r_port", "w_port", "rw_port", "min_r_granularity", "min_w_granularity"};
    const Node ports = Ports(memory, notes).list();
    std::vector<Node::Entry> entries;
    for (const Node::Entry& one : memory.entries())
        if (!is_in(kReplaced, one.key))
            entries.push_back(one.key == "ports" ? entry("ports", ports, one.key_node) : one);
    return Node::map(std::move(entries), memory);
}

Node upgraded_memories(const Node& memories, Notes& notes) {
    if (!memories.is_map()) return memories;
    std::vector<Node::Entry> entries = memories.entries();
    for (Node::Entry& one : entries) one.value = upgraded_memory(one.value, notes);
    return Node::map(std::move(entries), memories);
}

Node upgraded_array(const Node& given) {
    Node array = without_nulls(given);
    if (!array.is_map() || (array.has("is_imc") && array.at("is_imc").text() != "False")) return array;
    static constexpr std::array<std::array<const char*, 2>, 2> kRenamed{
        {{"multiplier_energy", "unit_energy"}, {"multiplier_area", "unit_area"}}};
    std::vector<Node::Entry> entries = array.entries();
    for (Node::Entry& one : entries)
        for (const auto& [old_name, name] : kRenamed)
            if (one.key == old_name && !array.has(name)) one.key = name;
    return Node::map(std::move(entries), array);
}

Node upgraded_accelerator(const Node& root, Notes& notes) {
    std::vector<Node::Entry> entries;
    for (const Node::Entry& one : root.entries()) {
        if (one.key == "memories")
            entries.push_back(entry(one.key, upgraded_memories(one.value, notes), one.key_node));
        else if (one.key == "operational_array" || one.key == "multipliers")
            entries.push_back(entry("operational_array", upgraded_array(one.value), one.key_node));
        else if (is_in({"type", "core_coordinates", "utilization", "operator_types", "max_object_fifo_depth"},
                       one.key))  // Stream's: a core among others
            note(one, notes);
        else
            entries.push_back(one);
    }
    return Node::map(std::move(entries), root);
}

// --- mappings and workloads ---

Node upgraded_items(const Node& root, const std::vector<std::string>& unused, Notes& notes) {
    std::vector<Node> items;
    for (const Node& item : root.items()) items.push_back(without(item, unused, notes));
    return Node::sequence(std::move(items), root);
}

Node upgraded(const Node& root, Notes& notes) {
    if (is_mapping_to_cores(root)) return mapping_of_one_core(root, notes);
    if (is_accelerator(root)) return upgraded_accelerator(root, notes);
    if (is_mapping(root))
        return upgraded_items(root,
                              {"core_allocation", "core_allocation_is_fixed", "intra_core_tiling", "inter_core_tiling",
                               "layer", "operand_precision"},
                              notes);
    if (is_workload(root)) return upgraded_items(root, {"core_allocation", "memory_operand_links", "source"}, notes);
    return root;
}

void note_overridden(const yaml::Node& node, std::vector<std::string>& notes) {
    for (const yaml::Node& key : node.overridden()) {
        const Location where = key.where();
        notes.push_back(where.file + ":" + std::to_string(where.line) + ":" + std::to_string(where.column) + ": '" +
                        key.text() + "' is given again below; as in ZigZag, the last one counts");
    }
    if (node.is_map())
        for (const yaml::Node::Entry& entry : node.entries()) note_overridden(entry.value, notes);
    if (node.is_sequence())
        for (const yaml::Node& item : node.items()) note_overridden(item, notes);
}

Document with_notes(const yaml::Node& root) {
    Document document;
    document.of_several_cores = is_mapping_to_cores(root) || (is_accelerator(root) && root.has("type"));
    note_overridden(root, document.notes);
    Notes notes;
    document.root = upgraded(root, notes);
    for (std::string& note : notes.texts()) document.notes.push_back(std::move(note));
    return document;
}

}  // namespace

Document load(const std::filesystem::path& path, std::uintmax_t most_bytes) {
    return with_notes(yaml::parse_file(path, yaml::Duplicates::last_wins, most_bytes));
}

Document load_core(const std::filesystem::path& path, const std::string& choice, const std::string& machine,
                   std::uintmax_t most_bytes) {
    Document document = load(path, most_bytes);
    refuse_other_kinds_of_core(document.root);
    if (!is_accelerator(document.root))
        document.root.fail(ErrorCode::wrong_type, "this is no core of ZigZag's: it has no operational_array");
    document.notes.push_back("core " + choice + " of " + machine + " alone (" + path.string() + ")");
    return document;
}

Document load_text(std::string_view text, std::string file) {
    return with_notes(yaml::parse_text(text, std::move(file), yaml::Duplicates::last_wins));
}

}  // namespace tilewright::zigzag
