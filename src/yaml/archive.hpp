// Values as JSON and back: a type lists its fields once, for both ways, and for its JSON schema.
//
//     void fields(yaml::Archive& archive, Mesh& mesh) {
//         archive("x", mesh.x, "instances along x");
//         archive("y", mesh.y);
//     }
//
//     Json json = Writer::write(mesh);     // yaml/writer.hpp
//     Reader::read(node, mesh);            // yaml/reader.hpp
//
// The archives find fields() in the type's namespace. Every field is written, absent optional ones as null, and
// required when reading: missing and unknown keys are errors at their place unless the rules permit them. Exceptions
// are explicit: where(), where_any(), also(), derived().
//
// One fields() is compiled once, for any archive: values are passed as a place and a Type. Writing takes constants;
// fields() never changes a value by itself.
#pragma once

#include <concepts>
#include <cstdint>
#include <iterator>
#include <limits>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <type_traits>
#include <utility>
#include <variant>
#include <vector>

namespace tilewright::yaml {

class Archive;
class Node;

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

/// An archive's knowledge of a type: its written form, and the operations on a value in place.
struct Type {
    enum class Shape : std::uint8_t {
        boolean,
        whole,
        real,
        text,
        optional,
        list,
        entries,
        pairs,
        variant,
        choice,
        record
    };
    enum class Range : std::uint8_t { not_negative, positive, any };  ///< of numbers
    using Owned = std::unique_ptr<void, void (*)(void*)>;

    Shape shape = Shape::record;
    Range range = Range::not_negative;
    bool is_unsigned = false;                              ///< of integers: range up to 2^64 - 1
    std::int64_t most = 0;                                 ///< of integers: the maximum
    const Type* inner = nullptr;                           ///< of optional values, lists, entries: the contained type
    const Type* keys = nullptr;                            ///< of pairs
    std::vector<const Type*> (*alternatives)() = nullptr;  ///< of variants
    Owned (*make)() = nullptr;                             ///< an empty one; null if impossible

    std::int64_t (*whole)(const void*) = nullptr;
    void (*set_whole)(void*, std::int64_t) = nullptr;
    std::size_t (*size)(const void*) = nullptr;  ///< of lists and entries; of optional values 0 or 1
    void* (*at)(void*, std::size_t) = nullptr;   ///< an item; the value of an optional
    void (*clear)(void*) = nullptr;              ///< of lists, entries, optional values
    void* (*add)(void*) = nullptr;               ///< an empty item at the end
    const std::string& (*key)(const void*, std::size_t) = nullptr;
    void* (*add_entry)(void*, const std::string&) = nullptr;
    const void* (*key_at)(const void*, std::size_t) = nullptr;  ///< of pairs
    void* (*add_pair)(void*, void*) = nullptr;                  ///< with this key, moved from; null: already present
    std::size_t (*which)(const void*) = nullptr;                ///< alternative of a variant, or name of a choice
    void* (*held)(void*) = nullptr;                             ///< by a variant
    void* (*hold)(void*, std::size_t) = nullptr;                ///< replaces it by an empty alternative
    std::vector<std::string> (*names)(const void*) = nullptr;
    void (*choose)(void*, std::size_t) = nullptr;
    void (*fields)(Archive&, void*) = nullptr;
};

struct Ref {
    void* value = nullptr;
    const Type* type = nullptr;
    bool is_computed = false;  ///< a value read into it is discarded
};

namespace types {

template <typename T>
T& at(void* value) {
    return *static_cast<T*>(value);
}
template <typename T>
const T& at(const void* value) {
    return *static_cast<const T*>(value);
}

template <typename T>
consteval Type empty_of(Type::Shape shape) {
    Type type;
    type.shape = shape;
    if constexpr (std::default_initializable<T>)
        type.make = [] { return Type::Owned(new T{}, [](void* value) { delete static_cast<T*>(value); }); };
    return type;
}

template <typename T>
struct Of;

template <typename T>
inline constexpr Type kType = Of<T>::type();

template <>
struct Of<bool> {
    static consteval Type type() { return empty_of<bool>(Type::Shape::boolean); }
};
template <>
struct Of<double> {
    static consteval Type type() { return empty_of<double>(Type::Shape::real); }
};
template <>
struct Of<std::string> {
    static consteval Type type() { return empty_of<std::string>(Type::Shape::text); }
};
template <std::integral T>
struct Of<T> {
    static consteval Type type() {
        Type type = empty_of<T>(Type::Shape::whole);
        type.is_unsigned = std::same_as<T, std::uint64_t>;
        type.most = std::in_range<std::int64_t>(std::numeric_limits<T>::max())
                        ? static_cast<std::int64_t>(std::numeric_limits<T>::max())
                        : std::numeric_limits<std::int64_t>::max();
        type.whole = [](const void* value) { return static_cast<std::int64_t>(at<T>(value)); };
        type.set_whole = [](void* value, std::int64_t number) { at<T>(value) = static_cast<T>(number); };
        return type;
    }
};
template <typename T>
struct Of<Positive<T>> {
    static consteval Type type() {
        Type type = Of<T>::type();
        type.range = Type::Range::positive;
        return type;
    }
};
template <typename T>
struct Of<Signed<T>> {
    static consteval Type type() {
        Type type = Of<T>::type();
        type.range = Type::Range::any;
        return type;
    }
};
template <typename T>
struct Of<std::optional<T>> {
    static consteval Type type() {
        Type type = empty_of<std::optional<T>>(Type::Shape::optional);
        type.inner = &kType<T>;
        type.size = [](const void* value) { return std::size_t{at<std::optional<T>>(value).has_value()}; };
        type.at = [](void* value, std::size_t) { return static_cast<void*>(&*at<std::optional<T>>(value)); };
        type.clear = [](void* value) { at<std::optional<T>>(value).reset(); };
        if constexpr (std::default_initializable<T>)
            type.add = [](void* value) { return static_cast<void*>(&at<std::optional<T>>(value).emplace()); };
        return type;
    }
};
template <typename T>
struct Of<std::vector<T>> {
    static consteval Type type() {
        Type type = empty_of<std::vector<T>>(Type::Shape::list);
        type.inner = &kType<T>;
        type.size = [](const void* value) { return at<std::vector<T>>(value).size(); };
        type.at = [](void* value, std::size_t i) { return static_cast<void*>(&at<std::vector<T>>(value)[i]); };
        type.clear = [](void* value) { at<std::vector<T>>(value).clear(); };
        if constexpr (std::default_initializable<T>)
            type.add = [](void* value) { return static_cast<void*>(&at<std::vector<T>>(value).emplace_back()); };
        return type;
    }
};
template <typename T>
struct Of<Entries<T>> {
    static consteval Type type() {
        Type type = empty_of<Entries<T>>(Type::Shape::entries);
        type.inner = &kType<T>;
        type.size = [](const void* value) { return at<Entries<T>>(value).size(); };
        type.at = [](void* value, std::size_t i) { return static_cast<void*>(&at<Entries<T>>(value)[i].second); };
        type.clear = [](void* value) { at<Entries<T>>(value).clear(); };
        type.key = [](const void* value, std::size_t i) -> const std::string& {
            return at<Entries<T>>(value)[i].first;
        };
        type.add_entry = [](void* value, const std::string& key) {
            return static_cast<void*>(&at<Entries<T>>(value).emplace_back(key, T{}).second);
        };
        return type;
    }
};
template <typename Key, typename T>
struct Of<std::map<Key, T>> {
    using Map = std::map<Key, T>;

    static consteval Type type() {
        Type type = empty_of<Map>(Type::Shape::pairs);
        type.inner = &kType<T>;
        type.keys = &kType<Key>;
        type.size = [](const void* value) { return at<Map>(value).size(); };
        type.at = [](void* value, std::size_t i) {
            return static_cast<void*>(&std::next(at<Map>(value).begin(), static_cast<std::ptrdiff_t>(i))->second);
        };
        type.key_at = [](const void* value, std::size_t i) {
            return static_cast<const void*>(&std::next(at<Map>(value).begin(), static_cast<std::ptrdiff_t>(i))->first);
        };
        type.clear = [](void* value) { at<Map>(value).clear(); };
        type.add_pair = [](void* value, void* key) {
            const auto [place, is_new] = at<Map>(value).try_emplace(std::move(at<Key>(key)));
            return is_new ? static_cast<void*>(&place->second) : nullptr;
        };
        return type;
    }
};
template <typename... Ts>
struct Of<std::variant<Ts...>> {
    using Variant = std::variant<Ts...>;

    template <typename T>
    static void* emplaced(void* value) {
        return &at<Variant>(value).template emplace<T>();
    }
    static consteval Type type() {
        Type type = empty_of<Variant>(Type::Shape::variant);
        type.alternatives = [] { return std::vector<const Type*>{&kType<Ts>...}; };
        type.which = [](const void* value) { return at<Variant>(value).index(); };
        type.held = [](void* value) {
            return std::visit([](auto& one) { return static_cast<void*>(&one); }, at<Variant>(value));
        };
        type.hold = [](void* value, std::size_t which) {
            constexpr void* (*kMakers[])(void*) = {&emplaced<Ts>...};
            return kMakers[which](value);
        };
        return type;
    }
};
template <typename Enum>
struct Of<Choice<Enum>> {
    static consteval Type type() {
        Type type;
        type.shape = Type::Shape::choice;
        type.which = [](const void* value) {
            const auto& choice = at<Choice<Enum>>(value);
            std::size_t which = 0;
            while (which < choice.names.size() && choice.names[which].first != choice.value) ++which;
            return which;
        };
        type.names = [](const void* value) {
            std::vector<std::string> names;
            for (const auto& [one, name] : at<Choice<Enum>>(value).names) names.push_back(name);
            return names;
        };
        type.choose = [](void* value, std::size_t which) {
            auto& choice = at<Choice<Enum>>(value);
            if constexpr (!std::is_const_v<Enum>) choice.value = choice.names[which].first;
        };
        return type;
    }
};
template <typename T>
struct Of {
    static consteval Type type() {
        Type type = empty_of<T>(Type::Shape::record);
        type.fields = [](Archive& archive, void* value) { fields(archive, at<T>(value)); };
        return type;
    }
};

template <typename T>
struct Wrapped : std::false_type {};
template <typename T>
struct Wrapped<Positive<T>> : std::true_type {};
template <typename T>
struct Wrapped<Signed<T>> : std::true_type {};

}  // namespace types

template <typename T>
const Type& type_of() {
    return types::kType<T>;
}

template <typename T>
Ref place_of(T&& value) {
    using Value = std::remove_cvref_t<T>;
    if constexpr (types::Wrapped<Value>::value) {
        return {&value.value, &types::kType<Value>, false};
    } else {
        // Writing archives change nothing.
        void* place = const_cast<void*>(static_cast<const void*>(&value));
        constexpr bool kKept = !std::is_const_v<std::remove_reference_t<T>> && std::is_lvalue_reference_v<T>;
        return {place, &types::kType<Value>, !kKept && types::kType<Value>.shape != Type::Shape::choice};
    }
}

/// A function listing fields on the given archive, for the function's lifetime.
struct Listing {
    const void* list = nullptr;
    void (*call)(const void*, Archive&) = nullptr;
    void operator()(Archive& archive) const { call(list, archive); }
};

template <typename List>
Listing listing_of(const List& list) {
    return {&list, [](const void* listing, Archive& archive) { (*static_cast<const List*>(listing))(archive); }};
}

/// Receiver of a type's fields().
class Archive {
   public:
    Archive() = default;
    Archive(const Archive&) = delete;
    Archive& operator=(const Archive&) = delete;
    virtual ~Archive() = default;

    template <typename T>
    void operator()(const char* key, T&& value, const char* about = "") {
        field(key, place_of(std::forward<T>(value)), about, Rule::required);
    }
    /// Left out unless `written`; optional when reading.
    template <typename T>
    void where(bool written, const char* key, T&& value, const char* about = "") {
        field(key, place_of(std::forward<T>(value)), about, written ? Rule::optional : Rule::left_out);
    }
    /// Left out if empty.
    template <typename T>
    void where_any(const char* key, T&& value, const char* about = "") {
        field(key, place_of(std::forward<T>(value)), about, Rule::if_any);
    }
    /// Always written; optional when reading.
    template <typename T>
    void also(const char* key, T&& value, const char* about = "") {
        field(key, place_of(std::forward<T>(value)), about, Rule::also);
    }
    /// Derived from earlier fields: written, and compared when reading.
    template <typename T>
    void derived(const char* key, T&& value, const char* about = "") {
        field(key, place_of(std::forward<T>(value)), about, Rule::derived);
    }
    /// An object of some of the fields, listed by `list` on the given archive.
    template <typename List>
    void group(const char* key, const List& list, const char* about = "") {
        grouped(key, listing_of(list), about);
    }
    /// Fields of an optional value among the others; the first one decides.
    template <typename T>
    void part(const char* first, std::optional<T>& value) {
        part_of(first, place_of(value));
    }
    /// Written as a list of a value each, without keys.
    template <typename... Ts>
    void items(Ts&&... values) {
        items_of({place_of(std::forward<Ts>(values))...});
    }
    /// A constant text of all documents of a kind.
    virtual void constant(const char* key, const char* text) = 0;
    /// The type's name in the schema.
    virtual void name(const char* /*name*/, const char* /*about*/ = "") {}
    /// The node read; null for other archives.
    virtual const Node* node() const { return nullptr; }

   protected:
    /// When a field is written, and mandatory.
    enum class Rule : std::uint8_t { required, optional, left_out, if_any, also, derived };

   private:
    virtual void field(const char* key, const Ref& value, const char* about, Rule rule) = 0;
    virtual void grouped(const char* key, const Listing& list, const char* about) = 0;
    virtual void part_of(const char* first, const Ref& value) = 0;
    virtual void items_of(const std::vector<Ref>& values) = 0;
};

}  // namespace tilewright::yaml
