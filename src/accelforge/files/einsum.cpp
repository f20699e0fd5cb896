#include "accelforge/files/einsum.hpp"

#include <algorithm>
#include <cmath>
#include <map>

#include "accelforge/expression/evaluate.hpp"
#include "base/scanner.hpp"

namespace tilewright::accelforge {
namespace {

constexpr std::size_t kMostAccesses = 64;  // sets are 64 bits
constexpr std::size_t kMostVariables = 64;
constexpr double kLargestCoefficient = 1e9;

std::string upper(std::string_view text) {
    std::string folded(text);
    for (char& c : folded) c = static_cast<char>(std::toupper(static_cast<unsigned char>(c)));
    return folded;
}

std::vector<std::string> words_of(std::string_view text) {
    std::vector<std::string> words;
    Scanner scanner(text);
    while (!scanner.at_end()) {
        const std::string word(scanner.name());
        if (word.empty())
            scanner.seek(scanner.place() + 1);
        else if (std::ranges::find(words, word) == words.end())
            words.push_back(word);
    }
    return words;
}

std::string_view trimmed(std::string_view text) {
    const std::size_t begin = std::min(text.find_first_not_of(kSpaces), text.size());
    return text.substr(begin, text.find_last_not_of(kSpaces) + 1 - begin);
}

double value_at(std::string_view text, const yaml::Node& place, const std::vector<std::string>& words,
                const std::vector<double>& values) {
    Names names;
    for (std::size_t i = 0; i < words.size(); ++i) names.own[words[i]] = Value{values[i]};
    const Value value = evaluate_text(text, place, names);
    if (!value.is_number()) place.fail(ErrorCode::wrong_type, "expected a sum of rank variables");
    return value.number();
}

int variable_index(const std::string& name, const yaml::Node& place, std::vector<std::string>& variables) {
    const auto found = std::ranges::find(variables, name);
    if (found != variables.end()) return static_cast<int>(found - variables.begin());
    if (variables.size() == kMostVariables)
        place.fail(ErrorCode::unsupported, "more than 64 rank variables in one einsum");
    variables.push_back(name);
    return static_cast<int>(variables.size()) - 1;
}

std::int64_t whole_coefficient(double value, const yaml::Node& place, std::string_view text) {
    const bool in_reach = std::abs(value) <= kLargestCoefficient;
    const auto whole = in_reach ? static_cast<std::int64_t>(value) : 0;
    if (!in_reach || static_cast<double>(whole) != value)
        place.fail(ErrorCode::bad_value, "'" + std::string(text) + "' is no sum of whole multiples of rank variables");
    return whole;
}

class EinsumReader {
   public:
    explicit EinsumReader(const yaml::Node& entry) : entry_(entry) {}

    EinsumDraft read() {
        draft_.place = entry_;
        draft_.einsum.where = entry_.where();
        if (entry_.is_scalar())
            read_text(entry_);
        else
            read_map();
        if (draft_.einsum.name == "Total") entry_.fail(ErrorCode::bad_value, "the name 'Total' is AccelForge's own");
        refuse_without_output();
        return std::move(draft_);
    }

   private:
    void read_map();
    void read_text(const yaml::Node& text);
    void read_accesses(const yaml::Node& list);
    void add_access(const std::string& tensor, bool output, const yaml::Node& place);
    void add_rank(const std::string& rank, std::string_view text, const yaml::Node& place);
    void read_written_projection(const yaml::Node& projection);
    void read_projections(std::string_view inside, const yaml::Node& place);
    void refuse_without_output() const;

    const yaml::Node& entry_;
    EinsumDraft draft_;
    std::map<std::string, std::string> written_;  // bracketed text of each tensor
};

void EinsumReader::add_access(const std::string& tensor, bool output, const yaml::Node& place) {
    if (tensor.empty()) place.fail(ErrorCode::syntax, "a tensor needs a name");
    if (draft_.einsum.accesses.size() == kMostAccesses)
        place.fail(ErrorCode::unsupported, "more than 64 tensors in one einsum");
    if (draft_.einsum.access_of(tensor) >= 0)
        place.fail(ErrorCode::duplicate_key, "'" + tensor + "' comes twice in one einsum");
    draft_.einsum.accesses.push_back({tensor, {}, output, false, place.where()});
    draft_.bits.push_back(nullptr);
    draft_.access_places.push_back(place);
}

void EinsumReader::add_rank(const std::string& rank, std::string_view text, const yaml::Node& place) {
    TensorAccess& access = draft_.einsum.accesses.back();
    if (std::ranges::find(access.ranks, rank, &Projection::rank) != access.ranks.end())
        place.fail(ErrorCode::duplicate_key, "rank '" + rank + "' comes twice in '" + access.tensor + "'");
    access.ranks.push_back(read_projection(rank, text, place, draft_.einsum.variables));
}

// "m, H: p + r" between brackets.
void EinsumReader::read_projections(std::string_view inside, const yaml::Node& place) {
    Scanner scanner(inside);
    while (!scanner.finished()) {
        std::string_view item = scanner.rest().substr(0, scanner.rest().find(','));
        scanner.seek(scanner.place() + item.size());
        scanner.accept(',');
        const std::size_t colon = item.find(':');
        Scanner rank(item.substr(0, colon));
        rank.skip(kSpaces);
        const std::string name(rank.name());
        if (name.empty() || !rank.finished())
            place.fail(ErrorCode::syntax,
                       "expected 'variable' or 'RANK: sum of variables', found '" + std::string(item) + "'");
        if (colon == std::string_view::npos)
            add_rank(upper(name), item, place);
        else
            add_rank(name, trimmed(item.substr(colon + 1)), place);
    }
}

// "T[p, q] = A[..] * B[..]"; signs between operands are irrelevant.
void EinsumReader::read_text(const yaml::Node& text) {
    const std::string& written = text.text();
    const std::size_t equals = written.find('=');
    if (equals == std::string::npos || written.find('=', equals + 1) != std::string::npos)
        text.fail(ErrorCode::syntax, "expected one '=' in 'RESULT[..] = OPERAND[..] * OPERAND[..]'");
    const auto read_side = [&](std::string_view side, bool output) {
        std::size_t found = 0;
        for (std::size_t open = side.find('['); open != std::string_view::npos; open = side.find('[', open + 1)) {
            std::size_t begin = open;
            while (begin > 0 && continues_name(side[begin - 1])) --begin;
            const std::size_t close = side.find(']', open);
            if (close == std::string_view::npos) text.fail(ErrorCode::syntax, "'[' without ']'");
            const std::string tensor(side.substr(begin, open - begin));
            const std::string inside(side.substr(open + 1, close - open - 1));
            open = close;
            ++found;
            // X[m] + X[m]: a repeated operand is read once.
            if (const auto known = written_.find(tensor); !output && known != written_.end() && known->second == inside)
                continue;
            written_[tensor] = inside;
            add_access(tensor, output, text);
            read_projections(inside, text);
        }
        return found;
    };
    const std::string_view whole(written);
    if (read_side(whole.substr(equals + 1), false) == 0)
        text.fail(ErrorCode::syntax, "there is no operand 'NAME[..]' behind the '='");
    if (read_side(whole.substr(0, equals), true) != 1)
        text.fail(ErrorCode::syntax, "expected one result 'NAME[..]' before the '='");
    draft_.einsum.name = draft_.einsum.accesses.back().tensor;
}

void EinsumReader::read_written_projection(const yaml::Node& projection) {
    if (projection.is_sequence())
        for (const yaml::Node& one : projection.items()) add_rank(upper(one.text()), one.text(), one);
    else
        for (const yaml::Node::Entry& one : projection.entries()) add_rank(one.key, one.value.text(), one.value);
}

void EinsumReader::read_accesses(const yaml::Node& list) {
    for (const yaml::Node& one : list.items()) {
        one.expect_keys({"name", "projection", "output", "persistent", "bits_per_value", "backing_storage_size_scale"});
        const std::string& name = one.at("name").text();
        int index = draft_.einsum.access_of(name);
        if (index < 0) {
            add_access(name, one.has("output") && truth_at(one.at("output"), {}), one.at("name"));
            read_written_projection(one.at("projection"));
            index = static_cast<int>(draft_.einsum.accesses.size()) - 1;
        } else if (one.has("projection")) {
            one.at("projection")
                .fail(ErrorCode::duplicate_key, "the einsum's text says already how '" + name + "' is used");
        }
        if (one.has("persistent")) draft_.einsum.accesses[index].persistent = truth_at(one.at("persistent"), {});
        draft_.bits[index] = one.find("bits_per_value");
    }
}

void EinsumReader::read_map() {
    entry_.expect_keys({"name", "einsum", "tensor_accesses", "renames", "iteration_space_shape", "rank_sizes",
                        "is_copy_operation", "n_instances"});
    if (const yaml::Node* text = entry_.find("einsum")) read_text(*text);
    if (const yaml::Node* list = entry_.find("tensor_accesses")) read_accesses(*list);
    if (entry_.has("name") || draft_.einsum.name.empty()) draft_.einsum.name = entry_.at("name").text();
    if (const yaml::Node* copy = entry_.find("is_copy_operation")) draft_.einsum.is_copy = truth_at(*copy, {});
    if (const yaml::Node* count = entry_.find("n_instances")) draft_.einsum.instances = number_at(*count, {});
    if (const yaml::Node* shape = entry_.find("iteration_space_shape")) draft_.conditions = shape->items();
    draft_.rank_sizes = entry_.find("rank_sizes");
    draft_.renames = entry_.find("renames");
}

void EinsumReader::refuse_without_output() const {
    const auto& accesses = draft_.einsum.accesses;
    const auto outputs = std::ranges::count(accesses, true, &TensorAccess::output);
    if (outputs == 0) entry_.fail(ErrorCode::bad_value, "einsum '" + draft_.einsum.name + "' has no output");
    if (draft_.einsum.is_copy && static_cast<std::size_t>(outputs) + 1 != accesses.size())
        entry_.fail(ErrorCode::bad_value, "a copy has one input; '" + draft_.einsum.name + "' has not");
}

}  // namespace

Projection read_projection(const std::string& rank, std::string_view text, const yaml::Node& place,
                           std::vector<std::string>& variables) {
    const std::vector<std::string> words = words_of(text);
    const double offset = value_at(text, place, words, std::vector<double>(words.size(), 0.0));
    Projection projection{rank, {}, whole_coefficient(offset, place, text)};
    std::vector<double> probe;
    double expected = offset;
    for (std::size_t i = 0; i < words.size(); ++i) {
        std::vector<double> one(words.size(), 0.0);
        one[i] = 1.0;
        const double coefficient = value_at(text, place, words, one) - offset;
        const int variable = variable_index(words[i], place, variables);
        if (coefficient != 0.0) projection.terms.push_back({variable, whole_coefficient(coefficient, place, text)});
        probe.push_back(3.0 + 2.0 * static_cast<double>(i));
        expected += coefficient * probe.back();
    }
    if (value_at(text, place, words, probe) != expected)
        place.fail(ErrorCode::bad_value, "'" + std::string(text) + "' is no sum of multiples of rank variables");
    return projection;
}

EinsumDraft read_einsum(const yaml::Node& entry) { return EinsumReader(entry).read(); }

namespace {

bool names_other(std::string_view key) {
    Scanner scanner(key);
    while (!scanner.at_end()) {
        const std::string_view word = scanner.name();
        if (word == "Other") return true;
        if (word.empty()) scanner.seek(scanner.place() + 1);
    }
    return false;
}

void cover(const yaml::Node::Entry& entry, std::uint64_t members, std::vector<const yaml::Node*>& covered) {
    for (std::size_t t = 0; t < covered.size(); ++t) {
        if ((members >> t & 1U) == 0) continue;
        if (covered[t] != nullptr)
            entry.key_node.fail(ErrorCode::duplicate_key, "a tensor of '" + entry.key + "' has a value already");
        covered[t] = &entry.value;
    }
}

}  // namespace

std::vector<const yaml::Node*> entries_by_tensor(const yaml::Node& map, const Names& names, std::size_t tensors) {
    std::vector<const yaml::Node*> covered(tensors, nullptr);
    std::uint64_t rest = ~0ULL;
    for (const yaml::Node::Entry& entry : map.entries()) {
        if (names_other(entry.key)) continue;
        const SetValue set = set_of(entry.key, entry.key_node, names);
        cover(entry, set.members, covered);
        rest &= ~set.members;
    }
    for (const yaml::Node::Entry& entry : map.entries()) {
        if (!names_other(entry.key)) continue;
        Names inner{{}, &names};
        if (const Value* all = names.find("All"))
            inner.own["Other"] = Value{SetValue{all->set()->universe, all->set()->members & rest}};
        cover(entry, set_of(entry.key, entry.key_node, inner).members, covered);
    }
    return covered;
}

std::vector<double> values_by_tensor(const yaml::Node& map, const Names& names, std::size_t tensors, double missing) {
    std::vector<double> values;
    for (const yaml::Node* entry : entries_by_tensor(map, names, tensors)) {
        values.push_back(entry == nullptr ? missing : number_at(*entry, names));
        if (entry != nullptr && !(values.back() >= 0.0)) entry->fail(ErrorCode::bad_value, "expected a number above 0");
    }
    return values;
}

}  // namespace tilewright::accelforge
