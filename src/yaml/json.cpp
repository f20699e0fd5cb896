#include "yaml/json.hpp"

#include <memory>
#include <nlohmann/json.hpp>
#include <set>
#include <string_view>
#include <utility>

#include "yaml/node_data.hpp"

namespace tilewright::yaml {

/// Tokens of syntactically valid text, with places and spelling.
class JsonTokens {
   public:
    explicit JsonTokens(std::string_view text) : text_(text) {}

    int line() const { return line_; }
    int column() const { return column_; }  ///< in characters

    /// The next one, as written.
    std::string_view next() {
        while (at_ < text_.size() && std::string_view(" \t\r\n,:").find(text_[at_]) != std::string_view::npos) step();
        line_ = next_line_;
        column_ = next_column_;
        const std::size_t begin = at_;
        if (at_ == text_.size()) return {};
        if (text_[at_] == '"')
            step_over_string();
        else if (std::string_view("[]{}").find(text_[at_]) != std::string_view::npos)
            step();
        else
            while (at_ < text_.size() && std::string_view(" \t\r\n,:]}").find(text_[at_]) == std::string_view::npos)
                step();
        return text_.substr(begin, at_ - begin);
    }

   private:
    void step() {
        const auto byte = static_cast<unsigned char>(text_[at_++]);
        if (byte == '\n') {
            ++next_line_;
            next_column_ = 1;
        } else if ((byte & 0xC0U) != 0x80U) {
            ++next_column_;
        }
    }
    void step_over_string() {
        step();
        while (at_ < text_.size() && text_[at_] != '"') {
            if (text_[at_] == '\\') step();
            if (at_ < text_.size()) step();
        }
        if (at_ < text_.size()) step();
    }

    std::string_view text_;
    std::size_t at_ = 0;
    int next_line_ = 1;
    int next_column_ = 1;
    int line_ = 1;
    int column_ = 1;
};

// Takes the events of nlohmann's parser; false ends it.
class JsonBuilder {
   public:
    using Json = nlohmann::json;

    JsonBuilder(std::shared_ptr<const IndexedSource> source, const Items* items)
        : source_(std::move(source)), items_(items), tokens_(source_->text) {}

    std::optional<Node> root() && { return std::move(root_); }

    bool null() { return plain(Node::Kind::null); }
    bool boolean(bool) { return plain(Node::Kind::scalar); }
    bool number_integer(Json::number_integer_t) { return plain(Node::Kind::scalar); }
    bool number_unsigned(Json::number_unsigned_t) { return plain(Node::Kind::scalar); }
    bool number_float(Json::number_float_t, const Json::string_t&) { return plain(Node::Kind::scalar); }
    bool string(Json::string_t& text) {
        tokens_.next();
        Node::Data data = here(1);
        data.kind = Node::Kind::scalar;
        data.quoted = true;
        data.text = std::move(text);
        return add(std::move(data));
    }
    bool binary(Json::binary_t&) { return false; }

    bool start_object(std::size_t) { return open(Node::Kind::map); }
    bool start_array(std::size_t) { return open(Node::Kind::sequence); }
    bool key(Json::string_t& text) {
        if (text.size() > kMaxKey || text == "<<" || text == "<<<") return false;
        tokens_.next();
        Node::Data data = here(1);
        data.kind = Node::Kind::scalar;
        data.quoted = true;
        data.text = text;
        Frame& frame = open_.back();
        frame.key = std::move(text);
        frame.key_node = made(std::move(data));
        return count() && frame.keys.insert(frame.key).second;
    }
    bool end_object() { return close(); }
    bool end_array() { return close(); }
    bool parse_error(std::size_t, const std::string&, const nlohmann::detail::exception&) { return false; }

   private:
    struct Frame {
        Node::Data data;
        std::string key;  ///< of the current entry
        Node key_node;
        std::set<std::string> keys;
        bool is_placed = false;
    };

    // `inside`: characters from the token's begin; texts stand behind their quotation marks.
    Node::Data here(int inside = 0) {
        Node::Data data;
        data.source = source_;
        data.line = tokens_.line();
        data.column = tokens_.column() + inside;
        last_line_ = data.line;
        last_column_ = data.column;
        place_open_ones();
        return data;
    }

    // A collection has the place of its first value, an empty one of the preceding value.
    void place_open_ones() {
        for (auto frame = open_.rbegin(); frame != open_.rend() && !frame->is_placed; ++frame) {
            frame->is_placed = true;
            frame->data.line = last_line_;
            frame->data.column = last_column_;
        }
    }

    static Node made(Node::Data data) { return Node(std::make_shared<const Node::Data>(std::move(data))); }

    bool count() { return ++(in_parts() ? in_part_ : in_items() ? in_item_ : in_rest_) <= kMaxNodes; }

    bool plain(Node::Kind kind) {
        const std::string_view text = tokens_.next();
        Node::Data data = here();
        data.kind = kind;
        data.text = text;
        return add(std::move(data));
    }

    bool open(Node::Kind kind) {
        tokens_.next();
        Frame frame;
        frame.data.kind = kind;
        frame.data.source = source_;
        open_.push_back(std::move(frame));
        return open_.size() <= static_cast<std::size_t>(kMaxDepth);
    }

    bool close() {
        tokens_.next();
        place_open_ones();
        Frame frame = std::move(open_.back());
        open_.pop_back();
        return add(std::move(frame.data));
    }

    bool is_items(const Frame& frame) const {
        return items_ != nullptr && &frame == &open_[1] && frame.data.kind == Node::Kind::sequence &&
               open_[0].key == items_->key;
    }
    bool in_items() const { return open_.size() > 1 && is_items(open_[1]); }
    bool in_parts() const {
        return open_.size() > 3 && in_items() && items_->take_part && open_[3].data.kind == Node::Kind::sequence &&
               open_[2].key == items_->part_key;
    }

    bool add(Node::Data data) {
        if (!count()) return false;
        Node node = made(std::move(data));
        if (open_.empty()) {
            root_ = std::move(node);
            return true;
        }
        Frame& frame = open_.back();
        if (open_.size() == 2 && is_items(frame)) {
            in_item_ = 0;
            return items_->take(open_[0].data.entries, node);
        }
        if (open_.size() == 4 && in_parts()) {
            in_part_ = 0;
            items_->take_part(node);
            return true;
        }
        if (frame.data.kind == Node::Kind::sequence)
            frame.data.items.push_back(std::move(node));
        else
            frame.data.entries.push_back({std::move(frame.key), std::move(frame.key_node), std::move(node)});
        return true;
    }

    std::shared_ptr<const IndexedSource> source_;
    const Items* items_;
    JsonTokens tokens_;
    std::vector<Frame> open_;
    std::optional<Node> root_;
    std::int64_t in_rest_ = 0;
    std::int64_t in_item_ = 0;
    std::int64_t in_part_ = 0;
    int last_line_ = 1;
    int last_column_ = 1;
};

std::optional<Node> try_json(std::string text, std::string file, const Items* items) {
    if (text.find('\0') != std::string::npos) return std::nullopt;  // nlohmann's parser would end there
    const auto source = std::make_shared<const IndexedSource>(Source{std::move(text), std::move(file), {}, {}});
    JsonBuilder builder(source, items);
    if (!nlohmann::json::sax_parse(source->text, &builder)) return std::nullopt;
    return std::move(builder).root();
}

}  // namespace tilewright::yaml
