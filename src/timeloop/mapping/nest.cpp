#include "timeloop/mapping/nest.hpp"

#include <fmt/format.h>
#include <algorithm>
#include <array>
#include <stdexcept>

#include "base/numbers/checked.hpp"
#include "base/scanner.hpp"
#include "mapping/uneven.hpp"
#include "timeloop/files/sections.hpp"
#include "yaml/write.hpp"

namespace tilewright::timeloop {
namespace {

using yaml::Node;

// Index of the name in `node`.
int find(const Node& node, const std::vector<std::string>& names, ErrorCode code, const std::string& what) {
    for (std::size_t i = 0; i < names.size(); ++i)
        if (names[i] == node.text()) return static_cast<int>(i);
    const std::string hint = did_you_mean(node.text(), names);
    node.fail(code, what + " '" + node.text() + "'" + (hint.empty() ? "; there are " + list_words(names) : hint));
}

using MappingNode = tilewright::Node;

struct Switch {
    const char* key;
    TensorSet LevelOptions::* tensors;
};

constexpr std::array kSwitches{
    Switch{"no_link_transfer", &LevelOptions::no_link_transfer}, Switch{"no_multicast", &LevelOptions::no_multicast},
    Switch{"no_temporal_reuse", &LevelOptions::no_temporal_reuse},
    Switch{"rmw_first_update", &LevelOptions::rmw_first_update}, Switch{"no_coalesce", &LevelOptions::no_coalesce}};

class NestReader {
   public:
    NestReader(const Einsum& einsum, const Architecture& architecture) : einsum_(einsum), architecture_(architecture) {}

    Mapping read(const Node& list) {
        for (const Node& entry : list.items()) {
            if (entry.has("store")) {
                read_store(entry);
            } else {
                read_loop(entry);
            }
        }
        const bool even = is_even(mapping_, architecture_.memory_count());
        if (const std::string problem = even ? "" : uneven_problem(mapping_, architecture_); !problem.empty())
            list.fail(ErrorCode::bad_value, "these stores and loops are in no possible order: " + problem);
        check_factors(list);
        return std::move(mapping_);
    }

   private:
    void read_store(const Node& entry) {
        std::vector<std::string> keys{"store", "tensors"};
        for (const Switch& one : kSwitches) keys.emplace_back(one.key);
        entry.expect_keys(keys);
        Store store;
        store.memory =
            find(entry.at("store"), names_of(architecture_.memories), ErrorCode::unknown_level, "there is no memory");
        store.tensors = read_tensors(entry.at("tensors"));
        for (const Switch& one : kSwitches)
            if (const Node* tensors = entry.find(one.key)) {
                mapping_.options.resize(architecture_.memories.size());
                mapping_.options[store.memory].*one.tensors = read_tensors(*tensors);
            }
        mapping_.nodes.emplace_back(store);
    }

    TensorSet read_tensors(const Node& list) const {
        TensorSet tensors;
        for (const Node& name : list.items()) {
            const int tensor = find(name, names_of(einsum_.tensors), ErrorCode::unknown_tensor, "there is no tensor");
            if (tensors.has(tensor)) name.fail(ErrorCode::duplicate_key, "'" + name.text() + "' is named twice");
            tensors.add(tensor);
        }
        return tensors;
    }

    void read_loop(const Node& entry) {
        entry.expect_keys({"loop", "extent", "remainder", "across"});
        Loop loop;
        loop.dimension =
            find(entry.at("loop"), names_of(einsum_.dimensions), ErrorCode::unknown_name, "there is no dimension");
        loop.extent = loop.remainder = entry.at("extent").positive();
        if (const Node* remainder = entry.find("remainder")) {
            loop.remainder = remainder->positive();
            if (loop.remainder > loop.extent)
                remainder->fail(ErrorCode::bad_value, "the last step of a loop of extent " +
                                                          std::to_string(loop.extent) + " cannot have " +
                                                          std::to_string(loop.remainder));
        }
        if (const Node* across = entry.find("across")) {
            if (across->text() != "X" && across->text() != "Y")
                across->fail(ErrorCode::bad_value, "expected X or Y, found '" + across->text() + "'");
            loop.kind = across->text() == "X" ? LoopKind::spatial_x : LoopKind::spatial_y;
        }
        if (has_loop(loop))
            entry.fail(ErrorCode::duplicate_key, "a second loop over " + entry.at("loop").text() +
                                                     " between the same two stores; write one loop of both extents");
        mapping_.nodes.emplace_back(loop);
    }

    // Since the last store.
    bool has_loop(const Loop& loop) const {
        for (auto node = mapping_.nodes.rbegin(); node != mapping_.nodes.rend(); ++node) {
            const Loop* other = std::get_if<Loop>(&*node);
            if (other == nullptr) return false;
            if (other->dimension == loop.dimension && other->kind == loop.kind) return true;
        }
        return false;
    }

    void check_factors(const Node& list) const {
        std::vector<std::int64_t> covered(einsum_.dimensions.size(), 1);
        for (const MappingNode& node : mapping_.nodes)
            if (const Loop* loop = std::get_if<Loop>(&node)) {
                std::int64_t& all = covered[loop->dimension];
                const std::int64_t full = saturating_mul(all - 1, loop->extent);
                if (__builtin_add_overflow(full, loop->remainder, &all)) all = full;
            }
        for (std::size_t d = 0; d < covered.size(); ++d) {
            const Dimension& dimension = einsum_.dimensions[d];
            if (covered[d] != dimension.extent)
                outermost_loop(list, static_cast<int>(d))
                    ->fail(ErrorCode::factor_product, "the loops over " + dimension.name + " cover " +
                                                          std::to_string(covered[d]) + ", but its extent is " +
                                                          std::to_string(dimension.extent));
        }
    }

    // The entry of the dimension's outermost loop, else the list. Points into the list.
    const Node* outermost_loop(const Node& list, int dimension) const {
        for (std::size_t i = 0; i < mapping_.nodes.size(); ++i)
            if (const Loop* loop = std::get_if<Loop>(&mapping_.nodes[i]);
                loop != nullptr && loop->dimension == dimension)
                return &list.items()[i];
        return &list;
    }

    const Einsum& einsum_;
    const Architecture& architecture_;
    Mapping mapping_;
};

std::string tensor_list(const Einsum& einsum, TensorSet tensors) {
    std::string list;
    for (int t = 0; t < einsum.tensor_count(); ++t)
        if (tensors.has(t)) list += (list.empty() ? "" : ", ") + yaml::scalar_text(einsum.tensors[t].name);
    return "[" + list + "]";
}

}  // namespace

bool is_nest(const Node& list) {
    if (!list.is_sequence() || list.items().empty() || !list.items().front().is_map()) return false;
    return list.items().front().has("store") || list.items().front().has("loop");
}

Mapping read_nest(const Node& list, const Einsum& einsum, const Architecture& architecture) {
    return NestReader(einsum, architecture).read(list);
}

MappingPlaces nest_places(const Node& list) {
    MappingPlaces places{list.where(), {}};
    for (const Node& entry : list.items()) places.nodes.push_back(entry.where());
    return places;
}

std::string write_nest(const Mapping& mapping, const Einsum& einsum, const Architecture& architecture) {
    const bool even = is_even(mapping, architecture.memory_count());
    if (const std::string problem = even ? "" : uneven_problem(mapping, architecture); !problem.empty())
        throw std::invalid_argument("no mapping of the machine: " + problem);
    std::string text = "mapping:\n";
    for (const MappingNode& node : mapping.nodes) {
        if (const Store* store = std::get_if<Store>(&node)) {
            text += "  - {store: " + yaml::scalar_text(architecture.memories[store->memory].name) +
                    ", tensors: " + tensor_list(einsum, store->tensors);
            for (const Switch& one : kSwitches)
                if (!mapping.options.empty() && !(mapping.options[store->memory].*one.tensors).empty())
                    text += fmt::format(", {}: {}", one.key,
                                        tensor_list(einsum, mapping.options[store->memory].*one.tensors));
            text += "}\n";
            continue;
        }
        const Loop& loop = std::get<Loop>(node);
        text += "  - {loop: " + yaml::scalar_text(einsum.dimensions[loop.dimension].name) +
                ", extent: " + std::to_string(loop.extent) +
                (loop.is_perfect() ? "" : ", remainder: " + std::to_string(loop.remainder)) +
                (loop.is_spatial() ? loop.kind == LoopKind::spatial_x ? ", across: X" : ", across: Y" : "") + "}\n";
    }
    return text;
}

namespace {

using yaml::Node;

// Reads one text of a node from left to right.
class LoopScanner {
   public:
    LoopScanner(const Node& node, const Einsum& einsum) : node_(node), einsum_(einsum), scanner_(node.text()) {}

    // Skips separators; false at the end.
    bool next() {
        scanner_.skip(" \t\n\r,");
        return !scanner_.at_end();
    }

    // "C=4", "C4", "C 4": the dimension and everything up to its number.
    int factor_dimension() {
        const std::string_view word = scanner_.name_here();
        if (word.empty()) fail("expected a factor like C=4");
        if (behind(word.size()).at('=')) {
            const int dimension = known(word);
            scanner_.name();
            scanner_.skip(" \t\n\r=");
            return dimension;
        }
        int best = -1;
        for (int d = 0; d < einsum_.dimension_count(); ++d) {
            const std::string& name = einsum_.dimensions[d].name;
            if (starts_with(name) && digit_follows(name.size()) && (best < 0 || longer(d, best))) best = d;
        }
        if (best < 0) refuse_word(word);
        scanner_ = behind(einsum_.dimensions[best].name.size());
        scanner_.skip(kSpaces);
        return best;
    }

    std::int64_t number() {
        std::int64_t value = 0;
        const bool negative = !scanner_.at_digit();
        const std::size_t begin = scanner_.place();
        const std::errc problem = scanner_.number(value);
        if (problem == std::errc::result_out_of_range)
            node_.fail(ErrorCode::overflow,
                       "a factor in '" + std::string(scanner_.text()) + "' does not fit in 64 bits");
        if (problem == std::errc{} && !negative) return value;
        scanner_.seek(begin);
        fail("expected a number");
    }

    // The ",3" of an imperfect factor.
    bool remainder_follows() {
        const std::string_view rest = scanner_.rest();
        if (rest.size() < 2 || rest[0] != ',' || !is_digit(rest[1])) return false;
        scanner_ = behind(1);
        return true;
    }

    // A dimension of a permutation: the whole word, else its longest prefix among the names.
    int permuted_dimension() {
        const std::string_view word = scanner_.name_here();
        if (word.empty()) fail("expected the name of a dimension");
        int best = find_dimension(einsum_, word);
        for (int d = 0; best < 0 && d < einsum_.dimension_count(); ++d)
            if (starts_with(einsum_.dimensions[d].name)) best = d;
        if (best < 0) known(word);
        for (int d = 0; d < einsum_.dimension_count(); ++d)
            if (starts_with(einsum_.dimensions[d].name) && longer(d, best)) best = d;
        scanner_ = behind(einsum_.dimensions[best].name.size());
        return best;
    }

   private:
    bool starts_with(const std::string& name) const { return scanner_.rest().starts_with(name); }
    bool longer(int a, int b) const { return einsum_.dimensions[a].name.size() > einsum_.dimensions[b].name.size(); }

    Scanner behind(std::size_t characters) const {
        Scanner scanner = scanner_;
        scanner.seek(scanner.place() + characters);
        return scanner;
    }

    bool digit_follows(std::size_t characters) const {
        Scanner scanner = behind(characters);
        return !scanner.finished() && scanner.at_digit();
    }

    int known(std::string_view word) const {
        const int d = find_dimension(einsum_, word);
        if (d < 0)
            node_.fail(ErrorCode::unknown_name, "the problem has no dimension '" + std::string(word) + "'" +
                                                    did_you_mean(word, names_of(einsum_.dimensions)));
        return d;
    }

    // A word without '=' and not a dimension with a number.
    [[noreturn]] void refuse_word(std::string_view word) const {
        const std::string_view letters = word.substr(0, std::min(word.find_first_of("0123456789"), word.size()));
        if (find_dimension(einsum_, word) >= 0) fail("expected '=' and a number after '" + std::string(word) + "'");
        known(letters);
        fail("expected a number after '" + std::string(letters) + "'");
    }

    [[noreturn]] void fail(const std::string& message) const {
        node_.fail(ErrorCode::bad_value, message + ", found '" + std::string(scanner_.rest()) + "' in '" +
                                             std::string(scanner_.text()) + "'");
    }

    const Node& node_;
    const Einsum& einsum_;
    Scanner scanner_;
};

// A text as it is, a list item by item, nothing as nothing.
std::vector<Node> texts_of(const Node& node) {
    if (node.is_scalar()) return {node};
    return node.items();
}

Factor read_factor(LoopScanner& scanner, const Node& node, const Dimension& dimension) {
    Factor factor;
    factor.extent = scanner.number();
    if (factor.extent == 0) factor.extent = dimension.extent;
    factor.remainder = factor.extent;
    if (!scanner.remainder_follows()) return factor;
    factor.has_remainder = true;
    factor.remainder = scanner.number();
    if (factor.remainder < 1 || factor.remainder > factor.extent)
        node.fail(ErrorCode::bad_value, "the remainder of " + dimension.name + "=" + std::to_string(factor.extent) +
                                            "," + std::to_string(factor.remainder) + " has to be from 1 to " +
                                            std::to_string(factor.extent));
    return factor;
}

}  // namespace

std::vector<std::optional<Factor>> read_factors(const Node& node, const Einsum& einsum) {
    std::vector<std::optional<Factor>> factors(einsum.dimensions.size());
    for (const Node& text : texts_of(node)) {
        LoopScanner scanner(text, einsum);
        while (scanner.next()) {
            const int d = scanner.factor_dimension();
            if (factors[d])
                text.fail(ErrorCode::duplicate_key, "dimension '" + einsum.dimensions[d].name + "' has two factors");
            factors[d] = read_factor(scanner, text, einsum.dimensions[d]);
        }
    }
    return factors;
}

std::vector<int> read_permutation(const Node& node, const Einsum& einsum) {
    std::vector<int> permutation;
    for (const Node& text : texts_of(node)) {
        LoopScanner scanner(text, einsum);
        while (scanner.next()) {
            const int d = scanner.permuted_dimension();
            if (std::find(permutation.begin(), permutation.end(), d) != permutation.end())
                text.fail(ErrorCode::duplicate_key,
                          "dimension '" + einsum.dimensions[d].name + "' appears twice in the permutation");
            permutation.push_back(d);
        }
    }
    return permutation;
}

}  // namespace tilewright::timeloop
