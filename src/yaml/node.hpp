// A parsed YAML (or JSON) document as a tree of values with source places.
//
// parse() reads one document through libfyaml, resolves anchors, `<<` (shallow) and `<<<` (deep) merges, and refuses
// duplicate keys, cycles and alias bombs. The tree is plain data; nodes are cheap to copy and safe to share between
// threads. All checks of a reader throw InputError at the node's place.
#pragma once

#include <cstdint>
#include <filesystem>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/error.hpp"
#include "base/files/file.hpp"

namespace tilewright::yaml {

class Node;

/// A text with the origin of each line (another file after an include).
struct Source {
    std::string text;
    std::string file;
    std::vector<std::pair<std::string, int>> origin;  ///< by line, from 0; empty: line i of `file`
    std::vector<Node> insertions;                     ///< values already read, referenced by insertion_text(i)

    Location place(int line, int column) const;  ///< both from 1, in `text`
    std::string_view line(int line) const;       ///< from 1
};

/// Stand-in for an inserted value: a plain scalar absent from all files.
std::string insertion_text(std::size_t index);

class Node {
   public:
    enum class Kind { null, scalar, sequence, map };
    struct Entry;

    Node() = default;

    Kind kind() const;
    bool is_null() const { return kind() == Kind::null; }
    bool is_scalar() const { return kind() == Kind::scalar; }
    bool is_sequence() const { return kind() == Kind::sequence; }
    bool is_map() const { return kind() == Kind::map; }
    /// "!Component" or "".
    const std::string& tag() const;
    /// True for a quoted scalar: text even if it looks like a number.
    bool is_quoted() const;
    /// True for a text of several lines behind '|' or '>'; such a one is_quoted(), too.
    bool is_block() const;
    /// True with an anchor at this value or inside it.
    bool holds_anchor() const;
    Location where() const;

    // --- maps: order is kept; keys are as written ---
    const std::vector<Entry>& entries() const;  ///< throws wrong_type unless a map (null counts as an empty one)
    const Node* find(std::string_view key) const;
    bool has(std::string_view key) const { return find(key) != nullptr; }
    /// Keys replaced by a later equal one (Duplicates::last_wins).
    const std::vector<Node>& overridden() const;
    const Node& at(std::string_view key) const;  ///< throws missing_key
    /// Throws unknown_key, with the nearest known one, for the first key not in `known`.
    void expect_keys(const std::vector<std::string>& known) const;

    // --- sequences ---
    const std::vector<Node>& items() const;  ///< throws wrong_type unless a sequence (null counts as an empty one)

    // --- scalars ---
    const std::string& text() const;  ///< throws wrong_type unless a scalar
    std::int64_t integer() const;     ///< decimal, 0x..; also 1e6 if whole. Throws wrong_type or overflow
    std::int64_t positive() const;    ///< integer() >= 1, else bad_value
    double real() const;              ///< finite; throws wrong_type
    bool boolean() const;             ///< true/false/yes/no/on/off in any case
    /// The number spelled by all of `text`, if any.
    std::optional<double> try_real() const;

    [[noreturn]] void fail(ErrorCode code, const std::string& message) const;
    /// The line where it is written, for what fails inside its text; "" if that is not known.
    std::string_view source_line() const;

    // --- making and changing trees (readers that desugar) ---
    static Node null_at(const Node& place);
    static Node scalar(std::string text, const Node& place);
    static Node sequence(std::vector<Node> items, const Node& place);
    static Node map(std::vector<Entry> entries, const Node& place);
    Node with_tag(std::string tag) const;

    /// `base` overridden by `over`, recursively through maps; sequences and scalars of `over` replace.
    static Node merged(const Node& base, const Node& over);

   private:
    struct Data;
    explicit Node(std::shared_ptr<const Data> data) : data_(std::move(data)) {}
    std::shared_ptr<const Data> data_;
    friend class Builder;
    friend class JsonBuilder;
};

struct Node::Entry {
    std::string key;
    Node key_node;  ///< for its place
    Node value;
};

/// Duplicate keys of a map: an error, or, as in PyYAML, the last one counts (see Node::overridden).
enum class Duplicates { refuse, last_wins };

/// The document of a text; a second one (after `---`) is refused at its place.
Node parse(const Source& source, Duplicates duplicates = Duplicates::refuse);
/// All documents of a text, at least one; empty ones behind a `---` do not count.
std::vector<Node> parse_documents(const Source& source, Duplicates duplicates = Duplicates::refuse);
Node parse_text(std::string_view text, std::string file = "<text>", Duplicates duplicates = Duplicates::refuse);
Node parse_file(const std::filesystem::path& path, Duplicates duplicates = Duplicates::refuse,
                std::uintmax_t most_bytes = kMostFileBytes);

}  // namespace tilewright::yaml
