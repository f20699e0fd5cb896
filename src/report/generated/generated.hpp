// Files of the project that follow from the lists of fields of documents and pages: JSON schemas, and the types of
// report-ui. `schemas .` writes them; a test holds those that are there to them.
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
