#include "yaml/node.hpp"

#include <libfyaml.h>

#include <algorithm>
#include <charconv>
#include <cmath>
#include <map>
#include <set>

#include "base/files/file.hpp"
#include "base/printable.hpp"
#include "yaml/node_data.hpp"

namespace tilewright::yaml {

namespace {

struct DocumentDeleter {
    fy_parser* parser;
    void operator()(fy_document* document) const { fy_parse_document_destroy(parser, document); }
};
struct ParserDeleter {
    void operator()(fy_parser* parser) const { fy_parser_destroy(parser); }
};
struct DiagDeleter {
    // Unlike unref, destroy also frees the collected errors.
    void operator()(fy_diag* diag) const { fy_diag_destroy(diag); }
};

std::string lower(std::string_view text) {
    std::string folded(text);
    for (char& c : folded) c = static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
    return folded;
}

bool is_null_text(std::string_view text) { return text.empty() || text == "~" || lower(text) == "null"; }

// YAML 1.1, common in the field's tools, allows grouped digits: 16_777_216. Only between digits: "1_" is a word.
std::string without_separators(std::string_view text) {
    const auto is_digit = [&](std::size_t at) {
        return at < text.size() && std::isdigit(static_cast<unsigned char>(text[at])) != 0;
    };
    std::string digits;
    for (std::size_t at = 0; at < text.size(); ++at) {
        const bool separates = text[at] == '_' && at > 0 && is_digit(at - 1) && is_digit(at + 1);
        if (!separates) digits.push_back(text[at]);
    }
    return digits;
}

std::optional<double> number_in(std::string_view written) {
    const std::string digits = without_separators(written);
    std::string_view text = digits;
    if (!text.empty() && text.front() == '+') text.remove_prefix(1);
    if (text.empty()) return std::nullopt;
    double value = 0.0;
    const auto [end, problem] = std::from_chars(text.data(), text.data() + text.size(), value);
    if (problem != std::errc{} || end != text.data() + text.size() || !std::isfinite(value)) return std::nullopt;
    return value;
}

const std::string kEmptyText;

constexpr std::string_view kInsertion = "\xEE\x80\x80";  // U+E000, for private use

fy_node* key_of(fy_node_pair* pair) { return pair == nullptr ? nullptr : fy_node_pair_key(pair); }

}  // namespace

std::string insertion_text(std::size_t index) { return std::string(kInsertion) + std::to_string(index); }

Location Source::place(int line, int column) const {
    if (line < 1) return {file, 0, 0};
    if (origin.empty()) return {file, line, column};
    const std::size_t index = std::min<std::size_t>(static_cast<std::size_t>(line) - 1, origin.size() - 1);
    return {origin[index].first, origin[index].second, column};
}

std::string_view Source::line(int line) const {
    std::size_t begin = 0;
    for (int i = 1; i < line; ++i) {
        const std::size_t end = text.find('\n', begin);
        if (end == std::string::npos) return {};
        begin = end + 1;
    }
    std::string_view rest = std::string_view(text).substr(begin);
    return rest.substr(0, rest.find_first_of("\r\n"));
}

class Builder {
   public:
    Builder(std::shared_ptr<const IndexedSource> source, Duplicates duplicates, fy_document* document)
        : source_(std::move(source)), duplicates_(duplicates) {
        void* cursor = nullptr;
        while (fy_anchor* anchor = fy_document_anchor_iterate(document, &cursor))
            with_anchor_.insert(fy_anchor_node(anchor));
    }

    Node build(fy_node* node, int depth = 0) {
        if (node == nullptr) return finish({});
        if (depth > kMaxDepth) fail(node, too_deep());
        deepest_ = std::max(deepest_, depth);
        if (++count_ > kMaxNodes) fail(node, too_many());
        if (fy_node_is_alias(node)) return build_alias(node, depth);
        switch (fy_node_get_type(node)) {
            case FYNT_SCALAR: return build_scalar(node);
            case FYNT_SEQUENCE: return build_sequence(node, depth);
            case FYNT_MAPPING: return build_map(node, depth);
        }
        return finish({});
    }

   private:
    // libfyaml gives the starts of scalars; a collection starts at its first value, an empty one at the end of the last
    // value.
    Node::Data placed(fy_node* node) {
        Node::Data data;
        data.source = source_;
        data.anchored = with_anchor_.contains(node);
        fy_node* first = node;
        while (first != nullptr && !fy_node_is_alias(first) && fy_node_get_type(first) != FYNT_SCALAR)
            first = fy_node_get_type(first) == FYNT_SEQUENCE ? fy_node_sequence_get_by_index(first, 0)
                                                             : key_of(fy_node_mapping_get_by_index(first, 0));
        fy_token* token = first == nullptr ? nullptr : fy_node_get_scalar_token(first);
        if (const fy_mark* mark = token == nullptr ? nullptr : fy_token_start_mark(token)) {
            line_ = mark->line + 1;
            column_ = mark->column + 1;
        }
        data.line = line_;
        data.column = column_;
        if (fy_token* tag = fy_node_get_tag_token(node)) {
            std::size_t length = 0;
            if (const char* text = fy_token_get_text(tag, &length)) data.tag.assign(text, length);
        }
        return data;
    }

    Node finish(Node::Data data) const {
        if (data.source == nullptr) data.source = source_;
        return Node(std::make_shared<const Node::Data>(std::move(data)));
    }

    [[noreturn]] void fail(fy_node* node, const std::string& message) {
        Node::Data data = placed(node);
        finish(std::move(data)).fail(ErrorCode::syntax, message);
    }

    Node build_alias(fy_node* node, int depth) {
        fy_node* target = fy_node_resolve_alias(node);
        if (target == nullptr) fail(node, "the alias refers to an anchor that is not defined before it");
        if (!open_.insert(target).second) fail(node, "the alias refers to a value that contains it");
        Node built = shared_copy(target, depth);
        open_.erase(target);
        return built;
    }

    // An anchored value is built once, however many aliases refer to it; each counts in full, as readers traverse it as
    // often.
    Node shared_copy(fy_node* target, int depth) {
        if (const auto known = shared_.find(target); known != shared_.end()) {
            count_ += known->second.values;
            if (count_ > kMaxNodes) fail(target, too_many());
            if (depth + known->second.levels > kMaxDepth) fail(target, too_deep());
            deepest_ = std::max(deepest_, depth + known->second.levels);
            return known->second.node;
        }
        const std::int64_t before = count_;
        const int deepest_elsewhere = std::exchange(deepest_, depth);
        Node built = build(target, depth + 1);
        shared_.emplace(target, Shared{built, count_ - before, deepest_ - depth});
        deepest_ = std::max(deepest_, deepest_elsewhere);
        return built;
    }

    static std::string too_deep() { return "nested deeper than " + std::to_string(kMaxDepth) + " levels"; }

    static std::string too_many() { return "more than " + std::to_string(kMaxNodes) + " values (aliases expanded)"; }

    void count_nodes(const Node& inserted, const Node& place) {
        if (++count_ > kMaxNodes)
            place.fail(ErrorCode::syntax, "more than " + std::to_string(kMaxNodes) + " values (included ones too)");
        if (inserted.is_sequence())
            for (const Node& item : inserted.items()) count_nodes(item, place);
        if (inserted.is_map())
            for (const Node::Entry& entry : inserted.entries()) count_nodes(entry.value, place);
    }

    // The value of an insertion's text; "INSERTION.a.b" is the value under its keys.
    std::optional<Node> insertion(const Node::Data& data) const {
        std::size_t index = 0;
        const std::string_view rest = std::string_view(data.text).substr(kInsertion.size());
        const auto [end, problem] = std::from_chars(rest.data(), rest.data() + rest.size(), index);
        if (problem != std::errc{} || index >= source_->insertions.size()) return std::nullopt;
        Node found = source_->insertions[index];
        std::string_view keys = rest.substr(static_cast<std::size_t>(end - rest.data()));
        while (keys.size() > 1 && keys.front() == '.') {
            const std::string_view key = keys.substr(1, keys.find('.', 1) - 1);
            const Node* inside = found.is_map() ? found.find(key) : nullptr;
            if (inside == nullptr)
                finish(data).fail(ErrorCode::missing_key, "the included value has no key '" + std::string(key) + "'");
            found = *inside;
            keys.remove_prefix(key.size() + 1);
        }
        return keys.empty() ? std::optional(found) : std::nullopt;
    }

    Node build_scalar(fy_node* node) {
        Node::Data data = placed(node);
        std::size_t length = 0;
        if (const char* text = fy_node_get_scalar(node, &length)) data.text.assign(text, length);
        data.quoted = fy_node_get_style(node) != FYNS_PLAIN && fy_node_get_style(node) != FYNS_ANY;
        data.block = fy_node_get_style(node) == FYNS_LITERAL || fy_node_get_style(node) == FYNS_FOLDED;
        if (!data.quoted && data.text.starts_with(kInsertion))
            if (const std::optional<Node> inserted = insertion(data)) {
                count_nodes(*inserted, finish(data));
                return *inserted;
            }
        data.kind = !data.quoted && is_null_text(data.text) ? Node::Kind::null : Node::Kind::scalar;
        return finish(std::move(data));
    }

    Node build_sequence(fy_node* node, int depth) {
        Node::Data data = placed(node);
        data.kind = Node::Kind::sequence;
        void* cursor = nullptr;
        open_.insert(node);
        while (fy_node* item = fy_node_sequence_iterate(node, &cursor)) data.items.push_back(build(item, depth + 1));
        open_.erase(node);
        return finish(std::move(data));
    }

    Node build_map(fy_node* node, int depth) {
        Node::Data data = placed(node);
        data.kind = Node::Kind::map;
        std::vector<Node> shallow;
        std::vector<Node> deep;
        void* cursor = nullptr;
        open_.insert(node);
        while (fy_node_pair* pair = fy_node_mapping_iterate(node, &cursor)) {
            Node key = build(fy_node_pair_key(pair), depth + 1);
            Node value = build(fy_node_pair_value(pair), depth + 1);
            if (!key.is_scalar() && !key.is_null()) key.fail(ErrorCode::syntax, "a key has to be plain text");
            const std::string text = key.is_null() ? kEmptyText : key.text();
            if (text.size() > kMaxKey)
                key.fail(ErrorCode::syntax,
                         "a key of " + std::to_string(text.size()) + " bytes; the most is " + std::to_string(kMaxKey));
            if (text == "<<" || text == "<<<")
                add_merge(value, text == "<<" ? shallow : deep);
            else
                data.entries.push_back({text, key, value});
        }
        open_.erase(node);
        if (duplicates_ == Duplicates::last_wins) drop_overridden(data);
        refuse_duplicates(data.entries);
        Node built = finish(std::move(data));
        if (!shallow.empty()) built = filled_from(built, shallow);
        for (const Node& base : deep) built = merged_counting(base, built, copied_);
        return built;
    }

    // libfyaml would compare each key with all others; a set is faster, and also finds duplicates after unquoting.
    static void refuse_duplicates(const std::vector<Node::Entry>& entries) {
        std::set<std::string_view> seen;
        for (const Node::Entry& entry : entries)
            if (!seen.insert(entry.key).second) entry.key_node.fail(ErrorCode::duplicate_key, "duplicate key");
    }

    static void drop_overridden(Node::Data& data) {
        std::set<std::string> seen;
        std::vector<Node::Entry> kept;
        for (auto entry = data.entries.rbegin(); entry != data.entries.rend(); ++entry) {
            if (seen.insert(entry->key).second)
                kept.push_back(*entry);
            else
                data.overridden.push_back(entry->key_node);
        }
        data.entries.assign(kept.rbegin(), kept.rend());
    }

    static void add_merge(const Node& value, std::vector<Node>& merges) {
        if (value.is_map()) {
            merges.push_back(value);
            return;
        }
        if (!value.is_sequence()) value.fail(ErrorCode::wrong_type, "a merge needs a map or a list of maps");
        for (const Node& item : value.items()) {
            if (!item.is_map()) item.fail(ErrorCode::wrong_type, "a merge needs maps");
            merges.push_back(item);
        }
    }

    // YAML's own merge: keys of `map` win, earlier merges win over later ones, values are not combined.
    static Node filled_from(const Node& map, const std::vector<Node>& bases) {
        std::vector<Node::Entry> entries = map.entries();
        std::set<std::string_view> keys;
        for (const Node::Entry& entry : map.entries()) keys.insert(entry.key);
        for (const Node& base : bases)
            for (const Node::Entry& entry : base.entries())
                if (keys.insert(entry.key).second) entries.push_back(entry);
        return Node::map(std::move(entries), map).with_tag(map.tag());
    }

    // Adds its copies to `copied`: nested merges multiply.
    static Node merged_counting(const Node& base, const Node& over, std::int64_t& copied) {
        if (!base.is_map() || !over.is_map()) return over;
        copied += static_cast<std::int64_t>(base.entries().size() + over.entries().size());
        if (copied > kMostCopied)
            over.fail(ErrorCode::syntax, "merges copy more than " + std::to_string(kMostCopied) + " values");
        std::vector<Node::Entry> entries = base.entries();
        std::map<std::string_view, std::size_t> places;
        for (std::size_t i = 0; i < entries.size(); ++i) places.emplace(base.entries()[i].key, i);
        for (const Node::Entry& entry : over.entries()) {
            const auto [same, is_new] = places.emplace(entry.key, entries.size());
            if (is_new)
                entries.push_back(entry);
            else
                entries[same->second] = {entry.key, entry.key_node,
                                         merged_counting(entries[same->second].value, entry.value, copied)};
        }
        return Node::map(std::move(entries), over).with_tag(over.tag().empty() ? base.tag() : over.tag());
    }

    static constexpr std::int64_t kMostCopied = 2 * kMaxNodes;
    std::int64_t copied_ = 0;  // by merges
    friend class Node;

    std::shared_ptr<const IndexedSource> source_;
    Duplicates duplicates_;
    std::int64_t count_ = 0;
    int line_ = 1;  // of the last placed value
    int column_ = 1;
    std::set<const fy_node*> open_;
    struct Shared {
        Node node;
        std::int64_t values;  ///< in it, itself included
        int levels;           ///< of nesting
    };
    std::map<const fy_node*, Shared> shared_;
    std::set<const fy_node*> with_anchor_;
    int deepest_ = 0;
};

Node::Kind Node::kind() const { return data_ == nullptr ? Kind::null : data_->kind; }
const std::string& Node::tag() const { return data_ == nullptr ? kEmptyText : data_->tag; }
bool Node::is_quoted() const { return data_ != nullptr && data_->quoted; }
bool Node::is_block() const { return data_ != nullptr && data_->block; }

bool Node::holds_anchor() const {
    if (data_ == nullptr) return false;
    const auto holds = [](const Node& node) { return node.holds_anchor(); };
    return data_->anchored || std::any_of(data_->items.begin(), data_->items.end(), holds) ||
           std::any_of(data_->entries.begin(), data_->entries.end(),
                       [&](const Entry& entry) { return holds(entry.value); });
}

Location Node::where() const {
    if (data_ == nullptr || data_->source == nullptr) return {};
    return data_->source->place(data_->line, data_->column);
}

void Node::fail(ErrorCode code, const std::string& message) const {
    if (data_ == nullptr || data_->source == nullptr) throw InputError(code, {}, message);
    throw InputError(code, where(), message, source_line());
}

std::string_view Node::source_line() const {
    if (data_ == nullptr || data_->source == nullptr || data_->line <= 0) return "";
    return data_->source->line_at(data_->line);
}

const std::vector<Node::Entry>& Node::entries() const {
    static const std::vector<Entry> kNone;
    if (is_null()) return kNone;
    if (!is_map()) fail(ErrorCode::wrong_type, "expected a map (key: value)");
    return data_->entries;
}

const Node* Node::find(std::string_view key) const {
    for (const Entry& entry : entries())
        if (entry.key == key) return &entry.value;
    return nullptr;
}

const std::vector<Node>& Node::overridden() const {
    static const std::vector<Node> kNone;
    return data_ == nullptr ? kNone : data_->overridden;
}

const Node& Node::at(std::string_view key) const {
    const Node* value = find(key);
    if (value == nullptr) fail(ErrorCode::missing_key, "the key '" + std::string(key) + "' is missing");
    return *value;
}

void Node::expect_keys(const std::vector<std::string>& known) const {
    for (const Entry& entry : entries())
        if (std::find(known.begin(), known.end(), entry.key) == known.end())
            entry.key_node.fail(ErrorCode::unknown_key,
                                "unknown key '" + entry.key + "'" + did_you_mean(entry.key, known));
}

const std::vector<Node>& Node::items() const {
    static const std::vector<Node> kNone;
    if (is_null()) return kNone;
    if (!is_sequence()) fail(ErrorCode::wrong_type, "expected a list");
    return data_->items;
}

const std::string& Node::text() const {
    if (!is_scalar()) fail(ErrorCode::wrong_type, "expected a plain value");
    return data_->text;
}

std::optional<double> Node::try_real() const { return is_scalar() ? number_in(data_->text) : std::nullopt; }

double Node::real() const {
    const std::optional<double> value = try_real();
    if (!value) fail(ErrorCode::wrong_type, "expected a number" + (is_scalar() ? ", found '" + text() + "'" : ""));
    return *value;
}

std::int64_t Node::integer() const {
    const std::string& written = text();
    const std::string digits = without_separators(written);
    const char* begin = digits.data();
    const char* end = begin + digits.size();
    const bool hex = digits.size() > 2 && digits[0] == '0' && (digits[1] == 'x' || digits[1] == 'X');
    if (hex) begin += 2;
    if (!hex && begin != end && *begin == '+') ++begin;
    std::int64_t value = 0;
    const auto [stop, problem] = std::from_chars(begin, end, value, hex ? 16 : 10);
    if (problem == std::errc::result_out_of_range)
        fail(ErrorCode::overflow, "'" + written + "' does not fit in 64 bits");
    if (problem == std::errc{} && stop == end) return value;
    const std::optional<double> number = number_in(written);
    if (!number || *number != std::floor(*number))
        fail(ErrorCode::wrong_type, "expected a whole number, found '" + written + "'");
    if (std::abs(*number) > 9.0e18) fail(ErrorCode::overflow, "'" + written + "' does not fit in 64 bits");
    return static_cast<std::int64_t>(*number);
}

std::int64_t Node::positive() const {
    const std::int64_t value = integer();
    if (value < 1) fail(ErrorCode::bad_value, "expected a whole number of at least 1, found " + std::to_string(value));
    return value;
}

bool Node::boolean() const {
    const std::string written = lower(text());
    if (written == "true" || written == "yes" || written == "on") return true;
    if (written == "false" || written == "no" || written == "off") return false;
    fail(ErrorCode::wrong_type, "expected true or false, found '" + text() + "'");
}

namespace {
template <class Data>
Data at_place(const Data* place) {
    Data data;
    if (place == nullptr) return data;
    data.source = place->source;
    data.anchored = place->anchored;
    data.line = place->line;
    data.column = place->column;
    return data;
}
}  // namespace

Node Node::null_at(const Node& place) { return Node(std::make_shared<const Data>(at_place(place.data_.get()))); }

Node Node::scalar(std::string text, const Node& place) {
    Data data = at_place(place.data_.get());
    data.kind = Kind::scalar;
    data.text = std::move(text);
    return Node(std::make_shared<const Data>(std::move(data)));
}

Node Node::sequence(std::vector<Node> items, const Node& place) {
    Data data = at_place(place.data_.get());
    data.kind = Kind::sequence;
    data.items = std::move(items);
    return Node(std::make_shared<const Data>(std::move(data)));
}

Node Node::map(std::vector<Entry> entries, const Node& place) {
    Data data = at_place(place.data_.get());
    data.kind = Kind::map;
    data.entries = std::move(entries);
    return Node(std::make_shared<const Data>(std::move(data)));
}

Node Node::with_tag(std::string tag) const {
    Data data = data_ == nullptr ? Data{} : *data_;
    data.tag = std::move(tag);
    return Node(std::make_shared<const Data>(std::move(data)));
}

Node Node::merged(const Node& base, const Node& over) {
    std::int64_t copied = 0;
    return Builder::merged_counting(base, over, copied);
}

namespace {

// libfyaml can hang on non-UTF-8 bytes, and takes a NUL byte for the end of the text.
void refuse_bytes_of_no_text(const Source& source) {
    const std::size_t place = std::min(first_invalid_utf8(source.text), source.text.find('\0'));
    if (place == source.text.size()) return;
    const auto begin = source.text.begin();
    const auto end = begin + static_cast<std::ptrdiff_t>(place);
    const int line = static_cast<int>(std::count(begin, end, '\n')) + 1;
    const std::size_t line_begin = source.text.rfind('\n', place == 0 ? 0 : place - 1);
    const std::size_t column = place == 0 || line_begin == std::string::npos ? place + 1 : place - line_begin;
    throw InputError(ErrorCode::syntax, source.place(line, static_cast<int>(column)),
                     source.text[place] == '\0' ? "this byte is NUL; is it a text file?"
                                                : "this byte is not valid UTF-8; is it a text file?");
}

struct EventDeleter {
    fy_parser* parser;
    void operator()(fy_event* event) const { fy_parser_event_free(parser, event); }
};

std::unique_ptr<fy_parser, ParserDeleter> parser_of(const Source& source, fy_diag* diag) {
    fy_parse_cfg config{};
    config.flags = static_cast<fy_parse_cfg_flags>(FYPCF_QUIET | FYPCF_ALLOW_DUPLICATE_KEYS |
                                                   (diag == nullptr ? 0 : FYPCF_COLLECT_DIAG));
    config.diag = diag;
    std::unique_ptr<fy_parser, ParserDeleter> parser(fy_parser_create(&config));
    if (parser == nullptr || fy_parser_set_string(parser.get(), source.text.data(), source.text.size()) != 0)
        throw InputError(ErrorCode::syntax, {source.file}, "not a YAML document");
    return parser;
}

// libfyaml traverses all anchors of a document for every freed value and every alias.
void refuse_too_many_anchors(const Source& source) {
    constexpr std::int64_t kMost = 100'000'000;
    const auto size = static_cast<std::int64_t>(source.text.size());
    if (std::count(source.text.begin(), source.text.end(), '&') * size <= kMost) return;
    const std::unique_ptr<fy_parser, ParserDeleter> parser = parser_of(source, nullptr);
    std::int64_t anchors = 0;
    std::int64_t values = 0;
    Location last{source.file};
    while (const std::unique_ptr<fy_event, EventDeleter> event{fy_parser_parse(parser.get()), {parser.get()}}) {
        values += event->type == FYET_SCALAR || event->type == FYET_ALIAS || event->type == FYET_SEQUENCE_START ||
                          event->type == FYET_MAPPING_START
                      ? 1
                      : 0;
        fy_token* anchor = fy_event_get_anchor_token(event.get());
        if (anchor == nullptr) continue;
        ++anchors;
        if (const fy_mark* mark = fy_token_start_mark(anchor))
            last = source.place(mark->line + 1, mark->column);  // of its '&'
    }
    if (anchors * values > kMost)
        throw InputError(ErrorCode::syntax, last,
                         std::to_string(anchors) + " anchors among " + std::to_string(values) +
                             " values: too many (at most " + std::to_string(kMost) + " when multiplied)");
}

// libfyaml's first error, as ours.
[[noreturn]] void throw_syntax_error(fy_diag* diag, const Source& source) {
    void* cursor = nullptr;
    const fy_diag_error* error = fy_diag_errors_iterate(diag, &cursor);
    if (error == nullptr) throw InputError(ErrorCode::syntax, {source.file}, "not a YAML document");
    std::string message = error->msg == nullptr ? "not a YAML document" : error->msg;
    const ErrorCode code =
        message.find("duplicate key") != std::string::npos ? ErrorCode::duplicate_key : ErrorCode::syntax;
    while (!message.empty() && message.back() == '\n') message.pop_back();
    throw InputError(code, source.place(error->line, error->column), message, source.line(error->line));
}

}  // namespace

std::vector<Node> parse_documents(const Source& source, Duplicates duplicates) {
    refuse_bytes_of_no_text(source);
    refuse_too_many_anchors(source);
    const auto shared = std::make_shared<const IndexedSource>(source);
    fy_diag_cfg diag_config;
    fy_diag_cfg_default(&diag_config);
    diag_config.fp = nullptr;
    const std::unique_ptr<fy_diag, DiagDeleter> diag(fy_diag_create(&diag_config));
    fy_diag_set_collect_errors(diag.get(), true);
    const std::unique_ptr<fy_parser, ParserDeleter> parser = parser_of(*shared, diag.get());
    std::vector<Node> documents;
    while (true) {
        const std::unique_ptr<fy_document, DocumentDeleter> document(fy_parse_load_document(parser.get()),
                                                                     DocumentDeleter{parser.get()});
        if (document == nullptr) break;
        Node root = Builder(shared, duplicates, document.get()).build(fy_document_root(document.get()));
        if (documents.empty() || !root.is_null()) documents.push_back(std::move(root));
    }
    if (fy_diag_got_error(diag.get())) throw_syntax_error(diag.get(), source);
    if (documents.empty()) throw InputError(ErrorCode::syntax, {source.file}, "the file is empty");
    return documents;
}

Node parse(const Source& source, Duplicates duplicates) {
    const std::vector<Node> documents = parse_documents(source, duplicates);
    if (documents.size() > 1)
        documents[1].fail(ErrorCode::unsupported, "a second document begins here; expected one in this kind of file");
    return documents.front();
}

Node parse_text(std::string_view text, std::string file, Duplicates duplicates) {
    return parse(Source{std::string(text), std::move(file), {}, {}}, duplicates);
}

Node parse_file(const std::filesystem::path& path, Duplicates duplicates, std::uintmax_t most_bytes) {
    return parse(Source{read_file(path, most_bytes), path.string(), {}, {}}, duplicates);
}

}  // namespace tilewright::yaml
