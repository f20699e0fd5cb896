// The JSON schema (draft 07) of values whose types list their fields (yaml/archive.hpp), and their TypeScript types.
//
//     std::string text = schema_text<Report>({"report-2.schema.json", "Tilewright report, version 2", "What ..."});
#pragma once

#include <string>

#include "yaml/archive.hpp"

namespace tilewright::yaml {

/// Lists a type's fields as its schema. Values are looked at for the names of choices only.
class Schema {
   public:
    /// Types with a name are defined there, once.
    explicit Schema(Json& definitions) : definitions_(definitions) {}

    template <typename T>
    void operator()(const char* key, const T& value, const char* about = "") {
        add(key, of(value), about, true);
    }
    template <typename T>
    void where(bool /*written*/, const char* key, const T& value, const char* about = "") {
        add(key, of(value), about, false);
    }
    template <typename T>
    void where_any(const char* key, const std::optional<T>& /*value*/, const char* about = "") {
        add(key, of(T{}), about, false);
    }
    template <typename T>
    void where_any(const char* key, const T& value, const char* about = "") {
        add(key, of(value), about, false);
    }
    template <typename T>
    void also(const char* key, const T& value, const char* about = "") {
        (*this)(key, value, about);
    }
    template <typename T>
    void derived(const char* key, const T& value, const char* about = "") {
        (*this)(key, value, about);
    }
    void constant(const char* key, const char* text) { add(key, {{"const", text}}, "", true); }
    template <typename List>
    void group(const char* key, const List& list, const char* about = "") {
        Schema inner(definitions_);
        list(inner);
        add(key, inner.take(), about, true);
    }
    template <typename T>
    void part(const char* /*first*/, const std::optional<T>& /*value*/) {
        T fresh{};
        in_part_ = true;
        fields(*this, fresh);
        in_part_ = false;
    }
    template <typename... Ts>
    void items(const Ts&... values) {
        list_ = {{"type", "array"}, {"items", Json::array({of(values)...})}};
        list_["minItems"] = list_["maxItems"] = sizeof...(values);
    }
    void name(const char* name, const char* about = "") {
        name_ = name;
        about_ = about;
    }

    /// Of the fields that were listed: where they have a name, the place of their definition.
    Json take();

    /// Of any value.
    template <typename T>
    Json of(const T& value) {
        return of_any(value);
    }

   private:
    static Json of_any(bool /*value*/) { return {{"type", "boolean"}}; }
    template <std::integral T>
    static Json of_any(const T& /*value*/) {
        return {{"type", "integer"}, {"minimum", 0}};
    }
    static Json of_any(double /*value*/) { return {{"type", "number"}, {"minimum", 0}}; }
    static Json of_any(const std::string& /*value*/) { return {{"type", "string"}}; }
    template <typename T>
    Json of_any(const std::optional<T>& /*value*/) {
        return or_null(of(T{}));
    }
    template <typename T>
    Json of_any(const std::vector<T>& /*values*/) {
        return {{"type", "array"}, {"items", of(T{})}};
    }
    template <typename T>
    Json of_any(const Entries<T>& /*entries*/) {
        return {{"type", "object"}, {"additionalProperties", of(T{})}};
    }
    template <typename... Ts>
    Json of_any(const std::variant<Ts...>& /*value*/) {
        return {{"oneOf", Json::array({of(Ts{})...})}};
    }
    template <typename Enum>
    static Json of_any(const Choice<Enum>& choice) {
        Json names = Json::array();
        for (const auto& [value, name] : choice.names) names.push_back(name);
        return {{"enum", names}};
    }
    template <typename T>
    static Json of_any(const Positive<T>& /*value*/) {
        return {{"type", "integer"}, {"minimum", 1}};
    }
    template <typename T>
    static Json of_any(const Signed<T>& /*value*/) {
        return {{"type", std::integral<T> ? "integer" : "number"}};
    }
    template <typename T>
    Json of_any(const T& /*value*/) {
        Schema inner(definitions_);
        T fresh{};
        fields(inner, fresh);
        return inner.take();
    }

    static Json or_null(Json schema);
    void add(const char* key, Json schema, const std::string& about, bool required);

    Json& definitions_;
    Json properties_ = Json::object();
    Json required_ = Json::array();
    Json list_;
    bool in_part_ = false;
    std::string name_;
    std::string about_;
};

/// What a file of a schema says of itself.
struct SchemaFile {
    std::string name;   ///< "report-2.schema.json"
    std::string title;  ///< "Tilewright report, version 2"
    std::string about;
};

/// The file. `root` is the schema of the whole document.
std::string schema_text(const SchemaFile& file, const Json& root, const Json& definitions);

template <typename T>
std::string schema_text(const SchemaFile& file) {
    Json definitions = Json::object();
    const Json root = Schema(definitions).of(T{});
    return schema_text(file, root, definitions);
}

/// An exported type for every definition, with what is said about its fields as comments.
std::string typescript_text(const Json& definitions);

}  // namespace tilewright::yaml
