// Formats and optimisations.
#include <algorithm>

#include "timeloop/files/sections.hpp"
#include "timeloop/sparse/read_parts.hpp"

namespace tilewright::timeloop {
namespace {

using sparse::RankFormat;
using yaml::Node;

RankFormat format_named(const Node& node) {
    static const std::vector<std::string> kKnown{"UOP", "CP", "RLE", "B", "UB"};
    for (std::size_t i = 0; i < kKnown.size(); ++i) {
        std::string lower = kKnown[i];
        for (char& c : lower) c = static_cast<char>(c + ('a' - 'A'));
        if (node.text() == kKnown[i] || node.text() == lower)
            return std::array{RankFormat::uop, RankFormat::cp, RankFormat::rle, RankFormat::b, RankFormat::ub}[i];
    }
    node.fail(ErrorCode::unknown_name, "there is no format '" + node.text() + "'" + did_you_mean(node.text(), kKnown) +
                                           "; known are " + list_words(kKnown));
}

std::optional<std::int64_t> bits_in(const Node& rank, const char* key) {
    const Node* given = rank.find(key);
    if (given == nullptr || given->is_null()) return std::nullopt;
    const std::int64_t bits = given->integer();
    if (bits < 0 || bits > kMaxWordBits)
        given->fail(ErrorCode::bad_value, std::string("'") + key + "' is from 0 to " + std::to_string(kMaxWordBits));
    return bits;
}

/// Words fill a row of the metadata memory without remainder: widened as needed.
std::int64_t word_bits(std::optional<std::int64_t> given, const sparse::MemoryDesign& built, const Node& place,
                       const std::string& memory) {
    const std::int64_t width = built.metadata_width_bits;
    std::int64_t bits = given.value_or(built.metadata_word_bits);
    if (given && bits != 0)
        while (bits < 2 * *given && width % bits != 0) ++bits;
    if (bits > width)
        place.fail(ErrorCode::bad_value, "words of " + std::to_string(bits) + " bits are wider than what '" + memory +
                                             "' stores of metadata at once (" + std::to_string(width) +
                                             " bits, metadata_storage_width)");
    return bits;
}

std::vector<std::vector<int>> flattened_in(const Node& rank, SparseNames& names) {
    std::vector<std::vector<int>> lists;
    const Node* given = rank.find("flattened_rankIDs");
    if (given == nullptr || given->is_null()) return lists;
    for (const Node& item : given->items()) {
        if (!item.is_sequence())
            item.fail(ErrorCode::wrong_type, "flattened_rankIDs is a list of lists of dimensions: [[R, S], [C]]");
        std::vector<int>& list = lists.emplace_back();
        for (const Node& name : item.items()) {
            const std::vector<int> dimensions = names.dimensions(name);
            list.insert(list.end(), dimensions.begin(), dimensions.end());
        }
        if (item.items().empty()) item.fail(ErrorCode::bad_value, "a list of dimensions to flatten is empty");
    }
    return lists;
}

sparse::FormatRank read_rank(const Node& node, SparseNames& names, const Memory& memory,
                             const sparse::MemoryDesign& built) {
    node.expect_keys({"format", "metadata_word_bits", "payload_word_bits", "flattened_rankIDs"});
    sparse::FormatRank rank;
    rank.format = format_named(node.at("format"));
    std::optional<std::int64_t> metadata = bits_in(node, "metadata_word_bits");
    std::optional<std::int64_t> payload = bits_in(node, "payload_word_bits");
    if (rank.format == RankFormat::b && !metadata) metadata = 1;
    if (rank.format == RankFormat::ub) metadata = payload = std::nullopt;
    rank.metadata_bits = word_bits(metadata, built, node, memory.name);
    rank.payload_bits = word_bits(payload, built, node, memory.name);
    rank.flattened = flattened_in(node, names);
    return rank;
}

void check_order(const std::vector<sparse::FormatRank>& innermost_first, const Node& ranks) {
    bool uncompressed = false;
    for (std::size_t i = 0; i < innermost_first.size(); ++i) {
        const bool compresses = sparse::compresses(innermost_first[i].format);
        if (uncompressed && compresses)
            ranks.items()[innermost_first.size() - 1 - i].fail(
                ErrorCode::bad_value, "a compressed rank cannot lie around an uncompressed one (UOP, UB)");
        uncompressed = uncompressed || !compresses;
    }
}

bool is_inner_to_outer(const Node& node) {
    const Node* order = node.find("rank_application_order");
    if (order == nullptr || order->is_null() || word_of(*order) == "outer_to_inner") return false;
    if (word_of(*order) != "inner_to_outer")
        order->fail(ErrorCode::bad_value, "expected outer_to_inner or inner_to_outer, found '" + order->text() + "'");
    return true;
}

sparse::Option read_option(const Node& node, SparseNames& names) {
    sparse::Option option;
    option.target = names.tensor(node.at("target"));
    const Node& conditions = node.at("condition_on");
    for (const Node& name : conditions.items()) option.conditions.push_back(names.tensor(name));
    if (option.conditions.empty())
        conditions.fail(ErrorCode::bad_value, "condition_on names no tensor: nothing would ever be avoided");
    return option;
}

std::vector<sparse::OptionGroup>& groups_of(const Node& type, sparse::MemoryDesign& built) {
    static const std::vector<std::string> kKnown{"gating", "skipping", "skipping_spatial"};
    const std::string word = word_of(type);
    if (word == kKnown[0]) return built.gating;
    if (word == kKnown[1]) return built.skipping;
    if (word == kKnown[2]) return built.spatial_skipping;
    type.fail(ErrorCode::bad_value,
              "expected " + list_words(kKnown) + ", found '" + type.text() + "'" + did_you_mean(type.text(), kKnown));
}

}  // namespace

std::string word_of(const Node& node) {
    std::string word = node.text();
    std::replace(word.begin(), word.end(), '-', '_');
    return word;
}

int SparseNames::tensor(const Node& node) {
    const auto role = std::ranges::find(kOperandNames, node.text()) - kOperandNames.begin();
    of_layers_ = role < std::ssize(kOperandNames);
    const auto plays = std::ranges::find(roles_.operands, static_cast<OperandRole>(role)) - roles_.operands.begin();
    if (const int found = find_tensor(einsum_, node.text()); found >= 0) return found;
    if (of_layers_ && plays < std::ssize(roles_.operands)) {
        remark(node);
        return static_cast<int>(plays);
    }
    try {
        return tensor_named(node, einsum_);
    } catch (const InputError& error) {
        throw InputError(error.code(), error.where(),
                         error.message() + "; --rename OLD=NEW gives a tensor of the layer that name");
    }
}

std::vector<int> SparseNames::dimensions(const Node& node) {
    if (const int found = find_dimension(einsum_, node.text()); found >= 0) return {found};
    const int part = part_named(node.text());
    const std::vector<int> plays = of_layers_ ? roles_.dimensions_of(part) : std::vector<int>{};
    if (plays.empty())
        node.fail(ErrorCode::unknown_name, "the problem has no dimension '" + node.text() + "'" +
                                               did_you_mean(node.text(), names_of(einsum_.dimensions)));
    remark(node);
    return plays;
}

void SparseNames::remark(const Node& node) {
    const std::string file = node.where().file;
    found_[file].remarks.insert(remark_on_roles(file, roles_, einsum_, kRenameDecides));
}

void read_formats(const Node& section, SparseNames& names, int loops, const Memory& memory,
                  sparse::MemoryDesign& built) {
    const Einsum& einsum = names.einsum();
    const std::size_t most = einsum.dimensions.size() * static_cast<std::size_t>(loops);
    section.expect_keys({"data_spaces"});
    const Node* spaces = section.find("data_spaces");
    if (spaces == nullptr) return;
    for (const Node& space : spaces->items()) {
        space.expect_keys({"name", "rank_application_order", "ranks"});
        const int tensor = names.tensor(space.at("name"));
        const Node& ranks = space.at("ranks");
        if (ranks.items().size() > most)
            ranks.items()[most].fail(ErrorCode::bad_value, std::to_string(ranks.items().size()) +
                                                               " ranks; a rank is of a loop at least, and " +
                                                               std::to_string(einsum.dimensions.size()) +
                                                               " dimensions have at most " + std::to_string(most) +
                                                               " loops here");
        sparse::TensorFormat format;
        format.inner_to_outer = is_inner_to_outer(space);
        for (const Node& rank : ranks.items()) format.ranks.push_back(read_rank(rank, names, memory, built));
        if (format.ranks.empty()) ranks.fail(ErrorCode::bad_value, "a format has at least one rank");
        std::reverse(format.ranks.begin(), format.ranks.end());
        check_order(format.ranks, ranks);
        built.formats[tensor] = std::move(format);
    }
}

void read_actions(const Node& section, SparseNames& names, sparse::MemoryDesign& built) {
    const Node* type = nullptr;
    std::vector<const std::vector<sparse::OptionGroup>*> begun;  // a level's later list replaces the first
    for (const Node& item : section.items()) {
        item.expect_keys({"type", "options", "target", "condition_on"});
        if (const Node* given = item.find("type"); given != nullptr && !given->is_null()) type = given;
        if (type == nullptr) item.fail(ErrorCode::missing_key, "the key 'type' is missing");
        std::vector<sparse::OptionGroup>& groups = groups_of(*type, built);
        if (std::find(begun.begin(), begun.end(), &groups) == begun.end()) groups.clear();
        begun.push_back(&groups);
        sparse::OptionGroup group;
        const Node* options = item.find("options");
        if (options == nullptr) group.push_back(read_option(item, names));
        for (std::size_t i = 0; options != nullptr && i < options->items().size(); ++i) {
            options->items()[i].expect_keys({"target", "condition_on"});
            group.push_back(read_option(options->items()[i], names));
        }
        if (group.empty()) item.fail(ErrorCode::bad_value, "a group of optimizations needs at least one option");
        if (&groups == &built.spatial_skipping && group.size() > 1)
            item.fail(ErrorCode::unsupported, "skipping_spatial takes one option in a group");
        groups.push_back(std::move(group));
    }
}

void read_compute_actions(const Node& section, sparse::Design& design) {
    for (const Node& item : section.items()) {
        item.expect_keys({"type"});
        const Node& type = item.at("type");
        const std::string name = word_of(type);
        if (name == "gating" || name == "gate_on_zero_operand")
            design.gates_computes = true;
        else if (name == "skipping" || name == "skip_on_not_aligned_operands")
            design.skips_computes = true;
        else
            type.fail(ErrorCode::bad_value,
                      "expected gating (gate_on_zero_operand) or skipping (skip_on_not_aligned_operands), found '" +
                          name + "'");
    }
}

}  // namespace tilewright::timeloop
