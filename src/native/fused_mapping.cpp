#include "native/fused_mapping.hpp"

#include <fmt/format.h>

#include "mapping/fused/tree.hpp"
#include "yaml/write.hpp"

namespace tilewright::native {
namespace {

constexpr int kDeepestFused = 256;
constexpr const char* kFusedSchema = "tilewright-fused-mapping/1";

class FusedReader {
   public:
    FusedReader(const Cascade& cascade, const Architecture& architecture)
        : cascade_(cascade), architecture_(architecture) {}

    PlacedFusedMapping read(const yaml::Node& list) {
        placed_.whole = list.where();
        read_branch(list, -1, 0);
        for (const auto& [node, place] : loops_) resolve(node, place);
        const TreeProblem problem = problem_with_tree(cascade_, architecture_.memory_count(), placed_.mapping);
        if (!problem.message.empty()) list.fail(ErrorCode::bad_value, problem.message);
        return std::move(placed_);
    }

   private:
    template <typename Things>
    static int find(const yaml::Node& name, const Things& things, ErrorCode code, const std::string& what) {
        std::vector<std::string> names;
        for (const auto& thing : things) {
            if (thing.name == name.text()) return static_cast<int>(names.size());
            names.push_back(thing.name);
        }
        const std::string hint = did_you_mean(name.text(), names);
        name.fail(code, "there is no " + what + " '" + name.text() + "'" +
                            (hint.empty() ? "; there are " + list_words(names) : hint));
    }

    int add(int parent, const yaml::Node& place, decltype(FusedNode::what) what) {
        placed_.nodes.push_back(place.where());
        return append(placed_.mapping, parent, std::move(what));
    }

    // A list of stores and loops, outermost first, ending with a leaf or a split.
    void read_branch(const yaml::Node& list, int parent, int depth) {
        if (list.items().empty()) list.fail(ErrorCode::bad_value, "expected stores, loops and a leaf or split");
        if (depth > kDeepestFused) list.fail(ErrorCode::bad_value, "the tree is too deep");
        for (const yaml::Node& entry : list.items()) {
            const bool last = &entry == &list.items().back();
            if (last != (entry.has("leaf") || entry.has("split")))
                entry.fail(ErrorCode::bad_value, last ? "expected a leaf or a split at the end of a branch"
                                                      : "a leaf or a split is the last entry of its branch");
            parent = read_entry(entry, parent, depth);
        }
    }

    int read_entry(const yaml::Node& entry, int parent, int depth) {
        if (entry.has("leaf")) return add(parent, entry, read_leaf(entry));
        if (entry.has("loop")) {
            entry.expect_keys({"loop", "step"});
            const int node = add(parent, entry, SharedLoop{-1, entry.at("step").positive()});
            loops_.emplace_back(node, entry.at("loop"));
            return node;
        }
        if (entry.has("split")) {
            entry.expect_keys({"split"});
            const int node = add(parent, entry, SequentialSplit{});
            if (entry.at("split").items().empty())
                entry.at("split").fail(ErrorCode::bad_value, "expected a list of branches");
            for (const yaml::Node& branch : entry.at("split").items()) read_branch(branch, node, depth + 1);
            return node;
        }
        entry.expect_keys({"store", "tensors", "fresh"});
        SharedStore store{memory(entry.at("store")), {}};
        for (const yaml::Node& name : entry.at("tensors").items())
            store.tensors.push_back(find(name, cascade_.tensors, ErrorCode::unknown_tensor, "tensor"));
        if (const yaml::Node* fresh = entry.find("fresh")) store.fresh = fresh->boolean();
        return add(parent, entry, store);
    }

    int memory(const yaml::Node& name) const {
        return find(name, architecture_.memories, ErrorCode::unknown_level, "memory");
    }

    FusedLeaf read_leaf(const yaml::Node& entry) const {
        entry.expect_keys({"leaf", "mapping", "boxes"});
        FusedLeaf leaf{find(entry.at("leaf"), cascade_.einsums, ErrorCode::unknown_name, "einsum"), {}};
        const Einsum& einsum = cascade_.einsums[leaf.einsum].einsum;
        if (const yaml::Node* boxes = entry.find("boxes")) {
            if (const yaml::Node* mapping = entry.find("mapping"))
                mapping->fail(ErrorCode::bad_value, "give 'mapping' or 'boxes', not both");
            for (const yaml::Node& one : boxes->items()) {
                one.expect_keys({"box", "mapping"});
                leaf.nests.push_back(read_nest(one.at("mapping"), einsum));
                if (const yaml::Node* box = one.find("box")) leaf.nests.back().box = read_box(*box, einsum);
            }
            if (leaf.nests.empty()) boxes->fail(ErrorCode::bad_value, "expected a list of mappings");
        } else if (const yaml::Node* mapping = entry.find("mapping")) {
            leaf.nests.push_back(read_nest(*mapping, einsum));
        } else {
            leaf.nests.emplace_back();
        }
        return leaf;
    }

    static std::vector<std::int64_t> read_box(const yaml::Node& node, const Einsum& einsum) {
        std::vector<std::int64_t> box;
        for (const Dimension& dimension : einsum.dimensions) box.push_back(dimension.extent);
        for (const yaml::Node::Entry& entry : node.entries()) {
            const int d = find(entry.key_node, einsum.dimensions, ErrorCode::unknown_name, "dimension");
            box[d] = entry.value.positive();
        }
        return box;
    }

    LeafNest read_nest(const yaml::Node& list, const Einsum& einsum) const {
        LeafNest nest;
        for (const yaml::Node& entry : list.items()) {
            if (entry.has("store")) {
                entry.expect_keys({"store", "tensors"});
                Store store{memory(entry.at("store")), {}};
                for (const yaml::Node& name : entry.at("tensors").items())
                    store.tensors.add(find(name, einsum.tensors, ErrorCode::unknown_tensor, "operand"));
                nest.nodes.emplace_back(store);
                continue;
            }
            entry.expect_keys({"loop", "step", "across"});
            LeafLoop loop{find(entry.at("loop"), einsum.dimensions, ErrorCode::unknown_name, "dimension"),
                          entry.at("step").positive(), LoopKind::temporal};
            if (const yaml::Node* across = entry.find("across")) {
                if (across->text() != "X" && across->text() != "Y")
                    across->fail(ErrorCode::bad_value, "expected X or Y, found '" + across->text() + "'");
                loop.kind = across->text() == "X" ? LoopKind::spatial_x : LoopKind::spatial_y;
            }
            nest.nodes.emplace_back(loop);
        }
        return nest;
    }

    // The dimension is of the last einsum inside the loop, read after it. Nodes inside are consecutive.
    void resolve(int node, const yaml::Node& name) {
        auto& nodes = placed_.mapping.nodes;
        int last = node;
        for (int i = node + 1; i < static_cast<int>(nodes.size()) && nodes[i].parent >= node; ++i) last = i;
        const int einsum = std::get<FusedLeaf>(nodes[last].what).einsum;
        const CascadeEinsum& one = cascade_.einsums[einsum];
        std::get<SharedLoop>(nodes[node].what).dimension =
            find(name, one.einsum.dimensions, ErrorCode::unknown_name,
                 "dimension of '" + one.name + "', the last einsum inside the loop, called");
    }

    const Cascade& cascade_;
    const Architecture& architecture_;
    PlacedFusedMapping placed_;
    std::vector<std::pair<int, yaml::Node>> loops_;
};

class FusedWriter {
   public:
    FusedWriter(const FusedMapping& mapping, const Cascade& cascade, const Architecture& architecture)
        : cascade_(cascade), architecture_(architecture), tree_(cascade, mapping) {}

    std::string write() {
        text_ = fmt::format("schema: {}\nfused_mapping:\n", kFusedSchema);
        write_branch(0, "  ");
        return std::move(text_);
    }

   private:
    void write_branch(int node, const std::string& margin, std::string first = "") {
        if (first.empty()) first = margin;
        while (true) {
            text_ += first + "- ";
            first = margin;
            if (const SharedStore* store = tree_.store(node)) {
                text_ += "{store: " + memory(store->memory) +
                         ", tensors: " + tensors(store->tensors, cascade_.tensors) +
                         (store->fresh ? ", fresh: true" : "") + "}\n";
            } else if (const SharedLoop* loop = tree_.loop(node)) {
                text_ += "{loop: " + dimension(tree_.last_einsum(node), loop->dimension) +
                         ", step: " + std::to_string(loop->step) + "}\n";
            } else if (const FusedLeaf* leaf = tree_.leaf(node)) {
                return write_leaf(*leaf, margin + "  ");
            } else {
                text_ += "split:\n";
                for (const int branch : tree_.children(node)) write_branch(branch, margin + "    ", margin + "  - ");
                return;
            }
            node = tree_.children(node).front();
        }
    }

    void write_leaf(const FusedLeaf& leaf, const std::string& margin) {
        const CascadeEinsum& einsum = cascade_.einsums[leaf.einsum];
        text_ += "leaf: " + yaml::scalar_text(einsum.name) + "\n";
        if (is_open(leaf)) return;
        if (leaf.nests.size() == 1 && leaf.nests.front().box.empty()) {
            text_ += margin + "mapping: " + nest_text(leaf.einsum, leaf.nests.front()) + "\n";
            return;
        }
        text_ += margin + "boxes:\n";
        for (const LeafNest& nest : leaf.nests) {
            std::string box;
            for (std::size_t d = 0; d < nest.box.size(); ++d)
                box += (d == 0 ? "" : ", ") + dimension(leaf.einsum, static_cast<int>(d)) + ": " +
                       std::to_string(nest.box[d]);
            text_ += margin + "  - {" + (box.empty() ? "" : "box: {" + box + "}, ") +
                     "mapping: " + nest_text(leaf.einsum, nest) + "}\n";
        }
    }

    std::string nest_text(int e, const LeafNest& nest) const {
        std::string text;
        for (const LeafNode& node : nest.nodes) {
            text += text.empty() ? "" : ", ";
            if (const Store* store = std::get_if<Store>(&node)) {
                const std::vector<Tensor>& operands = cascade_.einsums[e].einsum.tensors;
                std::vector<int> kept;
                for (int t = 0; t < static_cast<int>(operands.size()); ++t)
                    if (store->tensors.has(t)) kept.push_back(t);
                text += "{store: " + memory(store->memory) + ", tensors: " + tensors(kept, operands) + "}";
                continue;
            }
            const LeafLoop& loop = std::get<LeafLoop>(node);
            text += "{loop: " + dimension(e, loop.dimension) + ", step: " + std::to_string(loop.step) +
                    (loop.kind == LoopKind::temporal    ? ""
                     : loop.kind == LoopKind::spatial_x ? ", across: X"
                                                        : ", across: Y") +
                    "}";
        }
        return "[" + text + "]";
    }

    std::string memory(int m) const { return yaml::scalar_text(architecture_.memories[m].name); }

    std::string dimension(int e, int d) const {
        return yaml::scalar_text(cascade_.einsums[e].einsum.dimensions[d].name);
    }

    template <typename Things>
    static std::string tensors(const std::vector<int>& kept, const Things& things) {
        std::string text;
        for (const int t : kept) text += (text.empty() ? "" : ", ") + yaml::scalar_text(things[t].name);
        return "[" + text + "]";
    }

    const Cascade& cascade_;
    const Architecture& architecture_;
    FusedTree tree_;
    std::string text_;
};

}  // namespace

PlacedFusedMapping read_fused_mapping(const yaml::Node& root, const Cascade& cascade,
                                      const Architecture& architecture) {
    root.expect_keys({"schema", "fused_mapping"});
    if (const yaml::Node* schema = root.find("schema"); schema != nullptr && schema->text() != kFusedSchema)
        schema->fail(ErrorCode::unsupported, fmt::format("expected '{}', found '{}'", kFusedSchema, schema->text()));
    return FusedReader(cascade, architecture).read(root.at("fused_mapping"));
}

std::string write_fused_mapping(const FusedMapping& mapping, const Cascade& cascade, const Architecture& architecture) {
    return FusedWriter(mapping, cascade, architecture).write();
}

}  // namespace tilewright::native
