// JSON schema (draft 07) and TypeScript types of types with fields() (yaml/archive.hpp).
//
//     std::string text = schema_text({"report-2.schema.json", "Tilewright report, version 2", "What ..."},
//                                    type_of<Report>());
#pragma once

#include <string>

#include "yaml/archive.hpp"

namespace tilewright::yaml {

/// A schema file's description of itself.
struct SchemaFile {
    std::string name;   ///< "report-2.schema.json"
    std::string title;  ///< "Tilewright report, version 2"
    std::string about;
};

std::string schema_text(const SchemaFile& file, const Type& type);

/// An exported TypeScript type for every named type, nested ones included, with field descriptions as comments.
std::string typescript_text(const Type& type);

/// Likewise for the fields listed by `list`.
std::string typescript_text(const Listing& list);

}  // namespace tilewright::yaml
