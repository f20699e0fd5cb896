// Values as JSON and back: a type lists its fields once, for both ways. Internal to frontend/native.
//
//     template <typename Archive, typename M>  // M: Mesh, or const Mesh when writing
//     void fields(Archive& archive, M& mesh) { archive("x", mesh.x); archive("y", mesh.y); }
//
// Every field is written, absent optional ones as null, and every field is required when reading: what was left out or
// is not known is an error at its place. The exception is what came later than its format: where_any() leaves it out
// when it is empty.
#pragma once

#include <cstdint>
#include <map>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <vector>

#include "base/error.hpp"
#include "yaml/node.hpp"

namespace tilewright::native {

using Json = nlohmann::ordered_json;

/// Its items. Nothing at all is no list.
inline const std::vector<yaml::Node>& list_of(const yaml::Node& node) {
    if (!node.is_sequence()) node.fail(ErrorCode::wrong_type, "expected a list");
    return node.items();
}

/// Written as text, one of these names.
template <typename Enum>
struct Choice {
    Enum& value;
    std::vector<std::pair<Enum, std::string>> names;
};

class Writer {
   public:
    template <typename T>
    void operator()(const char* key, const T& value) {
        json_[key] = write(value);
    }
    template <typename T>
    void where_any(const char* key, const T& values) {
        if (!values.empty()) (*this)(key, values);
    }
    Json take() { return std::move(json_); }

    static Json write(bool value) { return value; }
    static Json write(std::int64_t value) { return value; }
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
    template <typename Key, typename Value>
    static Json write(const std::map<Key, Value>& values) {
        Json json = Json::array();
        for (const auto& [key, value] : values) json.push_back(Json::array({write(key), write(value)}));
        return json;
    }
    template <typename Enum>
    static Json write(const Choice<Enum>& choice) {
        for (const auto& [value, name] : choice.names)
            if (value == choice.value) return name;
        return nullptr;
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

class Reader {
   public:
    explicit Reader(const yaml::Node& node) : node_(node) {}

    template <typename T>
    void operator()(const char* key, T&& value) {
        known_.emplace_back(key);
        read(node_.at(key), value);
    }
    template <typename T>
    void where_any(const char* key, T&& values) {
        known_.emplace_back(key);
        if (node_.has(key)) read(node_.at(key), values);
    }
    const yaml::Node& node() const { return node_; }
    /// Throws for a key that was not asked for.
    void finish() const { node_.expect_keys(known_); }

    static void read(const yaml::Node& node, bool& value) { value = node.boolean(); }
    static void read(const yaml::Node& node, std::int64_t& value) {
        constexpr std::int64_t kLargest = std::int64_t{1} << 53;
        value = node.integer();
        if (value < 0 || value > kLargest) node.fail(ErrorCode::bad_value, "expected a number from 0 to 2^53");
    }
    static void read(const yaml::Node& node, double& value) {
        value = node.real();
        if (!(value >= 0.0)) node.fail(ErrorCode::bad_value, "expected a number that is not negative");
    }
    static void read(const yaml::Node& node, std::string& value) { value = node.text(); }
    template <typename T>
    static void read(const yaml::Node& node, std::optional<T>& value) {
        if (node.is_null() || (node.is_scalar() && !node.is_quoted() && node.text() == "null")) return value.reset();
        read(node, value.emplace());
    }
    template <typename T>
    static void read(const yaml::Node& node, std::vector<T>& values) {
        values.clear();
        for (const yaml::Node& item : list_of(node)) read(item, values.emplace_back());
    }
    template <typename Key, typename Value>
    static void read(const yaml::Node& node, std::map<Key, Value>& values) {
        values.clear();
        for (const yaml::Node& item : list_of(node)) {
            if (item.items().size() != 2) item.fail(ErrorCode::wrong_type, "expected a pair");
            Key key{};
            read(item.items()[0], key);
            if (values.contains(key)) item.fail(ErrorCode::duplicate_key, "the key is given twice");
            read(item.items()[1], values[key]);
        }
    }
    template <typename Enum>
    static void read(const yaml::Node& node, Choice<Enum>& choice) {
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
    static void read(const yaml::Node& node, T& value) {
        Reader reader(node);
        fields(reader, value);
        reader.finish();
    }

   private:
    const yaml::Node& node_;
    std::vector<std::string> known_;
};

}  // namespace tilewright::native
