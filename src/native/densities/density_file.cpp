#include "native/densities/density_file.hpp"

#include <array>

#include "base/files/file.hpp"
#include "native/densities/density_text.hpp"
#include "yaml/node.hpp"

namespace tilewright::native {
namespace {

constexpr std::string_view kHeading = "layer,tensor,density";

bool ends_with_any(const std::string& name, std::initializer_list<std::string_view> endings) {
    for (const std::string_view ending : endings)
        if (name.size() > ending.size() && name.ends_with(ending)) return true;
    return false;
}

struct Field {
    std::string text;
    int column = 1;  ///< its first column
};

/// One line of a CSV file.
class Line {
   public:
    Line(std::string_view text, const std::string& file, int number) : text_(text), file_(file), number_(number) {}

    [[noreturn]] void fail(int column, ErrorCode code, const std::string& message) const {
        throw InputError(code, {file_, number_, column}, message, text_);
    }

    bool says_nothing() const {
        const std::size_t first = text_.find_first_not_of(" \t");
        return first == std::string_view::npos || text_[first] == '#';
    }

    std::vector<Field> fields() const {
        std::vector<Field> fields;
        std::size_t at = 0;
        while (true) {
            fields.push_back(field(at));
            if (at >= text_.size()) return fields;
            ++at;  // the comma
        }
    }

   private:
    static std::string trimmed(std::string_view text) {
        const std::size_t first = text.find_first_not_of(" \t");
        if (first == std::string_view::npos) return "";
        return std::string(text.substr(first, text.find_last_not_of(" \t") - first + 1));
    }

    /// From `at` to the next comma, or the end.
    Field field(std::size_t& at) const {
        while (at < text_.size() && (text_[at] == ' ' || text_[at] == '\t')) ++at;
        const auto column = static_cast<int>(at) + 1;
        if (at < text_.size() && text_[at] == '"') return {quoted(at), column};
        const std::size_t begin = at;
        at = std::min(text_.find(',', at), text_.size());
        return {trimmed(text_.substr(begin, at - begin)), column};
    }

    std::string quoted(std::size_t& at) const {
        const auto column = static_cast<int>(at) + 1;
        const std::size_t end = text_.find('"', at + 1);
        if (end == std::string_view::npos) fail(column, ErrorCode::syntax, "this quote does not end on its line");
        std::string inside(text_.substr(at + 1, end - at - 1));
        at = std::min(text_.find_first_not_of(" \t", end + 1), text_.size());
        if (at < text_.size() && text_[at] != ',')
            fail(static_cast<int>(at) + 1, ErrorCode::syntax, "expected a comma behind a field in quotes");
        return inside;
    }

    std::string_view text_;
    const std::string& file_;
    int number_;
};

std::filesystem::path folder_of(const std::string& file) { return std::filesystem::path(file).parent_path(); }

sparse::DensityRule rule_of(const Line& line, std::string_view text, const std::string& file, int number) {
    const std::vector<Field> fields = line.fields();
    if (fields.size() != 3)
        line.fail(1, ErrorCode::syntax,
                  "expected three fields (" + std::string(kHeading) + "), found " + std::to_string(fields.size()));
    for (std::size_t i = 0; i < fields.size(); ++i)
        if (fields[i].text.empty())
            line.fail(fields[i].column, ErrorCode::missing_key,
                      std::string("the ") + std::array{"layer", "tensor", "density"}[i] + " is missing");
    const std::string from = file + ":" + std::to_string(number);
    try {
        return {fields[0].text,
                fields[1].text,
                read_density(fields[2].text, folder_of(file)),
                from,
                {file, number, fields[0].column},
                std::string(text)};
    } catch (const InputError& error) {
        line.fail(fields[2].column, error.code(), error.message());
    }
}

std::string joined_fields(const std::vector<Field>& fields) {
    std::string joined;
    for (const Field& field : fields) joined += (joined.empty() ? "" : ",") + field.text;
    return joined;
}

sparse::DensityRule rule_of(const yaml::Node& node) {
    node.expect_keys({"layer", "tensor", "density"});
    const yaml::Node* layer = node.find("layer");
    const yaml::Node& tensor = node.at("tensor");
    const yaml::Node& density = node.at("density");
    const Location where = node.where();
    const std::string from = where.file + ":" + std::to_string(where.line);
    try {
        return {layer == nullptr ? "*" : layer->text(),
                tensor.text(),
                read_density(density.text(), folder_of(where.file)),
                from,
                where,
                ""};
    } catch (const InputError& error) {
        if (!error.where().file.empty() && error.where().line > 0) throw;
        density.fail(error.code(), error.message());
    }
}

}  // namespace

bool names_density_file(const std::string& name) { return ends_with_any(name, {".csv", ".yaml", ".yml", ".json"}); }

std::vector<sparse::DensityRule> read_density_csv(std::string_view text, const std::string& file) {
    std::vector<sparse::DensityRule> rules;
    bool begun = false;
    int number = 0;
    while (!text.empty()) {
        ++number;
        const std::size_t end = std::min(text.find('\n'), text.size());
        std::string_view content = text.substr(0, end);
        text.remove_prefix(std::min(end + 1, text.size()));
        if (content.ends_with('\r')) content.remove_suffix(1);
        const Line line(content, file, number);
        if (line.says_nothing()) continue;
        if (begun)
            rules.push_back(rule_of(line, content, file, number));
        else if (joined_fields(line.fields()) != kHeading)
            line.fail(1, ErrorCode::syntax, "expected the heading '" + std::string(kHeading) + "'");
        begun = true;
    }
    if (!begun)
        throw InputError(ErrorCode::syntax, {file},
                         "expected the heading '" + std::string(kHeading) + "': it is empty");
    return rules;
}

std::vector<sparse::DensityRule> read_density_yaml(std::string_view text, const std::string& file) {
    const yaml::Node root = yaml::parse_text(text, file);
    root.expect_keys({"densities"});
    std::vector<sparse::DensityRule> rules;
    for (const yaml::Node& item : root.at("densities").items()) rules.push_back(rule_of(item));
    return rules;
}

std::vector<sparse::DensityRule> read_density_file(const std::filesystem::path& path) {
    const std::string text = read_file(path);
    return path.extension() == ".csv" ? read_density_csv(text, path.string()) : read_density_yaml(text, path.string());
}

}  // namespace tilewright::native
