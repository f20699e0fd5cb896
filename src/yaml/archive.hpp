// Values as JSON and back: a type lists its fields once, for both ways, and for its JSON schema (yaml/schema.hpp).
//
//     template <typename Archive, Of<Mesh> M>  // const when writing
//     void fields(Archive& archive, M& mesh) {
//         archive("x", mesh.x, "instances along x");
//         archive("y", mesh.y);
//     }
//
//     Json json = Writer::write(mesh);
//     Reader::read(node, mesh);
//
// The archives find fields() in the namespace of the type. Every field is written, absent optional ones as null, and
// every field is required when reading: what was left out is an error at its place, and so is what is not known, unless
// the rules let it be. Those that differ say so: where(), where_any(), also(), derived().
#pragma once

#include <charconv>
#include <cmath>
#include <concepts>
#include <cstdint>
#include <limits>
#include <map>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <tuple>
#include <type_traits>
#include <utility>
#include <variant>
#include <vector>

#include "base/error.hpp"
#include "yaml/node.hpp"

namespace tilewright::yaml {

using Json = nlohmann::ordered_json;

/// That type, or const when it is written.
template <typename T, typename Value>
concept Of = std::same_as<std::remove_const_t<T>, Value>;

/// Written as an object: its keys are data, and keep their order.
template <typename T>
using Entries = std::vector<std::pair<std::string, T>>;

/// Written as text, one of these names.
template <typename Enum>
struct Choice {
    Enum& value;
    std::vector<std::pair<Enum, std::string>> names;
};

/// A whole number of at least 1.
template <std::integral T>
struct Positive {
    T& value;
};

/// A number of either sign.
template <typename T>
struct Signed {
    T& value;
};

/// Its items. Nothing at all is no list.
inline const std::vector<Node>& list_of(const Node& node) {
    if (!node.is_sequence()) node.fail(ErrorCode::wrong_type, "expected a list");
    return node.items();
}

/// True where there is nothing, or null in one of its spellings.
inline bool is_absent(const Node* node) {
    if (node == nullptr || node->is_null()) return true;
    return node->is_scalar() && !node->is_quoted() && node->text() == "null";
}

template <typename T>
bool is_given(const std::optional<T>& value) {
    return value.has_value();
}
template <typename T>
bool is_given(const T& values) {
    return !values.empty();
}
template <typename T>
const T& given_value(const std::optional<T>& value) {
    return *value;
}
template <typename T>
const T& given_value(const T& value) {
    return value;  // NOLINT(bugprone-return-const-ref-from-parameter): of a field, which outlives the call
}

class Writer {
   public:
    template <typename T>
    void operator()(const char* key, const T& value, const char* /*about*/ = "") {
        json_[key] = write(value);
    }
    /// Left out unless `written`; need not be there when reading.
    template <typename T>
    void where(bool written, const char* key, const T& value, const char* /*about*/ = "") {
        if (written) (*this)(key, value);
    }
    /// Left out when it is empty.
    template <typename T>
    void where_any(const char* key, const T& value, const char* /*about*/ = "") {
        if (is_given(value)) (*this)(key, given_value(value));
    }
    /// Written always; need not be there when reading.
    template <typename T>
    void also(const char* key, const T& value, const char* /*about*/ = "") {
        (*this)(key, value);
    }
    /// Follows from what is listed before it: written, and compared when reading.
    template <typename T>
    void derived(const char* key, const T& value, const char* /*about*/ = "") {
        (*this)(key, value);
    }
    /// A text that is the same in all documents of a kind.
    void constant(const char* key, const char* text) { json_[key] = text; }
    /// An object of some of the fields: `list` lists them on the archive that it is given.
    template <typename List>
    void group(const char* key, const List& list, const char* /*about*/ = "") {
        Writer inner;
        list(inner);
        json_[key] = inner.take();
    }
    /// The fields of a value that may not be there, among the others; their first one tells.
    template <typename T>
    void part(const char* /*first*/, const std::optional<T>& value) {
        if (value) fields(*this, *value);
    }
    /// Written as a list of a value each, without keys.
    template <typename... Ts>
    void items(const Ts&... values) {
        json_ = Json::array();
        (json_.push_back(write(values)), ...);
    }
    /// What the schema calls the type.
    void name(const char* /*name*/, const char* /*about*/ = "") {}

    Json take() { return std::move(json_); }

    static Json write(bool value) { return value; }
    template <std::integral T>
    static Json write(const T& value) {
        return value;
    }
    static Json write(double value) { return value; }
    static Json write(const std::string& value) { return value; }
    template <typename T>
    static Json write(const std::optional<T>& value) {
        return value ? write(*value) : Json(nullptr);
    }
    template <typename T>
    static Json write(const std::vector<T>& values) {
        Json json = Json::array();
        for (const T& value : values) json.push_back(write(value));
        return json;
    }
    template <typename T>
    static Json write(const Entries<T>& entries) {
        Json json = Json::object();
        for (const auto& [key, value] : entries) json[key] = write(value);
        return json;
    }
    template <typename Key, typename Value>
    static Json write(const std::map<Key, Value>& values) {
        Json json = Json::array();
        for (const auto& [key, value] : values) json.push_back(Json::array({write(key), write(value)}));
        return json;
    }
    template <typename... Ts>
    static Json write(const std::variant<Ts...>& value) {
        return std::visit([](const auto& one) { return write(one); }, value);
    }
    template <typename Enum>
    static Json write(const Choice<Enum>& choice) {
        for (const auto& [value, name] : choice.names)
            if (value == choice.value) return name;
        return nullptr;
    }
    template <typename T>
    static Json write(const Positive<T>& positive) {
        return positive.value;
    }
    template <typename T>
    static Json write(const Signed<T>& number) {
        return number.value;
    }
    template <typename T>
    static Json write(const T& value) {
        Writer writer;
        fields(writer, value);
        return writer.take();
    }

   private:
    Json json_ = Json::object();
};

/// The key that a type lists first: it tells the alternatives of a variant apart.
class FirstKey {
   public:
    template <typename T>
    static std::string of() {
        FirstKey archive;
        T value{};
        fields(archive, value);
        return archive.key_;
    }
    template <typename... Rest>
    void operator()(const char* key, Rest&&... /*rest*/) {
        if (key_.empty()) key_ = key;
    }
    template <typename... Rest>
    void name(Rest&&... /*rest*/) {}

   private:
    std::string key_;
};

class Reader {
   public:
    /// What a document may be.
    struct Rules {
        bool refuses_unknown_keys = true;
        double most = std::numeric_limits<double>::infinity();  ///< of numbers that need not be whole
        std::int64_t most_whole = std::int64_t{1} << 53;
        const char* range = "a number that is not negative";  ///< what is expected, in words
        const char* whole_range = "a number from 0 to 2^53";  ///< likewise, of whole numbers
    };

    Reader(const Node& node, const Rules& rules) : node_(node), rules_(rules) {}
    explicit Reader(const Node& node) : Reader(node, Rules{}) {}

    template <typename T>
    void operator()(const char* key, T&& value, const char* /*about*/ = "") {
        known_.emplace_back(key);
        read(node_.at(key), value, rules_);
    }
    template <typename T>
    void where(bool /*written*/, const char* key, T&& value, const char* /*about*/ = "") {
        also(key, value);
    }
    template <typename T>
    void where_any(const char* key, T&& value, const char* /*about*/ = "") {
        also(key, value);
    }
    template <typename T>
    void also(const char* key, T&& value, const char* /*about*/ = "") {
        known_.emplace_back(key);
        if (const Node* found = node_.find(key)) read(*found, value, rules_);
    }
    template <typename T>
    void derived(const char* key, const T& value, const char* /*about*/ = "") {
        known_.emplace_back(key);
        if (const Node* found = node_.find(key)) expect(*found, value);
    }
    void constant(const char* key, const char* text) {
        known_.emplace_back(key);
        const Node* found = node_.find(key);
        if (found != nullptr && found->text() != text)
            found->fail(ErrorCode::bad_value, std::string("expected '") + text + "', found '" + found->text() + "'");
    }
    template <typename List>
    void group(const char* key, const List& list, const char* /*about*/ = "") {
        known_.emplace_back(key);
        Reader inner(node_.at(key), rules_);
        list(inner);
        inner.finish();
    }
    template <typename T>
    void part(const char* first, std::optional<T>& value) {
        if (node_.has(first)) fields(*this, value.emplace());
    }
    template <typename... Ts>
    void items(Ts&&... values) {
        const std::vector<Node>& items = list_of(node_);
        if (items.size() != sizeof...(values))
            node_.fail(ErrorCode::bad_value, "expected " + std::to_string(sizeof...(values)) + " values");
        std::size_t i = 0;
        (read(items[i++], values, rules_), ...);
    }
    void name(const char* /*name*/, const char* /*about*/ = "") {}

    const Node& node() const { return node_; }
    /// Throws for a key that was not asked for.
    void finish() const {
        if (rules_.refuses_unknown_keys && node_.is_map()) node_.expect_keys(known_);
    }

    template <typename T>
    static void read(const Node& node, T&& value) {
        read(node, value, Rules{});
    }
    static void read(const Node& node, bool& value, const Rules& /*rules*/) {
        refuse_quotes(node);
        value = node.boolean();
    }
    static void read(const Node& node, std::int64_t& value, const Rules& rules) {
        refuse_quotes(node);
        value = node.integer();
        if (value < 0 || value > rules.most_whole)
            node.fail(ErrorCode::bad_value, std::string("expected ") + rules.whole_range);
    }
    static void read(const Node& node, std::uint64_t& value, const Rules& /*rules*/) {
        refuse_quotes(node);
        const std::string& text = node.text();
        const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
        if (error != std::errc() || end != text.data() + text.size())
            node.fail(ErrorCode::wrong_type, "expected a number from 0 to 2^64 - 1, found '" + text + "'");
    }
    static void read(const Node& node, double& value, const Rules& rules) {
        refuse_quotes(node);
        value = node.real();
        if (!(value >= 0.0 && value <= rules.most))
            node.fail(ErrorCode::bad_value, std::string("expected ") + rules.range);
    }
    static void read(const Node& node, std::string& value, const Rules& /*rules*/) {
        value = node.text();
        if (!node.is_quoted() && (node.try_real() || value == "true" || value == "false"))
            node.fail(ErrorCode::wrong_type, "expected text in quotes, found " + value);
    }
    template <typename T>
    static void read(const Node& node, std::optional<T>& value, const Rules& rules) {
        if (is_absent(&node)) return value.reset();
        read(node, value.emplace(), rules);
    }
    template <typename T>
    static void read(const Node& node, std::vector<T>& values, const Rules& rules) {
        values.clear();
        for (const Node& item : list_of(node)) read(item, values.emplace_back(), rules);
    }
    template <typename T>
    static void read(const Node& node, Entries<T>& entries, const Rules& rules) {
        entries.clear();
        for (const Node::Entry& entry : node.entries())
            read(entry.value, entries.emplace_back(entry.key, T{}).second, rules);
    }
    template <typename Key, typename Value>
    static void read(const Node& node, std::map<Key, Value>& values, const Rules& rules) {
        values.clear();
        for (const Node& item : list_of(node)) {
            if (item.items().size() != 2) item.fail(ErrorCode::wrong_type, "expected a pair");
            Key key{};
            read(item.items()[0], key, rules);
            if (values.contains(key)) item.fail(ErrorCode::duplicate_key, "the key is given twice");
            read(item.items()[1], values[key], rules);
        }
    }
    /// Text where it is no number.
    static void read(const Node& node, std::variant<double, std::string>& value, const Rules& rules) {
        if (!node.is_quoted() && node.try_real())
            read(node, value.emplace<double>(), rules);
        else
            read(node, value.emplace<std::string>(), rules);
    }
    template <typename... Ts>
    static void read(const Node& node, std::variant<Ts...>& value, const Rules& rules) {
        std::vector<std::string> keys;
        const auto read_as = [&](auto fresh) {
            keys.push_back(FirstKey::of<decltype(fresh)>());
            if (!node.has(keys.back())) return false;
            read(node, fresh, rules);
            value = std::move(fresh);
            return true;
        };
        if (!(read_as(Ts{}) || ...)) node.fail(ErrorCode::missing_key, "expected one of the keys " + list_words(keys));
    }
    template <typename Enum>
    static void read(const Node& node, Choice<Enum>& choice, const Rules& /*rules*/) {
        std::vector<std::string> names;
        for (const auto& [value, name] : choice.names) {
            names.push_back(name);
            if (name != node.text()) continue;
            choice.value = value;
            return;
        }
        node.fail(ErrorCode::bad_value, "expected one of " + list_words(names) + ", found '" + node.text() + "'" +
                                            did_you_mean(node.text(), names));
    }
    template <typename T>
    static void read(const Node& node, Positive<T>& positive, const Rules& rules) {
        std::int64_t value = 0;
        read(node, value, rules);
        positive.value = static_cast<T>(node.positive());
    }
    template <typename T>
    static void read(const Node& node, Signed<T>& number, const Rules& rules) {
        refuse_quotes(node);
        if constexpr (std::integral<T>) {
            number.value = node.integer();
        } else {
            number.value = node.real();
            if (!(number.value >= -rules.most && number.value <= rules.most))
                node.fail(ErrorCode::bad_value, "the number is too large");
        }
    }
    template <typename T>
    static void read(const Node& node, T& value, const Rules& rules) {
        Reader reader(node, rules);
        fields(reader, value);
        reader.finish();
    }

   private:
    static void refuse_quotes(const Node& node) {
        if (node.is_quoted()) node.fail(ErrorCode::wrong_type, "expected a value without quotes, found text");
    }

    /// Of the type of `value`.
    template <typename T>
    void expect(const Node& node, const T& /*value*/) const {
        T written{};
        read(node, written, rules_);
    }
    template <typename Enum>
    void expect(const Node& node, const Choice<const Enum>& choice) const {
        Enum written{};
        Choice<Enum> known{written, {choice.names.begin(), choice.names.end()}};
        read(node, known, rules_);
    }
    template <typename T>
    void expect(const Node& node, const Signed<T>& /*value*/) const {
        std::remove_const_t<T> written{};
        Signed<std::remove_const_t<T>> number{written};
        read(node, number, rules_);
    }
    /// `value`, but for rounding: the words or energies that it follows from would be others.
    void expect(const Node& node, double value) const {
        constexpr double kRounding = 1e-9;
        refuse_quotes(node);
        const double written = node.real();
        if (!(std::abs(written - value) <= kRounding * std::abs(value)))
            node.fail(ErrorCode::bad_value,
                      "expected " + Writer::write(value).dump() + ", which follows from the values before it");
    }

    const Node& node_;
    Rules rules_;
    std::vector<std::string> known_;
};

}  // namespace tilewright::yaml
