// The JSON schema (draft 07) of values whose types list their fields (yaml/archive.hpp), and their TypeScript types.
//
//     std::string text = schema_text({"report-2.schema.json", "Tilewright report, version 2", "What ..."},
//                                    type_of<Report>());
#pragma once

#include <string>

#include "yaml/archive.hpp"

namespace tilewright::yaml {

/// What a file of a schema says of itself.
struct SchemaFile {
    std::string name;   ///< "report-2.schema.json"
    std::string title;  ///< "Tilewright report, version 2"
    std::string about;
};

/// The file of documents of that type.
std::string schema_text(const SchemaFile& file, const Type& type);

/// An exported TypeScript type for every type with a name that is listed, itself or within others, with what is said
/// about its fields as comments.
std::string typescript_text(const Type& type);

/// Likewise, of the fields that `list` lists.
std::string typescript_text(const Listing& list);

}  // namespace tilewright::yaml
