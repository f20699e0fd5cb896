#include "timeloop/machine/read_over.hpp"

#include <algorithm>

#include "base/error.hpp"
#include "timeloop/components/component_classes.hpp"
#include "timeloop/files/search_options.hpp"
#include "timeloop/machine/machine.hpp"
#include "timeloop/machine/tables.hpp"

namespace tilewright::timeloop {
namespace {

using yaml::Node;

constexpr const char* kAttributes = "attributes that nothing here uses";
constexpr const char* kDescriptions = "keys that nothing here uses";
constexpr const char* kSparse = "read as dense, without";

std::string place_of(const Node& node) {
    const Location where = node.where();
    return where.file.empty() ? "" : where.file + ":" + std::to_string(where.line);
}

bool is_off(const Node& value) {
    if (value.is_null()) return true;
    if (!value.is_scalar()) return false;
    const std::string& text = value.text();
    return text == "0" || text == "false" || text == "False";
}

// An inactive section holds only its name.
bool is_sparse_section(const Node::Entry& entry) {
    if (entry.key != "sparse_optimizations" || entry.value.is_null()) return false;
    if (entry.value.is_map()) return !entry.value.entries().empty();
    return !entry.value.is_sequence() || !entry.value.items().empty();
}

class FilesReader {
   public:
    FilesReader(const Node& root, const ReadingOver& how, Notes& notes)
        : how_(how), notes_(notes), is_dump_(root.has("dumped_by_timeloop_front_end")) {
        const Node* architecture = find_architecture(root);
        if (architecture == nullptr) return;
        used_ = names_in_use(root, *architecture);
        find_multicasts(*architecture, 0);
    }

    Node architecture(const Node& node, int depth) const;
    Node flat_architecture(const Node& node) const;
    Node problem(const Node& node) const;
    Node mapper(const Node& node) const;
    void note_unused_actions(const Node& tables) const;
    bool drops_sparse(const Node::Entry& entry) const;
    bool dropped() const { return dropped_; }

   private:
    Node attributes(const Node& node, bool of_memory) const;
    Node component(const Node& node, bool of_memory) const;
    Node instance(const Node& node) const;
    Node shape(const Node& node) const;
    bool drops_attribute(const Node::Entry& entry, bool of_memory) const;
    bool drops_key(const Node::Entry& entry, const std::vector<std::string>& known, const char* note) const;
    template <typename Drops, typename Change>
    Node filtered(const Node& node, const Drops& drops, const Change& change) const;
    void find_multicasts(const Node& node, int depth);
    void note_unused_actions_of(const Node& actions) const;

    const ReadingOver& how_;
    Notes& notes_;
    bool is_dump_;
    mutable bool dropped_ = false;         // an attribute or a key
    std::vector<std::string> used_;        // names referenced by expressions
    std::vector<std::string> multicasts_;  // networks with tables by receivers and tensors, read by networks.cpp
};

template <typename Drops, typename Change>
Node FilesReader::filtered(const Node& node, const Drops& drops, const Change& change) const {
    std::vector<Node::Entry> entries;
    for (const Node::Entry& entry : node.entries())
        if (!drops(entry)) entries.push_back({entry.key, entry.key_node, change(entry)});
    return Node::map(std::move(entries), node).with_tag(node.tag());
}

const auto kUnchanged = [](const Node::Entry& entry) { return entry.value; };

bool FilesReader::drops_key(const Node::Entry& entry, const std::vector<std::string>& known, const char* note) const {
    if (how_.strict || is_in(known, entry.key) || may_be_slip(entry.key, known)) return false;
    notes_.add(note, "'" + entry.key + "'", place_of(entry.key_node));
    dropped_ = true;
    return true;
}

bool FilesReader::drops_sparse(const Node::Entry& entry) const {
    if (!how_.dense) return false;
    if (how_.quiet) return true;
    notes_.add(kSparse, "'" + entry.key + "'", place_of(entry.key_node));
    return true;
}

// energy and area belong to compute units: at a memory Timeloop reads vector_access_energy and cluster_area.
bool is_of_compute_alone(const std::string& key) { return key == "energy" || key == "area"; }

bool FilesReader::drops_attribute(const Node::Entry& entry, bool of_memory) const {
    if (is_sparse_attribute(entry)) return drops_sparse(entry);
    if (is_in(used_, entry.key)) return false;
    if (of_memory && is_of_compute_alone(entry.key) && !is_off(entry.value)) return drops_key(entry, {}, kAttributes);
    return drops_key(entry, known_attributes(), kAttributes);
}

Node FilesReader::attributes(const Node& node, bool of_memory) const {
    if (!node.is_map()) return node;
    return filtered(node, [&](const Node::Entry& entry) { return drops_attribute(entry, of_memory); }, kUnchanged);
}

bool is_memory(const Node& node) {
    const Node* given = node.find("class");
    return given != nullptr && given->is_scalar() && role_of(given->text()) == Role::memory;
}

// Estimator-only classes may have any attribute; so may the containers of a dump. An array's reader knows its own.
bool takes_all_attributes(const Node& node, bool is_dump) {
    if (node.tag() == "!CellArray") return true;
    const Node* given = node.find("class");
    if (given == nullptr || !given->is_scalar()) return is_dump && !node.has("subclass");
    return role_of(given->text()) == Role::passive;
}

Node FilesReader::architecture(const Node& node, int depth) const {
    constexpr int kMaxDepth = 200;
    if (depth > kMaxDepth) return node;
    if (node.is_sequence()) {
        std::vector<Node> items;
        for (const Node& item : node.items()) items.push_back(architecture(item, depth + 1));
        return Node::sequence(std::move(items), node).with_tag(node.tag());
    }
    if (!node.is_map()) return node;
    const bool all = takes_all_attributes(node, is_dump_);
    return filtered(
        node,
        [&](const Node::Entry& entry) {
            if (entry.key == "max_utilization") return drops_key(entry, {}, kDescriptions);  // for CiMLoop's scripts
            return is_sparse_section(entry) && drops_sparse(entry);
        },
        [&](const Node::Entry& entry) {
            if (entry.key == "attributes") return all ? entry.value : attributes(entry.value, is_memory(node));
            const bool nests = entry.key == "nodes" || entry.key == "subtree" || entry.key == "local";
            return nests ? architecture(entry.value, depth + 1) : entry.value;
        });
}

// The attributes of the flat form stand beside the name.
Node FilesReader::component(const Node& node, bool of_memory) const {
    if (!node.is_map()) return node;
    return filtered(
        node,
        [&](const Node::Entry& entry) {
            if (entry.key == "attributes") return false;
            if (entry.key == "sparse_optimizations") return is_sparse_section(entry) && drops_sparse(entry);
            return drops_attribute(entry, of_memory);
        },
        [&](const Node::Entry& entry) {
            return entry.key == "attributes" ? attributes(entry.value, of_memory) : entry.value;
        });
}

Node FilesReader::flat_architecture(const Node& node) const {
    return filtered(
        node, [](const Node::Entry&) { return false; },
        [&](const Node::Entry& entry) {
            if (entry.key == "arithmetic") return component(entry.value, false);
            if (entry.key != "storage" || !entry.value.is_sequence()) return entry.value;
            std::vector<Node> items;
            for (const Node& item : entry.value.items()) items.push_back(component(item, true));
            return Node::sequence(std::move(items), entry.value);
        });
}

bool is_density(const Node::Entry& entry) {
    if (entry.key != "densities" && entry.key != "commonDensity") return false;
    return !entry.value.is_null() && !(entry.value.is_map() && entry.value.entries().empty());
}

Node FilesReader::instance(const Node& node) const {
    if (!node.is_map()) return node;
    return filtered(
        node, [&](const Node::Entry& entry) { return is_density(entry) && drops_sparse(entry); }, kUnchanged);
}

// Beside an instance, an unknown key is a description. With the extents beside the shape only a non-number is one: a
// misspelt extent or stride must not be lost.
Node FilesReader::problem(const Node& node) const {
    if (!node.is_map() || node.has("ops")) return node;  // TileFlow's: its reader knows the keys
    static const std::vector<std::string> kKnown{"version", "name",    "shape",     "instance",
                                                 "einsum",  "extents", "histograms"};
    const bool has_instance = node.has("instance") || node.has("einsum");
    return filtered(
        node,
        [&](const Node::Entry& entry) {
            if (is_density(entry)) return drops_sparse(entry);
            const bool describes = has_instance || (!entry.value.try_real() && !entry.value.is_null());
            return describes && drops_key(entry, kKnown, kDescriptions);
        },
        [&](const Node::Entry& entry) {
            if (entry.key == "shape") return shape(entry.value);
            return entry.key == "instance" ? instance(entry.value) : entry.value;
        });
}

// A data space may give its own density.
Node FilesReader::shape(const Node& node) const {
    const Node* spaces = node.is_map() ? node.find("data_spaces") : nullptr;
    if (spaces == nullptr || !spaces->is_sequence()) return node;
    const auto is_own_density = [&](const Node::Entry& entry) { return entry.key == "density" && drops_sparse(entry); };
    std::vector<Node> items;
    for (const Node& item : spaces->items())
        items.push_back(item.is_map() ? filtered(item, is_own_density, kUnchanged) : item);
    return filtered(
        node, [](const Node::Entry&) { return false; },
        [&](const Node::Entry& entry) {
            return entry.key == "data_spaces" ? Node::sequence(items, *spaces).with_tag(spaces->tag()) : entry.value;
        });
}

Node FilesReader::mapper(const Node& node) const {
    if (!node.is_map()) return node;
    return filtered(
        node, [&](const Node::Entry& entry) { return drops_key(entry, known_search_keys(), kDescriptions); },
        kUnchanged);
}

void FilesReader::find_multicasts(const Node& node, int depth) {
    constexpr int kMaxDepth = 200;
    if (depth > kMaxDepth) return;
    if (node.is_sequence())
        for (const Node& item : node.items()) find_multicasts(item, depth + 1);
    if (!node.is_map()) return;
    const Node* given = node.find("class");
    const Node* name = node.find("name");
    if (given != nullptr && name != nullptr && given->is_scalar() && name->is_scalar() &&
        given->text().find("SimpleMulticast") != std::string::npos)
        multicasts_.push_back(component_name(name->text()));
    for (const Node::Entry& entry : node.entries()) find_multicasts(entry.value, depth + 1);
}

// Reports unused actions of a table, whatever the component, and entries hidden by a dearer one of the same action.
void FilesReader::note_unused_actions(const Node& section) const {
    const Node* tables = section.is_map() ? section.find(section.has("tables") ? "tables" : "table_summary") : nullptr;
    if (tables == nullptr || !tables->is_sequence()) return;
    for (const Node& table : tables->items()) {
        const Node* actions = table.is_map() ? table.find("actions") : nullptr;
        const Node* name = table.is_map() ? table.find("name") : nullptr;
        if (actions == nullptr || !actions->is_sequence()) continue;
        const bool named = name != nullptr && name->is_scalar();
        if (!named || !is_in(multicasts_, component_name(name->text()))) note_unused_actions_of(*actions);
    }
}

void FilesReader::note_unused_actions_of(const Node& actions) const {
    static const std::vector<std::string> kUsed{
        "random_read",   "read",   "random_fill", "random_write", "fill", "write", "access",  "leak",
        "random_update", "update", "mac_random",  "mult_random",  "mac",  "mult",  "compute", "transfer_random"};
    std::vector<std::string> seen;
    for (const Node& action : actions.items()) {
        const Node* name = action.is_map() ? action.find("name") : nullptr;
        if (name == nullptr || !name->is_scalar()) continue;
        if (is_in(seen, name->text()))
            notes_.add("of the ERT's actions with several arguments the dearest counts", "'" + name->text() + "'",
                       place_of(*name));
        else if (!is_in(kUsed, name->text()) && !is_in(used_, name->text()))
            notes_.add("actions of the ERT that nothing here uses", "'" + name->text() + "'", place_of(*name));
        seen.push_back(name->text());
    }
}

}  // namespace

bool is_sparse_attribute(const Node::Entry& entry) {
    static const std::vector<std::string> kFeatures{
        "metadata_storage_width", "metadata_storage_depth",   "metadata_datawidth",
        "metadata_counter_width", "metadata_block_size",      "decompression_supported",
        "compression_supported",  "tile_partition_supported", "concordant_compressed_tile_traversal",
        "allow_overbooking"};
    const bool is_feature = is_in(kFeatures, entry.key) || entry.key.starts_with("metadata_");
    return is_feature && !is_off(entry.value);
}

namespace {

Node read_over_once(const Node& root, const ReadingOver& how, const FilesReader& reader) {
    std::vector<Node::Entry> entries;
    for (const Node::Entry& entry : root.entries()) {
        if (is_sparse_section(entry) && reader.drops_sparse(entry)) continue;
        Node value = entry.value;
        const bool energies = entry.key == "ERT" || (entry.key == "ERT_summary" && !root.has("ERT"));
        if (energies && !how.quiet) reader.note_unused_actions(value);
        const bool is_architecture = entry.key == "architecture" || entry.key == "arch";
        if (is_architecture && value.is_map() && (value.has("storage") || value.has("arithmetic")))
            value = reader.flat_architecture(value);
        else if (is_architecture)
            value = reader.architecture(value, 0);
        else if (entry.key == "problem")
            value = reader.problem(value);
        else if (entry.key == "mapper")
            value = reader.mapper(value);
        entries.push_back({entry.key, entry.key_node, std::move(value)});
    }
    return Node::map(std::move(entries), root);
}

}  // namespace

// Attributes referenced only by dropped expressions go with them: repeat until nothing changes.
Node read_over(const Node& root, const ReadingOver& how, Notes& notes) {
    constexpr int kMostPasses = 10;
    Node rest = root;
    for (int pass = 0; pass < kMostPasses; ++pass) {
        const FilesReader reader(rest, how, notes);
        rest = read_over_once(rest, how, reader);
        if (!reader.dropped()) break;
    }
    return rest;
}

}  // namespace tilewright::timeloop
