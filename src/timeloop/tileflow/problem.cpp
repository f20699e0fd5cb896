#include "timeloop/tileflow/problem.hpp"

#include <algorithm>
#include <cctype>
#include <ranges>

#include "base/error.hpp"
#include "base/numbers/checked.hpp"
#include "workload/cascade/builder.hpp"

namespace tilewright::tileflow {
namespace {

constexpr std::size_t kMostOperations = 1000;

// Keys have hyphens in the file, underscores from Timeloop's loader.
const yaml::Node* find_key(const yaml::Node& map, const std::string& key) {
    std::string other = key;
    std::ranges::replace(other, '-', '_');
    const yaml::Node* found = map.find(key);
    return found != nullptr ? found : map.find(other);
}

// "Q, K" or "Q K" or [Q, K].
std::vector<std::string> names_in(const yaml::Node& node) {
    std::vector<std::string> names;
    if (node.is_sequence()) {
        for (const yaml::Node& one : node.items()) names.push_back(one.text());
        return names;
    }
    std::string word;
    for (const char c : node.text() + " ") {
        const bool in_word = std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '_';
        if (in_word) word += c;
        if (in_word || word.empty()) continue;
        names.push_back(word);
        word.clear();
    }
    return names;
}

class ProblemReader {
   public:
    ProblemReader(const yaml::Node& section, const yaml::Node* macros) : section_(section), macros_(macros) {}

    Problem read() {
        section_.expect_keys({"version", "name", "io", "dimensions", "instance", "ops"});
        read_dimensions();
        for (const yaml::Node& op : section_.at("ops").items()) read_operation(op);
        const yaml::Node& io = section_.at("io");
        io.expect_keys({"ins", "outs"});
        problem_.inputs = tensors_in(io.at("ins"));
        problem_.outputs = tensors_in(io.at("outs"));
        check_order();
        return std::move(problem_);
    }

   private:
    void read_dimensions() {
        const yaml::Node& sizes = section_.at("instance");
        for (const yaml::Node& one : section_.at("dimensions").items()) {
            if (problem_.dimension_of(one.text()) >= 0)
                one.fail(ErrorCode::duplicate_key, "two dimensions are called '" + one.text() + "'");
            if (problem_.dimensions.size() == static_cast<std::size_t>(kMaxDimensions))
                one.fail(ErrorCode::unsupported, "more than " + std::to_string(kMaxDimensions) + " dimensions");
            const yaml::Node& size = sizes.at(one.text());
            const bool named = macros_ != nullptr && size.is_scalar() && macros_->has(size.text());
            problem_.dimensions.push_back({one.text(), (named ? macros_->at(size.text()) : size).positive()});
        }
        std::vector<std::string> names;
        for (const Dimension& one : problem_.dimensions) names.push_back(one.name);
        sizes.expect_keys(names);
    }

    int dimension(const yaml::Node& name) const {
        const int found = problem_.dimension_of(name.text());
        if (found < 0) name.fail(ErrorCode::unknown_name, "there is no dimension '" + name.text() + "'");
        return found;
    }

    std::vector<int> tensors_in(const yaml::Node& list) const {
        std::vector<int> tensors;
        for (const std::string& name : names_in(list)) {
            const int found = problem_.tensor_of(name);
            if (found < 0) list.fail(ErrorCode::unknown_tensor, "no operation has a data space '" + name + "'");
            tensors.push_back(found);
        }
        return tensors;
    }

    // [[[P], [R]], [[C]]]: axes, sums of dimensions.
    std::vector<Rank> read_ranks(const yaml::Node& projection) const {
        std::vector<Rank> ranks;
        for (const yaml::Node& axis : projection.items()) {
            Rank& rank = ranks.emplace_back();
            for (const yaml::Node& term : axis.items()) {
                const std::vector<yaml::Node>& parts = term.items();
                if (parts.size() != 1)
                    term.fail(ErrorCode::unsupported, "expected [DIMENSION]; coefficients are not read");
                rank.terms.push_back({dimension(parts[0]), 1});
            }
        }
        if (ranks.size() > static_cast<std::size_t>(kMaxRanks))
            projection.fail(ErrorCode::unsupported, "more than " + std::to_string(kMaxRanks) + " axes");
        return ranks;
    }

    // Throws OverflowError if its words, or those along an axis, leave 64 bits.
    void check_size(const std::vector<Rank>& ranks) const {
        std::int64_t words = 1;
        for (const Rank& rank : ranks) {
            std::int64_t along = 1;
            for (const Term& term : rank.terms) along = checked_add(along, problem_.dimensions[term.dimension].extent);
            words = checked_mul(words, along);
        }
    }

    void read_space(const yaml::Node& space, std::vector<int>& spaces) {
        space.expect_keys({"name", "projection", "read-write", "read_write"});
        const std::string& name = space.at("name").text();
        const yaml::Node* sums = find_key(space, "read-write");
        const std::vector<Rank> ranks = read_ranks(space.at("projection"));
        check_size(ranks);
        problem_.listed_ranks.push_back(ranks);
        const int known = problem_.tensor_of(name);
        if (known >= 0 && problem_.tensors[known].ranks != ranks)
            space.at("projection").fail(ErrorCode::bad_value, "'" + name + "' has other axes where it is listed first");
        spaces.push_back(known >= 0 ? known : static_cast<int>(problem_.tensors.size()));
        if (known < 0) problem_.tensors.push_back({name, ranks, sums != nullptr && sums->boolean(), 0});
    }

    void read_operation(const yaml::Node& op) {
        op.expect_keys(
            {"name", "type", "dimensions", "data-spaces", "data_spaces", "ins", "out", "inplace", "coefficients"});
        Operation made;
        made.name = op.at("name").text();
        const auto is_same = [&](const Operation& other) { return other.name == made.name; };
        if (std::ranges::any_of(problem_.operations, is_same))
            op.at("name").fail(ErrorCode::duplicate_key, "two operations are called '" + made.name + "'");
        if (problem_.operations.size() == kMostOperations)
            op.fail(ErrorCode::unsupported, "more than 1,000 operations");
        for (const yaml::Node& one : op.at("dimensions").items()) made.dimensions.push_back(dimension(one));
        const yaml::Node* spaces = find_key(op, "data-spaces");
        if (spaces == nullptr) op.fail(ErrorCode::missing_key, "an operation needs 'data-spaces'");
        std::vector<int> own;
        for (const yaml::Node& space : spaces->items()) read_space(space, own);
        made.reads = tensors_in(op.at("ins"));
        const std::vector<int> out = tensors_in(op.at("out"));
        if (out.size() != 1) op.at("out").fail(ErrorCode::bad_value, "expected one tensor");
        made.writes = out.front();
        places_.push_back(op);
        check_spaces(op, made, own);
        problem_.operations.push_back(std::move(made));
    }

    // Its operands must be among its data spaces, on its own dimensions.
    void check_spaces(const yaml::Node& op, const Operation& made, const std::vector<int>& own) const {
        std::vector<int> used = made.reads;
        used.push_back(made.writes);
        for (const int tensor : used)
            if (std::ranges::find(own, tensor) == own.end())
                op.fail(ErrorCode::unknown_tensor,
                        "'" + problem_.tensors[tensor].name + "' is no data space of operation '" + made.name + "'");
        for (const int tensor : own)
            for (const Rank& rank : problem_.tensors[tensor].ranks)
                for (const Term& term : rank.terms)
                    if (std::ranges::find(made.dimensions, term.dimension) == made.dimensions.end())
                        op.fail(ErrorCode::unknown_name, "operation '" + made.name + "' has no dimension '" +
                                                             problem_.dimensions[term.dimension].name + "'");
    }

    void check_order() const {
        std::vector<int> made = problem_.inputs;
        for (std::size_t i = 0; i < problem_.operations.size(); ++i) {
            for (const int tensor : problem_.operations[i].reads)
                if (std::ranges::find(made, tensor) == made.end())
                    places_[i].fail(ErrorCode::bad_value,
                                    "operation '" + problem_.operations[i].name + "' reads '" +
                                        problem_.tensors[tensor].name +
                                        "', which is no input and which no operation before it makes");
            made.push_back(problem_.operations[i].writes);
        }
        for (const int tensor : problem_.outputs)
            if (std::ranges::find(made, tensor) == made.end() ||
                std::ranges::find(problem_.inputs, tensor) != problem_.inputs.end())
                section_.at("io").at("outs").fail(ErrorCode::bad_value,
                                                  "no operation makes '" + problem_.tensors[tensor].name + "'");
    }

    const yaml::Node& section_;
    const yaml::Node* macros_;        // numbers by name, or null
    std::vector<yaml::Node> places_;  // of the operations
    Problem problem_;
};

// --- as a cascade ---

std::vector<std::int64_t> shape_of(const Problem& problem, const Tensor& tensor) {
    std::vector<std::int64_t> shape;
    for (const Rank& rank : tensor.ranks) {
        std::int64_t last = 0;
        for (const Term& term : rank.terms) last += term.coefficient * (problem.dimensions[term.dimension].extent - 1);
        shape.push_back(last + 1);
    }
    return shape;
}

TensorRole role_of(const Problem& problem, int tensor) {
    const auto makes = [&](const Operation& one) { return one.writes == tensor; };
    if (std::ranges::none_of(problem.operations, makes)) return TensorRole::input;
    const bool wanted = std::ranges::find(problem.outputs, tensor) != problem.outputs.end();
    return wanted ? TensorRole::output : TensorRole::intermediate;
}

bool sums(const Operation& operation, const Tensor& result) {
    return std::ranges::any_of(operation.dimensions, [&](int d) { return !is_relevant(result, d); });
}

// On the operation's own dimensions, in its own order.
Einsum einsum_of(const Problem& problem, const Operation& operation) {
    Einsum einsum{operation.name, {}, {}};
    for (const int d : operation.dimensions) einsum.dimensions.push_back(problem.dimensions[d]);
    std::vector<int> tensors = operation.reads;
    tensors.push_back(operation.writes);
    for (const int index : tensors) {
        Tensor tensor = problem.tensors[index];
        tensor.written = index == operation.writes;
        for (Rank& rank : tensor.ranks)
            for (Term& term : rank.terms)
                term.dimension = static_cast<int>(std::ranges::find(operation.dimensions, term.dimension) -
                                                  operation.dimensions.begin());
        einsum.tensors.push_back(std::move(tensor));
    }
    return einsum;
}

void set_kind(const Problem& problem, const Operation& operation, CascadeEinsum& one) {
    if (!sums(operation, problem.tensors[operation.writes])) {
        one.kind = EinsumKind::elementwise;
        one.operations = {{OperationClass::add, 1}};
    } else if (operation.reads.size() == 1) {
        one.kind = EinsumKind::statistics;
        one.operations = {{OperationClass::add, 1}};
    }
}

}  // namespace

int Problem::dimension_of(const std::string& name) const {
    const auto found = std::ranges::find(dimensions, name, &Dimension::name);
    return found == dimensions.end() ? -1 : static_cast<int>(found - dimensions.begin());
}

int Problem::tensor_of(const std::string& name) const {
    const auto found = std::ranges::find(tensors, name, &Tensor::name);
    return found == tensors.end() ? -1 : static_cast<int>(found - tensors.begin());
}

bool is_problem(const yaml::Node& root) {
    const yaml::Node* problem = root.is_map() ? root.find("problem") : nullptr;
    return problem != nullptr && problem->is_map() && problem->has("ops") && problem->has("io");
}

Problem read_problem(const yaml::Node& root, const yaml::Node* macros) {
    return ProblemReader(root.at("problem"), macros).read();
}

const yaml::Node* macros_of(const yaml::Node& root) {
    const yaml::Node* macros = root.is_map() ? root.find("macro") : nullptr;
    return macros == nullptr || macros->is_null() ? nullptr : macros;
}

Cascade cascade_of(const Problem& problem, const std::string& name) {
    CascadeBuilder builder(name);
    std::vector<int> made;
    for (std::size_t t = 0; t < problem.tensors.size(); ++t)
        made.push_back(builder.tensor(problem.tensors[t].name, role_of(problem, static_cast<int>(t)),
                                      shape_of(problem, problem.tensors[t])));
    for (const Operation& operation : problem.operations) {
        CascadeEinsum one{operation.name, "Einsum", einsum_of(problem, operation)};
        set_kind(problem, operation, one);
        std::vector<int> tensors = operation.reads;
        tensors.push_back(operation.writes);
        for (std::size_t t = 0; t < tensors.size(); ++t)
            one.accesses.push_back(plain_access(made[tensors[t]], one.einsum.tensors[t]));
        if (const std::string wrong = problem_with(one.einsum); !wrong.empty())
            throw InputError(ErrorCode::bad_value, {}, "operation '" + operation.name + "': " + wrong);
        builder.einsum(std::move(one));
    }
    return builder.take();
}

}  // namespace tilewright::tileflow
