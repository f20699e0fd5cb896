#include "yaml/reader.hpp"

#include <charconv>
#include <cmath>
#include <stdexcept>

#include "base/error.hpp"
#include "yaml/writer.hpp"

namespace tilewright::yaml {
namespace {

void refuse_quotes(const Node& node) {
    if (node.is_quoted()) node.fail(ErrorCode::wrong_type, "expected a value without quotes, found text");
}

/// A type's first key: it identifies the alternatives of a variant.
class FirstKey final : public Archive {
   public:
    static std::string of(const Type& type) {
        FirstKey archive;
        const Type::Owned value = type.make();
        type.fields(archive, value.get());
        return archive.key_;
    }
    void constant(const char* key, const char* /*text*/) override { take(key); }

   private:
    void field(const char* key, const Ref& /*value*/, const char* /*about*/, Rule /*rule*/) override { take(key); }
    void grouped(const char* key, const Listing& /*list*/, const char* /*about*/) override { take(key); }
    void part_of(const char* first, const Ref& /*value*/) override { take(first); }
    void items_of(const std::vector<Ref>& /*values*/) override {}
    void take(const char* key) {
        if (key_.empty()) key_ = key;
    }

    std::string key_;
};

class NodeArchive final : public Archive {
   public:
    NodeArchive(const Node& node, const Reader::Rules& rules) : node_(node), rules_(rules) {}

    void constant(const char* key, const char* text) override {
        known_.emplace_back(key);
        const Node* found = node_.find(key);
        if (found != nullptr && found->text() != text)
            found->fail(ErrorCode::bad_value, std::string("expected '") + text + "', found '" + found->text() + "'");
    }
    const Node* node() const override { return &node_; }
    /// Throws for an unrequested key.
    void finish() const {
        if (rules_.refuses_unknown_keys && node_.is_map()) node_.expect_keys(known_);
    }

   private:
    void field(const char* key, const Ref& value, const char* /*about*/, Rule rule) override {
        known_.emplace_back(key);
        const Node* found = rule == Rule::required ? &node_.at(key) : node_.find(key);
        if (found == nullptr) return;
        if (rule == Rule::derived) return expect(*found, value);
        Reader::read_ref(*found, value, rules_);
    }
    void grouped(const char* key, const Listing& list, const char* /*about*/) override {
        known_.emplace_back(key);
        NodeArchive inner(node_.at(key), rules_);
        list(inner);
        inner.finish();
    }
    void part_of(const char* first, const Ref& value) override {
        if (node_.has(first)) value.type->inner->fields(*this, value.type->add(value.value));
    }
    void items_of(const std::vector<Ref>& values) override {
        const std::vector<Node>& items = list_of(node_);
        if (items.size() != values.size())
            node_.fail(ErrorCode::bad_value, "expected " + std::to_string(values.size()) + " values");
        for (std::size_t i = 0; i < items.size(); ++i) Reader::read_ref(items[i], values[i], rules_);
    }

    /// Compares with `value`; a real number only up to rounding: its source words or energies would differ otherwise.
    void expect(const Node& node, const Ref& value) const {
        const Type& type = *value.type;
        if (type.shape == Type::Shape::real && type.range != Type::Range::any) {
            constexpr double kRounding = 1e-9;
            refuse_quotes(node);
            const double follows = types::at<double>(value.value);
            if (!(std::abs(node.real() - follows) <= kRounding * std::abs(follows)))
                node.fail(ErrorCode::bad_value,
                          "expected " + Writer::write(follows).dump() + ", which follows from the values before it");
        } else if (type.shape == Type::Shape::choice) {
            choice_of(node, value);
        } else {
            const Type::Owned written = type.make();
            Reader::read_ref(node, {written.get(), &type}, rules_);
        }
    }

   public:
    /// Index of the name read.
    static std::size_t choice_of(const Node& node, const Ref& value) {
        const std::vector<std::string> names = value.type->names(value.value);
        for (std::size_t i = 0; i < names.size(); ++i)
            if (names[i] == node.text()) return i;
        node.fail(ErrorCode::bad_value, "expected one of " + list_words(names) + ", found '" + node.text() + "'" +
                                            did_you_mean(node.text(), names));
    }

   private:
    const Node& node_;
    const Reader::Rules& rules_;
    std::vector<std::string> known_;
};

void read_unsigned(const Node& node, const Ref& value) {
    refuse_quotes(node);
    const std::string& text = node.text();
    std::uint64_t number = 0;
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
    if (error != std::errc() || end != text.data() + text.size())
        node.fail(ErrorCode::wrong_type, "expected a number from 0 to 2^64 - 1, found '" + text + "'");
    value.type->set_whole(value.value, static_cast<std::int64_t>(number));
}

void read_whole(const Node& node, const Ref& value, const Reader::Rules& rules) {
    if (value.type->is_unsigned && value.type->range == Type::Range::not_negative) return read_unsigned(node, value);
    refuse_quotes(node);
    std::int64_t number = node.integer();
    const bool may_be_negative = value.type->range == Type::Range::any;
    if (!may_be_negative && (number < 0 || number > rules.most_whole))
        node.fail(ErrorCode::bad_value, std::string("expected ") + rules.whole_range);
    if (value.type->range == Type::Range::positive) number = node.positive();
    if (number > value.type->most || number < -value.type->most)
        node.fail(ErrorCode::bad_value, "expected a number up to " + std::to_string(value.type->most));
    value.type->set_whole(value.value, number);
}

void read_real(const Node& node, const Ref& value, const Reader::Rules& rules) {
    refuse_quotes(node);
    auto& number = types::at<double>(value.value);
    number = node.real();
    if (value.type->range == Type::Range::any) {
        if (!(number >= -rules.most && number <= rules.most))
            node.fail(ErrorCode::bad_value, "the number is too large");
    } else if (!(number >= 0.0 && number <= rules.most)) {
        node.fail(ErrorCode::bad_value, std::string("expected ") + rules.range);
    }
}

void read_text(const Node& node, std::string& text) {
    text = node.text();
    if (!node.is_quoted() && (node.try_real() || text == "true" || text == "false"))
        node.fail(ErrorCode::wrong_type, "expected text in quotes, found " + text);
}

// Text if not a number; else the alternative whose first key is present.
void read_variant(const Node& node, const Ref& value, const Reader::Rules& rules) {
    const std::vector<const Type*> alternatives = value.type->alternatives();
    const auto take = [&](std::size_t which) {
        Reader::read_ref(node, {value.type->hold(value.value, which), alternatives[which]}, rules);
    };
    if (alternatives.front()->shape == Type::Shape::real) return take(!node.is_quoted() && node.try_real() ? 0 : 1);
    std::vector<std::string> keys;
    for (std::size_t i = 0; i < alternatives.size(); ++i) {
        keys.push_back(FirstKey::of(*alternatives[i]));
        if (node.has(keys.back())) return take(i);
    }
    node.fail(ErrorCode::missing_key, "expected one of the keys " + list_words(keys));
}

void read_items(const Node& node, const Ref& value, const Reader::Rules& rules) {
    const Type& type = *value.type;
    type.clear(value.value);
    if (type.shape == Type::Shape::list)
        for (const Node& item : list_of(node)) Reader::read_ref(item, {type.add(value.value), type.inner}, rules);
    else
        for (const Node::Entry& entry : node.entries())
            Reader::read_ref(entry.value, {type.add_entry(value.value, entry.key), type.inner}, rules);
}

void read_pairs(const Node& node, const Ref& value, const Reader::Rules& rules) {
    const Type& type = *value.type;
    type.clear(value.value);
    for (const Node& item : list_of(node)) {
        if (item.items().size() != 2) item.fail(ErrorCode::wrong_type, "expected a pair");
        const Type::Owned key = type.keys->make();
        Reader::read_ref(item.items()[0], {key.get(), type.keys}, rules);
        void* place = type.add_pair(value.value, key.get());
        if (place == nullptr) item.fail(ErrorCode::duplicate_key, "the key is given twice");
        Reader::read_ref(item.items()[1], {place, type.inner}, rules);
    }
}

}  // namespace

const std::vector<Node>& list_of(const Node& node) {
    if (!node.is_sequence()) node.fail(ErrorCode::wrong_type, "expected a list");
    return node.items();
}

bool is_absent(const Node* node) {
    if (node == nullptr || node->is_null()) return true;
    return node->is_scalar() && !node->is_quoted() && node->text() == "null";
}

void Reader::read_ref(const Node& node, const Ref& value, const Rules& rules) {
    if (value.is_computed) throw std::logic_error("a computed field is written, and never read");
    const Type& type = *value.type;
    switch (type.shape) {
        case Type::Shape::boolean:
            refuse_quotes(node);
            types::at<bool>(value.value) = node.boolean();
            return;
        case Type::Shape::whole: return read_whole(node, value, rules);
        case Type::Shape::real: return read_real(node, value, rules);
        case Type::Shape::text: return read_text(node, types::at<std::string>(value.value));
        case Type::Shape::optional:
            if (is_absent(&node)) return type.clear(value.value);
            return read_ref(node, {type.add(value.value), type.inner}, rules);
        case Type::Shape::list:
        case Type::Shape::entries: return read_items(node, value, rules);
        case Type::Shape::pairs: return read_pairs(node, value, rules);
        case Type::Shape::variant: return read_variant(node, value, rules);
        case Type::Shape::choice: return type.choose(value.value, NodeArchive::choice_of(node, value));
        case Type::Shape::record: break;
    }
    NodeArchive archive(node, rules);
    type.fields(archive, value.value);
    archive.finish();
}

void Reader::read_listing(const Node& node, const Listing& list) {
    const Rules rules;
    NodeArchive archive(node, rules);
    list(archive);
}

}  // namespace tilewright::yaml
