#include "native/densities/density_file.hpp"

#include <array>
#include <charconv>
#include <optional>

#include "base/error.hpp"
#include "base/files/file.hpp"
#include "timeloop/sparse/matrix_file.hpp"
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

const std::vector<std::string>& density_models() {
    static const std::vector<std::string> kModels{"fixed",  "fixed_structured", "hypergeometric",
                                                  "banded", "diagonal",         "measured"};
    return kModels;
}

[[noreturn]] void refuse_density(ErrorCode code, const std::string& message) { throw InputError(code, {}, message); }

template <class Number>
std::optional<Number> whole_text(std::string_view text) {
    Number number{};
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
    if (error != std::errc{} || end != text.data() + text.size()) return std::nullopt;
    return number;
}

[[noreturn]] void refuse_text(const std::string& text) {
    refuse_density(ErrorCode::bad_value,
                   "a density is a share of 0 to 1 that is not zero, N:M as 2:4, or a model with its value as "
                   "hypergeometric:0.3; found '" +
                       text + "'");
}

double share_in(const std::string& text, const std::string& share) {
    const std::optional<double> number = whole_text<double>(share);
    if (!number || !(*number >= 0.0 && *number <= 1.0)) refuse_text(text);
    return *number;
}

sparse::GivenPattern pattern_in(const std::string& text, std::int64_t kept, const std::string& rest) {
    const std::size_t colon = rest.find(':');
    const std::optional<std::int64_t> of = whole_text<std::int64_t>(rest.substr(0, colon));
    const bool has_along = colon != std::string::npos;
    if (!of || (has_along && colon + 1 == rest.size())) refuse_text(text);
    if (kept < 0 || *of < 1 || kept > *of)
        refuse_density(ErrorCode::bad_value, std::to_string(kept) + ":" + std::to_string(*of) +
                                                 " is no pattern: N:M keeps N of M elements, 0 <= N <= M");
    return {kept, *of, has_along ? rest.substr(colon + 1) : ""};
}

sparse::Banded band_in(const std::string& text, const std::string& width) {
    const std::optional<std::int64_t> number = whole_text<std::int64_t>(width);
    if (!number || *number < 0)
        refuse_density(ErrorCode::bad_value, "a band width is a whole number of at least 0; found '" + text + "'");
    return {*number};
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

sparse::GivenDensity read_density(const std::string& text, const std::filesystem::path& folder) {
    const std::size_t colon = text.find(':');
    if (colon == std::string::npos) return sparse::FixedStructured{share_in(text, text)};
    const std::string model = text.substr(0, colon);
    const std::string rest = text.substr(colon + 1);
    if (const std::optional<std::int64_t> kept = whole_text<std::int64_t>(model)) return pattern_in(text, *kept, rest);
    if (model == "fixed" || model == "fixed_structured") return sparse::FixedStructured{share_in(text, rest)};
    if (model == "hypergeometric") return sparse::UniformRandom{share_in(text, rest)};
    if (model == "banded" || model == "diagonal") return band_in(text, rest);
    if (model == "measured" && !rest.empty()) return timeloop::read_matrix_file(folder / rest);
    refuse_density(ErrorCode::unknown_name, "there is no density model '" + model + "'" +
                                                did_you_mean(model, density_models()) + "; known are " +
                                                list_words(density_models()) + ", and N:M");
}

sparse::DensityRule read_density_rule(const std::string& text, const std::filesystem::path& folder) {
    const std::size_t equals = text.rfind('=');
    const std::string who = text.substr(0, equals);
    const std::size_t colon = who.rfind(':');
    const std::string layers = colon == std::string::npos ? "*" : who.substr(0, colon);
    const std::string tensor = colon == std::string::npos ? who : who.substr(colon + 1);
    if (equals == std::string::npos || layers.empty() || tensor.empty())
        refuse_density(
            ErrorCode::bad_value,
            "expected TENSOR=DENSITY or LAYERS:TENSOR=DENSITY, as Weights=0.3 and conv2*:Weights=2:4; found '" + text +
                "'");
    return {layers, tensor, read_density(text.substr(equals + 1), folder)};
}

}  // namespace tilewright::native
