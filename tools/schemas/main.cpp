// schemas ROOT: writes the JSON schemas and the types of report-ui that follow from the lists of fields.
#include <cstdio>
#include <filesystem>

#include "base/files/file.hpp"
#include "report/generated/generated.hpp"

int main(int argc, char** argv) {
    using namespace tilewright;
    if (argc != 2) {
        std::fputs("usage: schemas ROOT\n", stderr);
        return 2;
    }
    try {
        for (const report::GeneratedFile& file : report::generated_files())
            write_file(std::filesystem::path(argv[1]) / file.path, file.text);
    } catch (const std::exception& error) {
        std::fprintf(stderr, "%s\n", error.what());
        return 1;
    }
    return 0;
}
