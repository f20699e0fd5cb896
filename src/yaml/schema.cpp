#include "yaml/schema.hpp"

#include "yaml/writer.hpp"

namespace tilewright::yaml {
namespace {

Json or_null(Json schema) {
    const auto type = schema.find("type");
    if (type == schema.end()) return {{"anyOf", Json::array({std::move(schema), {{"type", "null"}}})}};
    *type = Json::array({*type, "null"});
    return schema;
}

/// Lists a type's fields as its schema. Named types are defined in `definitions`, once. Values serve only for the names
/// of choices.
class Schema final : public Archive {
   public:
    explicit Schema(Json& definitions) : definitions_(definitions) {}

    void constant(const char* key, const char* text) override { add(key, {{"const", text}}, "", true); }
    void name(const char* name, const char* about) override {
        name_ = name;
        about_ = about;
    }
    /// Of the listed fields: for a named type, a reference to its definition.
    Json take();
    Json of(const Type& type);

   private:
    void field(const char* key, const Ref& value, const char* about, Rule rule) override {
        const bool is_inner = rule == Rule::if_any && value.type->shape == Type::Shape::optional;
        const bool is_required = rule == Rule::required || rule == Rule::also || rule == Rule::derived;
        if (value.type->shape == Type::Shape::choice)
            add(key, {{"enum", value.type->names(value.value)}}, about, is_required);
        else
            add(key, of(is_inner ? *value.type->inner : *value.type), about, is_required);
    }
    void grouped(const char* key, const Listing& list, const char* about) override {
        Schema inner(definitions_);
        list(inner);
        add(key, inner.take(), about, true);
    }
    void part_of(const char* /*first*/, const Ref& value) override {
        const Type::Owned fresh = value.type->inner->make();
        in_part_ = true;
        value.type->inner->fields(*this, fresh.get());
        in_part_ = false;
    }
    void items_of(const std::vector<Ref>& values) override {
        list_ = {{"type", "array"}, {"items", Json::array()}, {"maxItems", values.size()}, {"minItems", values.size()}};
        for (const Ref& value : values) list_["items"].push_back(of(*value.type));
    }
    void add(const char* key, Json schema, const std::string& about, bool required);

    Json& definitions_;
    Json properties_ = Json::object();
    Json required_ = Json::array();
    Json list_;
    bool in_part_ = false;
    std::string name_;
    std::string about_;
};

Json number_schema(const Type& type) {
    Json schema{{"type", type.shape == Type::Shape::whole ? "integer" : "number"}};
    if (type.range != Type::Range::any) schema["minimum"] = type.range == Type::Range::positive ? 1 : 0;
    return schema;
}

Json Schema::of(const Type& type) {
    switch (type.shape) {
        case Type::Shape::boolean: return {{"type", "boolean"}};
        case Type::Shape::whole:
        case Type::Shape::real: return number_schema(type);
        case Type::Shape::text: return {{"type", "string"}};
        case Type::Shape::optional: return or_null(of(*type.inner));
        case Type::Shape::list: return {{"type", "array"}, {"items", of(*type.inner)}};
        case Type::Shape::entries: return {{"type", "object"}, {"additionalProperties", of(*type.inner)}};
        case Type::Shape::pairs: return {{"type", "array"}};
        case Type::Shape::variant: {
            Json schemas = Json::array();
            for (const Type* one : type.alternatives()) schemas.push_back(of(*one));
            return {{"oneOf", schemas}};
        }
        case Type::Shape::choice: return {};  // its names depend on a value
        case Type::Shape::record: break;
    }
    Schema inner(definitions_);
    const Type::Owned fresh = type.make();
    type.fields(inner, fresh.get());
    return inner.take();
}

std::string type_of(const Json& schema);

std::string union_of(const Json& schemas) {
    std::string text;
    for (const Json& one : schemas) text += (text.empty() ? "" : " | ") + type_of(one);
    return text;
}

std::string list_type(const Json& items) {
    if (items.is_array()) {
        std::string text;
        for (const Json& item : items) text += (text.empty() ? "" : ", ") + type_of(item);
        return "[" + text + "]";
    }
    const std::string of = type_of(items);
    return of.find(" | ") == std::string::npos ? of + "[]" : "(" + of + ")[]";
}

bool is_required(const Json& object, const std::string& key) {
    for (const Json& one : object.at("required"))
        if (one == key) return true;
    return false;
}

std::string field_text(const Json& object, const std::string& key, const Json& schema) {
    return key + (is_required(object, key) ? ": " : "?: ") + type_of(schema) + ";";
}

std::string object_type(const Json& object) {
    if (!object.contains("properties")) return "Record<string, " + type_of(object.at("additionalProperties")) + ">";
    std::string text;
    for (const auto& [key, schema] : object.at("properties").items()) text += " " + field_text(object, key, schema);
    return "{" + text + " }";
}

std::string basic_type(const std::string& name, const Json& schema) {
    if (name == "array") return list_type(schema.at("items"));
    if (name == "object") return object_type(schema);
    return name == "integer" ? "number" : name;  // "string", "number", "boolean", "null"
}

std::string type_of(const Json& schema) {
    if (schema.contains("$ref")) {
        const auto place = schema.at("$ref").get<std::string>();
        return place.substr(place.rfind('/') + 1);
    }
    if (schema.contains("const")) return schema.at("const").dump();
    if (schema.contains("enum")) {
        std::string text;
        for (const Json& name : schema.at("enum")) text += (text.empty() ? "" : " | ") + name.dump();
        return text;
    }
    for (const char* key : {"oneOf", "anyOf"})
        if (schema.contains(key)) return union_of(schema.at(key));
    const Json& type = schema.at("type");
    if (type.is_string()) return basic_type(type.get<std::string>(), schema);
    return basic_type(type.at(0).get<std::string>(), schema) + " | null";
}

std::string comment(const Json& schema, const std::string& indent) {
    if (!schema.contains("description")) return "";
    return indent + "/** " + schema.at("description").get<std::string>() + " */\n";
}

void Schema::add(const char* key, Json schema, const std::string& about, bool required) {
    if (!about.empty()) schema["description"] = about;
    properties_[key] = std::move(schema);
    if (required && !in_part_) required_.push_back(key);
}

Json Schema::take() {
    Json schema = std::move(list_);
    if (schema.is_null())
        schema = {{"type", "object"},
                  {"properties", std::move(properties_)},
                  {"required", std::move(required_)},
                  {"additionalProperties", false}};
    if (!about_.empty()) schema["description"] = about_;
    if (name_.empty()) return schema;
    definitions_[name_] = std::move(schema);
    return {{"$ref", "#/definitions/" + name_}};
}

std::string types_text(const Json& definitions) {
    std::string text;
    for (const auto& [name, schema] : definitions.items()) {
        text += (text.empty() ? "" : "\n") + comment(schema, "");
        if (!schema.contains("properties")) {
            text += "export type " + name + " = " + type_of(schema) + ";\n";
            continue;
        }
        text += "export interface " + name + " {\n";
        for (const auto& [key, field] : schema.at("properties").items())
            text += comment(field, "  ") + "  " + field_text(schema, key, field) + "\n";
        text += "}\n";
    }
    return text;
}

}  // namespace

std::string schema_text(const SchemaFile& file, const Type& type) {
    Json definitions = Json::object();
    const Json root = Schema(definitions).of(type);
    Json json{{"$schema", "http://json-schema.org/draft-07/schema#"},
              {"$id", "https://tilewright.invalid/schemas/" + file.name},
              {"title", file.title},
              {"description", file.about}};
    json.update(root);
    if (!definitions.empty()) json["definitions"] = definitions;
    return json.dump(2) + "\n";
}

std::string typescript_text(const Type& type) {
    Json definitions = Json::object();
    Schema(definitions).of(type);
    return types_text(definitions);
}

std::string typescript_text(const Listing& list) {
    Json definitions = Json::object();
    Schema schema(definitions);
    list(schema);
    schema.take();
    return types_text(definitions);
}

}  // namespace tilewright::yaml
