#include "native/densities/density_text.hpp"

#include <charconv>
#include <optional>

#include "base/error.hpp"
#include "timeloop/sparse/matrix_file.hpp"

namespace tilewright::native {
namespace {

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
