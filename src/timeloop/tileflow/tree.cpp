#include "timeloop/tileflow/tree.hpp"

#include <algorithm>
#include <cctype>
#include <charconv>
#include <map>
#include <optional>
#include <utility>

#include "base/numbers/checked.hpp"

namespace tilewright::tileflow {
namespace {

using Kind = TreeNode::Kind;

constexpr int kDeepestTree = 40;
constexpr std::size_t kMostNodes = 10000;

std::string lower(std::string text) {
    for (char& c : text) c = static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
    return text;
}

const yaml::Node* find_key(const yaml::Node& map, const std::string& hyphens, const std::string& underscores) {
    const yaml::Node* found = map.find(hyphens);
    return found != nullptr ? found : map.find(underscores);
}

std::optional<std::int64_t> number_in(std::string_view text) {
    std::int64_t value = 0;
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
    if (error != std::errc{} || end != text.data() + text.size()) return std::nullopt;
    return value;
}

/// "M=64 L=X" or "M 64, L X".
struct Factor {
    std::string name;
    std::string count;
};

bool is_word(char c) { return std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '_' || c == '?'; }

std::vector<std::string> words_in(const yaml::Node& node) {
    std::vector<std::string> words;
    std::string word;
    for (const char c : node.text() + " ") {
        if (is_word(c)) word += c;
        if (!is_word(c) && !word.empty()) words.push_back(std::exchange(word, ""));
    }
    return words;
}

std::vector<Factor> factors_in(const yaml::Node& node) {
    const std::vector<std::string> words = words_in(node);
    if (words.empty() || words.size() % 2 != 0)
        node.fail(ErrorCode::syntax, "expected DIMENSION=FACTOR for every loop");
    std::vector<Factor> factors;
    for (std::size_t i = 0; i < words.size(); i += 2) factors.push_back({words[i], words[i + 1]});
    return factors;
}

class TreeReader {
   public:
    TreeReader(const Problem& problem, const Architecture& architecture, const std::vector<std::int64_t>& found,
               const yaml::Node* macros)
        : problem_(problem), architecture_(architecture), found_(found), macros_(macros) {}

    TreeNode read(const yaml::Node& mapping) {
        std::vector<std::int64_t> above(problem_.dimensions.size(), 1);
        TreeNode root = read_node(mapping, {-1, false, 0}, above);
        for (std::size_t i = 0; i < problem_.operations.size(); ++i)
            if (!seen_.contains(static_cast<int>(i)))
                mapping.fail(ErrorCode::missing_key, "the tree has no operation '" + problem_.operations[i].name + "'");
        if (next_ < found_.size())
            mapping.fail(ErrorCode::bad_value, "there are " + std::to_string(found_.size()) +
                                                   " found factors, and the tree leaves " + std::to_string(next_) +
                                                   " open");
        return root;
    }

   private:
    /// A node's position: the memory above (-1 before the first), and whether of a spatial tile.
    struct Place {
        int memory = -1;
        bool in_spatial = false;
        int depth = 0;
    };

    TreeNode read_node(const yaml::Node& node, Place place, std::vector<std::int64_t>& above);
    TreeNode read_tile(const yaml::Node& node, Place place, std::vector<std::int64_t>& above);
    TreeNode read_scope(const yaml::Node& node, Place place, std::vector<std::int64_t>& above);
    TreeNode read_operation(const yaml::Node& node, Place place, const std::vector<std::int64_t>& above);
    void read_loops(const yaml::Node& node, TreeNode& made, std::vector<std::int64_t>& above);
    void check_fanout(const yaml::Node& node, const TreeNode& made) const;
    static void check_binding(const yaml::Node& binding);
    std::int64_t count_of(const Factor& factor, const yaml::Node& place);
    int memory_of(const yaml::Node& target) const;
    std::set<int> bypassed_by(const yaml::Node& node) const;
    static std::vector<yaml::Node> children_of(const yaml::Node& node);

    const Problem& problem_;
    const Architecture& architecture_;
    const std::vector<std::int64_t>& found_;
    const yaml::Node* macros_;  // numbers of factors by name, or null
    std::size_t next_ = 0;      // of the found factors
    std::size_t nodes_ = 0;
    std::map<int, Location> seen_;
};

std::vector<yaml::Node> TreeReader::children_of(const yaml::Node& node) {
    const yaml::Node& below = node.at("subtree");
    std::vector<yaml::Node> children = below.is_map() ? std::vector<yaml::Node>{below} : below.items();
    if (children.empty()) below.fail(ErrorCode::bad_value, "a tree ends in operations");
    return children;
}

std::int64_t TreeReader::count_of(const Factor& factor, const yaml::Node& place) {
    if (const auto count = number_in(factor.count)) {
        if (*count < 1) place.fail(ErrorCode::bad_value, "a factor has to be at least 1");
        return *count;
    }
    if (macros_ != nullptr && macros_->has(factor.count)) return macros_->at(factor.count).positive();
    const bool named = factor.count.find_first_not_of("X?") != std::string::npos;
    if (named)
        place.fail(ErrorCode::bad_value, "the factor '" + factor.count + "' of '" + factor.name +
                                             "' is left to TileFlow's search; give its number: macro: {" +
                                             factor.count + ": 2}");
    if (next_ < found_.size()) return found_[next_++];
    place.fail(ErrorCode::bad_value, "the factor '" + factor.count + "' of '" + factor.name +
                                         "' is left to TileFlow's search; give the mapping that it printed, too "
                                         "(a file with 'for " +
                                         factor.name + " in [0:" + factor.count + "(2)), ...')");
}

int TreeReader::memory_of(const yaml::Node& target) const {
    std::vector<std::string> names;
    for (std::size_t m = 0; m < architecture_.memories.size(); ++m) {
        if (architecture_.memories[m].name == target.text()) return static_cast<int>(m);
        names.push_back(architecture_.memories[m].name);
    }
    target.fail(ErrorCode::unknown_level,
                "there is no memory '" + target.text() + "'" + did_you_mean(target.text(), names));
}

std::set<int> TreeReader::bypassed_by(const yaml::Node& node) const {
    std::set<int> tensors;
    const yaml::Node* bypass = node.find("bypass");
    if (bypass == nullptr) return tensors;
    for (const yaml::Node& name : bypass->is_scalar() ? std::vector<yaml::Node>{*bypass} : bypass->items()) {
        const int tensor = problem_.tensor_of(name.text());
        if (tensor < 0) name.fail(ErrorCode::unknown_tensor, "no operation has a data space '" + name.text() + "'");
        tensors.insert(tensor);
    }
    return tensors;
}

// Default permutation: the listed order, outermost first.
yaml::Node order_of_factors(const yaml::Node& given) {
    std::string order;
    for (const Factor& factor : factors_in(given)) order.insert(0, factor.name);
    return yaml::Node::scalar(order, given);
}

// The permutation has one letter per loop, innermost first.
void TreeReader::read_loops(const yaml::Node& node, TreeNode& made, std::vector<std::int64_t>& above) {
    const yaml::Node& given = node.at("factors");
    std::map<std::string, std::int64_t> counts;
    for (const Factor& factor : factors_in(given)) {
        if (problem_.dimension_of(factor.name) < 0)
            given.fail(ErrorCode::unknown_name, "there is no dimension '" + factor.name + "'");
        if (!counts.emplace(factor.name, count_of(factor, given)).second)
            given.fail(ErrorCode::duplicate_key, "'" + factor.name + "' comes twice");
    }
    const yaml::Node order = node.has("permutation") ? node.at("permutation") : order_of_factors(given);
    const auto split = node.has("split") ? node.at("split").integer() : static_cast<std::int64_t>(counts.size());
    std::int64_t place = 0;
    for (const char letter : order.text()) {
        if (std::isspace(static_cast<unsigned char>(letter)) != 0) continue;
        const auto count = counts.find(std::string(1, letter));
        if (count == counts.end())
            order.fail(ErrorCode::unknown_name, std::string("'") + letter + "' has no factor, or comes twice");
        const int dimension = problem_.dimension_of(count->first);
        std::int64_t& all = above[dimension];
        all = checked_mul(all, count->second);
        if (count->second > 1)
            made.loops.insert(made.loops.begin(),
                              {dimension, count->second, made.kind == Kind::spatial && place >= split});
        counts.erase(count);
        ++place;
    }
    if (!counts.empty()) order.fail(ErrorCode::missing_key, "'" + counts.begin()->first + "' has no place in it");
}

void TreeReader::check_fanout(const yaml::Node& node, const TreeNode& made) const {
    if (made.memory + 1 >= architecture_.memory_count())
        node.at("target").fail(ErrorCode::no_fanout, "'" + node.at("target").text() + "' is the innermost memory");
    const Mesh used = instances_of(made);
    const Mesh there = fanout_below(architecture_, made.memory);
    if (used.x > there.x || used.y > there.y)
        node.at("factors").fail(ErrorCode::bad_value, "the loops take " + std::to_string(used.x) + " x " +
                                                          std::to_string(used.y) + " instances, and below '" +
                                                          node.at("target").text() + "' there are " +
                                                          std::to_string(there.x) + " x " + std::to_string(there.y));
}

TreeNode TreeReader::read_tile(const yaml::Node& node, Place place, std::vector<std::int64_t>& above) {
    node.expect_keys({"node-type", "node_type", "type", "factors", "permutation", "target", "split", "multicast",
                      "subtree", "tag", "profile", "bypass"});
    TreeNode made;
    made.bypassed = bypassed_by(node);
    const std::string type = node.has("type") ? lower(node.at("type").text()) : "temporal";
    if (type != "temporal" && type != "spatial")
        node.at("type").fail(ErrorCode::bad_value, "expected temporal or spatial");
    made.kind = type == "spatial" ? Kind::spatial : Kind::temporal;
    made.memory = memory_of(node.at("target"));
    made.where = node.where();
    if (node.has("multicast")) made.multicasts = node.at("multicast").boolean();
    const bool same = made.memory == place.memory && !place.in_spatial;
    if (!same && (made.kind == Kind::spatial || made.memory != place.memory + 1))
        node.at("target").fail(ErrorCode::bad_value,
                               "a tile at '" + node.at("target").text() +
                                   "' cannot stand here: temporal tiles go memory by memory inwards, a spatial one "
                                   "stands at the memory above its child");
    read_loops(node, made, above);
    if (made.kind == Kind::spatial) check_fanout(node, made);
    const std::vector<yaml::Node> children = children_of(node);
    if (children.size() != 1) node.at("subtree").fail(ErrorCode::bad_value, "a tile has one child");
    made.inside.push_back(read_node(children[0], {made.memory, made.kind == Kind::spatial, place.depth + 1}, above));
    return made;
}

TreeNode TreeReader::read_scope(const yaml::Node& node, Place place, std::vector<std::int64_t>& above) {
    node.expect_keys({"node-type", "node_type", "type", "subtree", "tag", "profile", "bypass"});
    static const std::map<std::string, Kind> kScopes{{"sequential", Kind::sequential},
                                                     {"sharing", Kind::sharing},
                                                     {"pipeline", Kind::pipeline},
                                                     {"parallel", Kind::parallel}};
    const std::string type = node.has("type") ? lower(node.at("type").text()) : "sequential";
    const auto found = kScopes.find(type);
    if (found == kScopes.end())
        node.at("type").fail(ErrorCode::bad_value, "expected sequential, sharing, pipeline or parallel");
    TreeNode made;
    made.kind = found->second;
    made.bypassed = bypassed_by(node);
    made.where = node.where();
    if (place.in_spatial && made.kind != Kind::sequential && made.kind != Kind::sharing)
        node.fail(ErrorCode::bad_value, "branches side by side cannot stand inside a spatial tile");
    const std::vector<yaml::Node> children = children_of(node);
    if (children.size() < 2) node.at("subtree").fail(ErrorCode::bad_value, "a scope has at least two branches");
    for (const yaml::Node& child : children) {
        std::vector<std::int64_t> own = above;
        made.inside.push_back(read_node(child, {place.memory, place.in_spatial, place.depth + 1}, own));
        if (made.inside.back().kind == Kind::operation)
            child.fail(ErrorCode::bad_value, "a branch begins with a tile or a scope");
    }
    return made;
}

// "M:M, L:L". TileFlow ignores it now; loops are named after their dimensions.
void TreeReader::check_binding(const yaml::Node& binding) {
    const std::vector<std::string> words = words_in(binding);
    for (std::size_t i = 0; i + 1 < words.size(); i += 2)
        if (words[i] != words[i + 1])
            binding.fail(ErrorCode::unsupported, "a loop that runs over a dimension of another name ('" + words[i] +
                                                     ":" + words[i + 1] + "') is not read");
    if (words.size() % 2 != 0) binding.fail(ErrorCode::syntax, "expected LOOP:DIMENSION for every loop");
}

TreeNode TreeReader::read_operation(const yaml::Node& node, Place place, const std::vector<std::int64_t>& above) {
    node.expect_keys({"node-type", "node_type", "name", "binding", "tag", "profile", "bypass"});
    TreeNode made;
    made.bypassed = bypassed_by(node);
    made.kind = Kind::operation;
    made.where = node.where();
    const auto found = std::ranges::find(problem_.operations, node.at("name").text(), &Operation::name);
    if (found == problem_.operations.end())
        node.at("name").fail(ErrorCode::unknown_name, "there is no operation '" + node.at("name").text() + "'");
    made.operation = static_cast<int>(found - problem_.operations.begin());
    if (node.has("binding")) check_binding(node.at("binding"));
    if (!seen_.emplace(made.operation, made.where).second)
        node.at("name").fail(ErrorCode::duplicate_key, "operation '" + found->name + "' stands in the tree twice");
    if (place.memory + 1 != architecture_.memory_count() || place.in_spatial)
        node.fail(ErrorCode::bad_value, "temporal tiles down to '" + architecture_.memories.back().name +
                                            "' have to stand around operation '" + found->name + "'");
    for (std::size_t d = 0; d < above.size(); ++d) {
        const bool own = std::ranges::find(found->dimensions, static_cast<int>(d)) != found->dimensions.end();
        const Dimension& dimension = problem_.dimensions[d];
        if (own && above[d] != dimension.extent)
            node.fail(ErrorCode::factor_product, "the factors of '" + dimension.name + "' around operation '" +
                                                     found->name + "' make " + std::to_string(above[d]) + ", not " +
                                                     std::to_string(dimension.extent));
    }
    return made;
}

TreeNode TreeReader::read_node(const yaml::Node& node, Place place, std::vector<std::int64_t>& above) {
    if (place.depth > kDeepestTree) node.fail(ErrorCode::unsupported, "the tree is deeper than 40 nodes");
    if (++nodes_ > kMostNodes) node.fail(ErrorCode::unsupported, "the tree has more than 10,000 nodes");
    const yaml::Node* type = find_key(node, "node-type", "node_type");
    if (type == nullptr) node.fail(ErrorCode::missing_key, "expected 'node-type': Tile, Scope or Op");
    const std::string kind = lower(type->text());
    if (kind == "tile") return read_tile(node, place, above);
    if (kind == "scope") return read_scope(node, place, above);
    if (kind == "op") return read_operation(node, place, above);
    type->fail(ErrorCode::bad_value, "expected Tile, Scope or Op, found '" + type->text() + "'");
}

}  // namespace

std::vector<std::int64_t> read_found_factors(std::string_view text, const std::string& file) {
    std::map<std::int64_t, std::int64_t> found;  // X is the first, X0 the second, ...
    for (std::size_t at = text.find("[0:X"); at != std::string_view::npos; at = text.find("[0:X", at + 1)) {
        const std::size_t open = text.find('(', at);
        const std::size_t close = text.find(')', at);
        const auto name = open == std::string_view::npos ? "?" : text.substr(at + 4, open - at - 4);
        const auto place = name.empty() ? std::optional<std::int64_t>(-1) : number_in(name);
        const auto count = close == std::string_view::npos || close < open
                               ? std::nullopt
                               : number_in(text.substr(open + 1, close - open - 1));
        const int line =
            1 + static_cast<int>(std::count(text.begin(), text.begin() + static_cast<std::ptrdiff_t>(at), '\n'));
        if (!place || !count || *count < 1)
            throw InputError(ErrorCode::syntax, {file, line}, "expected a found factor: [0:X3(16))");
        if (!found.emplace(*place, *count).second)
            throw InputError(ErrorCode::duplicate_key, {file, line}, "two loops have one name");
    }
    std::vector<std::int64_t> factors;
    for (const auto& [place, count] : found) {
        if (place != static_cast<std::int64_t>(factors.size()) - 1)
            throw InputError(ErrorCode::missing_key, {file}, "the found factors are not numbered X, X0, X1, ...");
        factors.push_back(count);
    }
    return factors;
}

bool is_tree(const yaml::Node& root) {
    const yaml::Node* mapping = root.is_map() ? root.find("mapping") : nullptr;
    return mapping != nullptr && mapping->is_map() && find_key(*mapping, "node-type", "node_type") != nullptr;
}

TreeNode read_tree(const yaml::Node& root, const Problem& problem, const Architecture& architecture,
                   const std::vector<std::int64_t>& found, const yaml::Node* macros) {
    return TreeReader(problem, architecture, found, macros).read(root.at("mapping"));
}

Mesh fanout_below(const Architecture& architecture, int memory) {
    const Mesh outer = architecture.memories[memory].mesh;
    const Mesh inner = architecture.memories[static_cast<std::size_t>(memory) + 1].mesh;
    return {inner.x / outer.x, inner.y / outer.y};
}

Mesh instances_of(const TreeNode& node) {
    Mesh used;
    if (node.kind != TreeNode::Kind::spatial) return used;
    for (const TileLoop& loop : node.loops) {
        std::int64_t& along = loop.along_y ? used.y : used.x;
        along = checked_mul(along, loop.count);
    }
    return used;
}

}  // namespace tilewright::tileflow
