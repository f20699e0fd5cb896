#include "timeloop/files/zoo.hpp"

#include <algorithm>
#include <span>

#include "base/error.hpp"
#include "base/files/embedded.hpp"

namespace tilewright {

std::span<const EmbeddedFile> embedded_machines();  // generated

namespace timeloop {
namespace {

std::string name_of(const EmbeddedFile& file) {
    const std::size_t start = file.path.rfind('/') + 1;
    return std::string(file.path.substr(start, file.path.rfind('.') - start));
}

/// "# Eyeriss: 168 processing elements, 65 nm.\n#\n..." -> "Eyeriss: 168 processing elements, 65 nm."
std::string first_paragraph(std::string_view text) {
    std::string paragraph;
    while (text.starts_with("# ")) {
        const std::size_t end = std::min(text.find('\n'), text.size());
        if (!paragraph.empty()) paragraph += ' ';
        paragraph += text.substr(2, end - 2);
        text.remove_prefix(std::min(end + 1, text.size()));
    }
    return paragraph;
}

}  // namespace

std::vector<ZooMachine> zoo_machines() {
    std::vector<ZooMachine> machines;
    for (const EmbeddedFile& file : embedded_machines())
        machines.push_back({name_of(file), first_paragraph(file.text)});
    std::sort(machines.begin(), machines.end(),
              [](const ZooMachine& a, const ZooMachine& b) { return a.name < b.name; });
    return machines;
}

std::vector<std::string> zoo_architectures() {
    std::vector<std::string> names;
    for (const ZooMachine& machine : zoo_machines()) names.push_back(machine.name);
    return names;
}

bool is_zoo_file(std::string_view file) {
    const std::span<const EmbeddedFile> files = embedded_machines();
    return std::any_of(files.begin(), files.end(), [&](const EmbeddedFile& one) { return one.path == file; });
}

namespace {

const EmbeddedFile& file_named(std::string_view name) {
    for (const EmbeddedFile& file : embedded_machines())
        if (name_of(file) == name) return file;
    const std::vector<std::string> known = zoo_architectures();
    throw InputError(ErrorCode::unknown_name, {},
                     "unknown architecture '" + std::string(name) + "'" + did_you_mean(name, known) + "; the zoo has " +
                         list_words(known));
}

}  // namespace

yaml::Node zoo_architecture(std::string_view name) {
    const EmbeddedFile& file = file_named(name);
    return yaml::parse_text(file.text, std::string(file.path));
}

std::string zoo_file(std::string_view name) { return std::string(file_named(name).text); }

}  // namespace timeloop
}  // namespace tilewright
