#include "timeloop/problem/problem.hpp"

#include <algorithm>
#include <map>
#include <memory>

#include "base/numbers/checked.hpp"
#include "timeloop/components/attributes.hpp"
#include "timeloop/files/sections.hpp"
#include "workload/einsum_text.hpp"

namespace tilewright::timeloop {
namespace {

using yaml::Node;

// Names equal up to case, '-' and '_'.
bool similar(std::string_view a, std::string_view b) {
    const auto folded = [](char c) {
        if (c == '-') return '_';
        return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c;
    };
    return std::equal(a.begin(), a.end(), b.begin(), b.end(), [&](char x, char y) { return folded(x) == folded(y); });
}

bool is_name(std::string_view text) {
    const auto letter = [](char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_'; };
    const auto digit = [](char c) { return c >= '0' && c <= '9'; };
    return !text.empty() && !digit(text.front()) &&
           std::all_of(text.begin(), text.end(), [&](char c) { return letter(c) || digit(c); });
}

const std::string& name_in(const Node& node, const std::string& what) {
    if (!is_name(node.text()))
        node.fail(ErrorCode::bad_value, "'" + node.text() + "' is no name for a " + what +
                                            ": use letters, digits and '_', and a letter first");
    return node.text();
}

/// Symbols of a shape: dimensions (by index) and coefficients (by name).
struct Symbols {
    std::vector<std::string> dimensions;
    std::map<std::string, std::int64_t> coefficients;  // with their defaults
    std::map<std::string, Node> values;                // places of those set

    int find_dimension(const std::string& name) const {
        const auto found = std::find(dimensions.begin(), dimensions.end(), name);
        return found == dimensions.end() ? -1 : static_cast<int>(found - dimensions.begin());
    }

    std::vector<std::string> all() const {
        std::vector<std::string> names = dimensions;
        for (const auto& [name, value] : coefficients) names.push_back(name);
        return names;
    }
};

void read_dimensions(const Node& node, Symbols& symbols) {
    for (const Node& item : node.items()) {
        const std::string& name = name_in(item, "dimension");
        if (symbols.find_dimension(name) >= 0)
            item.fail(ErrorCode::duplicate_key, "dimension '" + name + "' is listed twice");
        symbols.dimensions.push_back(name);
    }
    if (symbols.dimensions.empty()) node.fail(ErrorCode::bad_value, "a shape needs at least one dimension");
    if (symbols.dimensions.size() > kMaxDimensions)
        node.fail(ErrorCode::unsupported,
                  "more than " + std::to_string(kMaxDimensions) + " dimensions are not supported");
}

void read_coefficients(const Node& node, Symbols& symbols) {
    for (const Node& item : node.items()) {
        item.expect_keys({"name", "default"});
        const Node& name = item.at("name");
        const std::int64_t value = item.has("default") ? item.at("default").integer() : 1;
        const bool is_new = symbols.coefficients.emplace(name_in(name, "coefficient"), value).second;
        if (!is_new || symbols.find_dimension(name.text()) >= 0)
            name.fail(ErrorCode::duplicate_key, "the name '" + name.text() + "' is taken");
    }
}

// --- instance ---

/// The instance: extents of all dimensions; coefficients go to `symbols`.
class InstanceReader {
   public:
    InstanceReader(const Node& root, const Node& instance, Symbols& symbols)
        : instance_(instance), symbols_(symbols), evaluator_(root) {
        const Node* variables = root.find("variables");
        variables_ = std::make_shared<Scope>(Scope{variables == nullptr ? Node() : *variables, nullptr, false});
    }

    /// `reserved`: keys of a plain problem itself.
    std::vector<Dimension> read(const std::vector<std::string>& reserved) {
        for (const std::string& name : symbols_.dimensions) dimensions_.push_back({name, 0});
        for (const Node::Entry& entry : instance_.entries())
            if (std::find(reserved.begin(), reserved.end(), entry.key) == reserved.end()) read_entry(entry);
        std::vector<std::string> missing;
        for (const Dimension& dimension : dimensions_)
            if (dimension.extent == 0) missing.push_back("'" + dimension.name + "'");
        if (!missing.empty())
            instance_.fail(ErrorCode::missing_key, "the instance gives no extent for " + list_words(missing));
        for (const Node::Entry* entry : misspelt_) check_misspelt(*entry);
        return dimensions_;
    }

   private:
    void read_entry(const Node::Entry& entry) {
        if (const int d = symbols_.find_dimension(entry.key); d >= 0) {
            dimensions_[d].extent = number(entry);
            if (dimensions_[d].extent < 1)
                entry.value.fail(ErrorCode::bad_value, "expected a whole number of at least 1, found " +
                                                           std::to_string(dimensions_[d].extent));
        } else if (const auto found = symbols_.coefficients.find(entry.key); found != symbols_.coefficients.end()) {
            found->second = number(entry);
            symbols_.values[entry.key] = entry.value;
        } else if (!is_harmless(entry)) {
            misspelt_.push_back(&entry);
        }
    }

    // A number, or arithmetic with the file's variables.
    std::int64_t number(const Node::Entry& entry) {
        const Node& value = entry.value;
        if (!value.is_scalar() || value.is_quoted() || value.try_real()) return value.integer();
        return whole_of(evaluator_.value(value, variables_), value, "'" + entry.key + "'");
    }

    // Real files carry numbers without use for a dense layer.
    static bool is_harmless(const Node::Entry& entry) {
        const auto is = [&](const char* name) { return entry.key == name; };
        if (is("H") || is("W") || is("Hpad") || is("Wpad")) return entry.value.integer() >= 0;  // given by P and Q
        if (is("G")) {
            if (entry.value.integer() != 1)
                entry.key_node.fail(ErrorCode::bad_value, "the shape has no dimension 'G', so the " +
                                                              entry.value.text() + " groups would be ignored");
            return true;
        }
        if (is("densities") || is("commonDensity")) {
            if (!entry.value.is_null() && !(entry.value.is_map() && entry.value.entries().empty()))
                entry.key_node.fail(ErrorCode::unsupported,
                                    "'" + entry.key +
                                        "': here a layer is a dense one (evaluate, compare, explore and "
                                        "map count zeros); --dense reads over it");
            return true;
        }
        return false;
    }

    // Timeloop ignores an unknown key. It is harmless as a respelling of a true value.
    void check_misspelt(const Node::Entry& entry) const {
        for (const Dimension& dimension : dimensions_)
            if (similar(dimension.name, entry.key) && entry.value.integer() == dimension.extent) return;
        for (const auto& [name, value] : symbols_.coefficients)
            if (similar(name, entry.key) && entry.value.integer() == value) return;
        const std::vector<std::string> known = symbols_.all();
        const std::string hint = did_you_mean(entry.key, known);
        entry.key_node.fail(ErrorCode::unknown_key, "the shape has no dimension or coefficient '" + entry.key + "'" +
                                                        (hint.empty() ? "; it has " + list_words(known) : hint));
    }

    const Node& instance_;
    Symbols& symbols_;
    Evaluator evaluator_;
    std::shared_ptr<const Scope> variables_;
    std::vector<Dimension> dimensions_;
    std::vector<const Node::Entry*> misspelt_;
};

// --- data spaces ---

// A coefficient by name, or a literal. Zero only if it multiplies nothing but 0: files of layers with 1 x 1 filters say
// `Wdilation: 0`.
std::int64_t read_coefficient(const Node& node, const Symbols& symbols, const Dimension& dimension) {
    std::int64_t value = 0;
    if (const auto found = symbols.coefficients.find(node.text()); found != symbols.coefficients.end()) {
        value = found->second;
    } else if (node.try_real()) {
        value = node.integer();
    } else {
        std::vector<std::string> known;
        known.reserve(symbols.coefficients.size());
        for (const auto& [name, unused] : symbols.coefficients) known.push_back(name);
        node.fail(ErrorCode::unknown_name,
                  "the shape has no coefficient '" + node.text() + "'" + did_you_mean(node.text(), known));
    }
    if (value != 0) return value;
    if (dimension.extent == 1) return 1;
    const auto set = symbols.values.find(node.text());
    (set == symbols.values.end() ? node : set->second)
        .fail(ErrorCode::bad_value, "coefficient '" + node.text() + "' is 0, but its dimension " + dimension.name +
                                        " has " + std::to_string(dimension.extent) + " steps");
}

Term read_term(const Node& node, const Symbols& symbols, const Einsum& einsum) {
    const std::vector<Node>& parts = node.items();
    if (parts.empty() || parts.size() > 2)
        node.fail(ErrorCode::bad_value, "a term is [dimension] or [dimension, coefficient]");
    Term term;
    term.dimension = symbols.find_dimension(parts[0].text());
    if (term.dimension < 0)
        parts[0].fail(ErrorCode::unknown_name, "the shape has no dimension '" + parts[0].text() + "'" +
                                                   did_you_mean(parts[0].text(), symbols.dimensions));
    if (parts.size() == 2) term.coefficient = read_coefficient(parts[1], symbols, einsum.dimensions[term.dimension]);
    return term;
}

Rank read_rank(const Node& node, const Symbols& symbols, const Einsum& einsum) {
    Rank rank;
    for (const Node& item : node.items()) {
        if (!item.is_sequence())
            item.fail(ErrorCode::wrong_type,
                      "a rank is a list of terms, each a list: [[C]] or [[R, Wdilation], [P, Wstride]]");
        const Term term = read_term(item, symbols, einsum);
        for (const Term& other : rank.terms)
            if (other.dimension == term.dimension)
                item.fail(ErrorCode::bad_value,
                          "dimension '" + symbols.dimensions[term.dimension] + "' appears twice in one rank");
        rank.terms.push_back(term);
    }
    return rank;
}

Tensor read_tensor(const Node& node, const Symbols& symbols, const Einsum& einsum) {
    node.expect_keys({"name", "projection", "read_write", "bits"});
    Tensor tensor;
    tensor.name = name_in(node.at("name"), "data space");
    const Node& projection = node.at("projection");
    if (projection.is_scalar())
        projection.fail(ErrorCode::unsupported,
                        "a projection written as text is not supported; write lists of [dimension, coefficient]");
    for (const Node& rank : projection.items()) tensor.ranks.push_back(read_rank(rank, symbols, einsum));
    if (tensor.ranks.size() > kMaxRanks)
        projection.fail(ErrorCode::unsupported, "more than " + std::to_string(kMaxRanks) + " ranks are not supported");
    if (const Node* written = node.find("read_write")) tensor.written = written->boolean();
    if (const Node* bits = node.find("bits")) {
        tensor.bits = bits->positive();
        if (tensor.bits > kMaxWordBits)
            bits->fail(ErrorCode::bad_value, "expected at most " + std::to_string(kMaxWordBits) + " bits");
    }
    return tensor;
}

void read_tensors(const Node& node, const Symbols& symbols, Einsum& einsum) {
    for (const Node& item : node.items()) {
        Tensor tensor = read_tensor(item, symbols, einsum);
        if (find_tensor(einsum, tensor.name) >= 0)
            item.at("name").fail(ErrorCode::duplicate_key, "two data spaces are called '" + tensor.name + "'");
        einsum.tensors.push_back(std::move(tensor));
    }
    if (einsum.tensor_count() > kMaxTensors)
        node.fail(ErrorCode::unsupported,
                  "more than " + std::to_string(kMaxTensors) + " data spaces are not supported");
}

// --- the problem ---

void check(const Einsum& einsum, const Node& place) {
    if (const std::string problem = problem_with(einsum); !problem.empty()) place.fail(ErrorCode::bad_value, problem);
    try {
        (void)operation_count(einsum);
        for (int t = 0; t < einsum.tensor_count(); ++t) (void)tensor_words(einsum, t);
    } catch (const OverflowError&) {
        place.fail(ErrorCode::overflow, "the layer is too large to count in 64 bits");
    }
}

Einsum read_formula(const Node& problem) {
    problem.expect_keys({"version", "name", "einsum", "extents"});
    const Node& formula = problem.at("einsum");
    std::vector<std::pair<std::string, std::int64_t>> extents;
    for (const Node::Entry& entry : problem.at("extents").entries()) {
        (void)name_in(entry.key_node, "dimension");
        extents.emplace_back(entry.key, entry.value.positive());
    }
    Einsum einsum;
    try {
        einsum = parse_einsum(formula.text(), extents);
    } catch (const InputError& error) {
        formula.fail(error.code(),
                     error.message() + " (column " + std::to_string(error.where().column) + " of the formula)");
    }
    if (const Node* name = problem.find("name")) einsum.name = name->text();
    return einsum;
}

void check_version(const Node& problem) {
    const Node* version = problem.find("version");
    if (version == nullptr) return;
    static const std::vector<std::string> kKnown{"0.1", "0.2", "0.3", "0.4"};
    if (std::find(kKnown.begin(), kKnown.end(), version->text()) == kKnown.end())
        version->fail(ErrorCode::unsupported,
                      "problem version " + version->text() + " is not one of " + list_words(kKnown));
}

Einsum read_shape(const Node& root, const Node& shape, const Node& instance, const std::vector<std::string>& reserved) {
    shape.expect_keys({"name", "dimensions", "coefficients", "data_spaces"});
    Symbols symbols;
    read_dimensions(shape.at("dimensions"), symbols);
    if (const Node* coefficients = shape.find("coefficients")) read_coefficients(*coefficients, symbols);
    Einsum einsum;
    if (const Node* name = shape.find("name")) einsum.name = name->text();
    einsum.dimensions = InstanceReader(root, instance, symbols).read(reserved);
    read_tensors(shape.at("data_spaces"), symbols, einsum);
    check(einsum, shape.at("data_spaces"));
    return einsum;
}

}  // namespace

Einsum read_problem(const Node& root, const std::vector<std::filesystem::path>& shape_folders,
                    std::set<std::string>* shape_files) {
    const Node& problem = root.at("problem");
    check_version(problem);
    if (problem.has("einsum")) return read_formula(problem);
    // Timeloop's default is a convolution.
    const Node* given = problem.find("shape");
    const Node shape = given == nullptr     ? named_shape("cnn_layer", problem, shape_folders)
                       : given->is_scalar() ? named_shape(given->text(), *given, shape_folders)
                                            : *given;
    const bool is_named = given == nullptr || given->is_scalar();
    if (std::error_code none; is_named && shape_files != nullptr && std::filesystem::exists(shape.where().file, none))
        shape_files->merge(files_of(shape));
    // Older files write the extents beside the shape.
    const Node* instance = problem.find("instance");
    if (instance == nullptr) return read_shape(root, shape, problem, {"version", "shape", "name"});
    problem.expect_keys({"version", "name", "shape", "instance", "histograms"});
    return read_shape(root, shape, *instance, {});
}

}  // namespace tilewright::timeloop
