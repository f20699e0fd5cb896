// Files generated from the fields of documents and pages: JSON schemas, and the types of report-ui. `schemas .` writes
// them; a test compares them.
#pragma once

#include <string>
#include <vector>

namespace tilewright::report {

struct GeneratedFile {
    std::string path;  ///< from the root of the project
    std::string text;
};

std::vector<GeneratedFile> generated_files();

}  // namespace tilewright::report
