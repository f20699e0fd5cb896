#include "yaml/schema.hpp"

namespace tilewright::yaml {
namespace {

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

}  // namespace

Json Schema::or_null(Json schema) {
    const auto type = schema.find("type");
    if (type == schema.end()) return {{"anyOf", Json::array({std::move(schema), {{"type", "null"}}})}};
    *type = Json::array({*type, "null"});
    return schema;
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

std::string schema_text(const SchemaFile& file, const Json& root, const Json& definitions) {
    Json json{{"$schema", "http://json-schema.org/draft-07/schema#"},
              {"$id", "https://tilewright.invalid/schemas/" + file.name},
              {"title", file.title},
              {"description", file.about}};
    json.update(root);
    if (!definitions.empty()) json["definitions"] = definitions;
    return json.dump(2) + "\n";
}

std::string typescript_text(const Json& definitions) {
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

}  // namespace tilewright::yaml
