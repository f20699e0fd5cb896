#include "accelforge/files/load.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <map>
#include <memory>
#include <set>
#include <vector>

#include "accelforge/expression/evaluate.hpp"
#include "accelforge/files/einsum.hpp"
#include "accelforge/values/workload.hpp"
#include "base/scanner.hpp"
#include "yaml/node.hpp"

namespace tilewright::accelforge {
namespace {

// Extents of an einsum's rank variables: the bounding box of its conditions.

/// The sum of terms * variable + constant is at least 0.
struct Inequality {
    std::vector<Term> terms;
    double constant = 0.0;
};

constexpr double kUnbounded = std::numeric_limits<double>::infinity();
constexpr double kLargestExtent = 1e15;
constexpr int kMostRounds = 1000;

// larger - smaller - (strict ? 1 : 0) >= 0
Inequality ordered(const Projection& smaller, const Projection& larger, bool strict) {
    Inequality made{larger.terms, static_cast<double>(larger.offset - smaller.offset) - (strict ? 1.0 : 0.0)};
    for (const Term& term : smaller.terms) made.terms.push_back({term.dimension, -term.coefficient});
    return made;
}

Projection side_of(std::string_view text, const yaml::Node& place, const EinsumSpec& einsum) {
    std::vector<std::string> variables = einsum.variables;
    Projection side = read_projection("", text, place, variables);
    if (variables.size() > einsum.variables.size())
        place.fail(ErrorCode::unknown_name, "'" + variables.back() + "' is no rank variable of '" + einsum.name + "'" +
                                                did_you_mean(variables.back(), einsum.variables));
    return side;
}

void read_chain(std::string_view text, const yaml::Node& place, const EinsumSpec& einsum,
                std::vector<Inequality>& conditions) {
    std::size_t begin = 0;
    Projection left;
    std::string sign;
    for (;;) {
        const std::size_t at = text.find_first_of("<>", begin);
        const Projection right =
            side_of(text.substr(begin, at == std::string_view::npos ? at : at - begin), place, einsum);
        if (!sign.empty()) {
            const bool strict = sign.size() == 1;
            conditions.push_back(sign[0] == '<' ? ordered(left, right, strict) : ordered(right, left, strict));
        }
        if (at == std::string_view::npos) break;
        const bool equal = at + 1 < text.size() && text[at + 1] == '=';
        sign = std::string(text.substr(at, equal ? 2 : 1));
        begin = at + sign.size();
        left = right;
    }
    if (sign.empty()) place.fail(ErrorCode::syntax, "expected a condition like '0 <= m < 128'");
}

struct Bounds {
    std::vector<double> low;
    std::vector<double> high;
};

// Bounds on one variable from an inequality, given the others' bounds.
bool tightened(const Inequality& condition, const Term& term, Bounds& bounds) {
    double rest = condition.constant;
    for (const Term& other : condition.terms) {
        if (other.dimension == term.dimension) continue;
        const auto v = static_cast<std::size_t>(other.dimension);
        rest += static_cast<double>(other.coefficient) * (other.coefficient > 0 ? bounds.high[v] : bounds.low[v]);
    }
    if (!std::isfinite(rest)) return false;
    const double bound = -rest / static_cast<double>(term.coefficient);
    const auto v = static_cast<std::size_t>(term.dimension);
    double& limit = term.coefficient > 0 ? bounds.low[v] : bounds.high[v];
    const double rounded = term.coefficient > 0 ? std::ceil(bound) : std::floor(bound);
    const bool tighter = term.coefficient > 0 ? rounded > limit : rounded < limit;
    if (tighter) limit = rounded;
    return tighter;
}

bool tightened_once(const std::vector<Inequality>& conditions, Bounds& bounds) {
    bool changed = false;
    for (const Inequality& condition : conditions)
        for (const Term& term : condition.terms) changed = tightened(condition, term, bounds) || changed;
    return changed;
}

/// "0 <= m < 128 and m + n < 200" of an einsum's variables. Throws InputError at `place`; unknown_name for a foreign
/// variable.
std::vector<Inequality> read_conditions(const yaml::Node& place, const EinsumSpec& einsum) {
    std::vector<Inequality> conditions;
    std::string_view text = place.text();
    for (;;) {
        const std::size_t both = text.find(" and ");
        read_chain(text.substr(0, both), place, einsum, conditions);
        if (both == std::string_view::npos) return conditions;
        text.remove_prefix(both + 5);
    }
}

/// 0 <= projection < size.
std::vector<Inequality> within(const Projection& projection, double size) {
    Inequality below{{}, size - 1.0 - static_cast<double>(projection.offset)};
    for (const Term& term : projection.terms) below.terms.push_back({term.dimension, -term.coefficient});
    return {{projection.terms, static_cast<double>(projection.offset)}, below};
}

/// Extents of the variables. Throws InputError(bad_value) at `place` for an unbounded variable or an empty range.
std::vector<std::int64_t> extents_of(const EinsumSpec& einsum, const std::vector<Inequality>& conditions,
                                     const yaml::Node& place) {
    const std::size_t count = einsum.variables.size();
    Bounds bounds{std::vector<double>(count, -kUnbounded), std::vector<double>(count, kUnbounded)};
    int rounds = 0;
    while (tightened_once(conditions, bounds))
        if (++rounds > kMostRounds)
            place.fail(ErrorCode::bad_value, "the conditions of '" + einsum.name + "' narrow each other without end");
    std::vector<std::int64_t> extents;
    for (std::size_t v = 0; v < count; ++v) {
        const double extent = bounds.high[v] - bounds.low[v] + 1.0;
        const std::string name = "rank variable '" + einsum.variables[v] + "' of '" + einsum.name + "'";
        if (!(extent <= kLargestExtent))
            place.fail(
                ErrorCode::missing_key,
                name + " has no bounds: give 'rank_sizes' or 'iteration_space_shape' (or they are too far apart)");
        if (extent < 1.0) place.fail(ErrorCode::bad_value, name + " has no room between its bounds");
        extents.push_back(static_cast<std::int64_t>(extent));
    }
    return extents;
}

constexpr std::size_t kMostEinsums = 1000;

/// A named tensor or set of a file.
struct Rename {
    std::string name;
    const yaml::Node* source = nullptr;
    const yaml::Node* expected = nullptr;
};

class WorkloadReader {
   public:
    explicit WorkloadReader(const yaml::Node& root) : root_(root), section_(root.at("workload")) {}

    Workload read() {
        section_.expect_keys(
            {"einsums", "rank_sizes", "iteration_space_shape", "bits_per_value", "persistent_tensors", "n_instances"});
        collect(section_.at("einsums"));
        if (drafts_.empty()) section_.at("einsums").fail(ErrorCode::bad_value, "a workload needs einsums");
        refuse_equal_names();
        read_default_renames();
        for (const EinsumDraft& draft : drafts_) workload_.einsums.push_back(draft.einsum);
        for (std::size_t i = 0; i < drafts_.size(); ++i) finish(drafts_[i], workload_.einsums[i]);
        refuse_differing_ranks();
        if (const yaml::Node* all = section_.find("persistent_tensors")) workload_.persistent.push_back(all->where());
        for (const EinsumSpec& einsum : workload_.einsums)
            for (const TensorAccess& access : einsum.accesses)
                if (access.persistent) workload_.persistent.push_back(access.where);
        return std::move(workload_);
    }

   private:
    void collect(const yaml::Node& list);
    void refuse_equal_names() const;
    void refuse_differing_ranks() const;
    void read_default_renames();
    void finish(const EinsumDraft& draft, EinsumSpec& einsum);
    void bound(const EinsumDraft& draft, EinsumSpec& einsum);
    void name_renames(const EinsumDraft& draft, EinsumSpec& einsum) const;
    void read_bits(const EinsumDraft& draft, EinsumSpec& einsum, Universe& universe) const;
    const double* rank_size(const std::string& rank, const yaml::Node& place);

    const yaml::Node& root_;
    const yaml::Node& section_;
    std::vector<EinsumDraft> drafts_;
    std::vector<Rename> default_renames_;
    std::map<std::string, double> rank_sizes_;
    std::set<std::string> open_sizes_;
    Workload workload_;
};

void WorkloadReader::collect(const yaml::Node& list) {
    for (const yaml::Node& one : list.items()) {
        if (one.is_sequence())
            collect(one);
        else
            drafts_.push_back(read_einsum(one));
        if (drafts_.size() > kMostEinsums) one.fail(ErrorCode::unsupported, "more than 1,000 einsums");
    }
}

void WorkloadReader::refuse_equal_names() const {
    std::set<std::string> names;
    for (const EinsumDraft& draft : drafts_)
        if (!names.insert(draft.einsum.name).second)
            draft.place.fail(ErrorCode::duplicate_key, "two einsums are called '" + draft.einsum.name + "'");
}

void WorkloadReader::refuse_differing_ranks() const {
    std::map<std::string, const TensorAccess*> first;
    for (std::size_t i = 0; i < drafts_.size(); ++i)
        for (std::size_t t = 0; t < workload_.einsums[i].accesses.size(); ++t) {
            const TensorAccess& access = workload_.einsums[i].accesses[t];
            const TensorAccess& before = *first.emplace(access.tensor, &access).first->second;
            const auto names = [](const TensorAccess& one) {
                std::set<std::string> ranks;
                for (const Projection& rank : one.ranks) ranks.insert(rank.rank);
                return ranks;
            };
            if (names(before) != names(access))
                drafts_[i].access_places[t].fail(ErrorCode::bad_value,
                                                 "'" + access.tensor + "' has other ranks than where it is used first");
        }
}

std::vector<Rename> renames_in(const yaml::Node* section) {
    std::vector<Rename> all;
    if (section == nullptr) return all;
    if (section->is_map())
        for (const yaml::Node::Entry& one : section->entries()) all.push_back({one.key, &one.value, nullptr});
    else
        for (const yaml::Node& one : section->items()) {
            one.expect_keys({"name", "source", "expected_count"});
            all.push_back({one.at("name").text(), &one.at("source"), one.find("expected_count")});
        }
    return all;
}

// Only the entry `default` is applied, as in AccelForge; another one would be lost silently.
void WorkloadReader::read_default_renames() {
    const yaml::Node* section = root_.find("renames");
    if (section == nullptr) return;
    section->expect_keys({"einsums"});
    if (!section->has("einsums")) return;
    for (const yaml::Node& one : section->at("einsums").items()) {
        one.expect_keys({"name", "tensor_accesses", "rank_variables"});
        if (one.at("name").text() != "default")
            one.at("name").fail(ErrorCode::unsupported,
                                "AccelForge applies the renames called 'default' only; others belong to their einsum");
        default_renames_ = renames_in(one.find("tensor_accesses"));
        const std::vector<Rename> variables = renames_in(one.find("rank_variables"));
        default_renames_.insert(default_renames_.end(), variables.begin(), variables.end());
    }
}

// Sizes may name one another.
const double* WorkloadReader::rank_size(const std::string& rank, const yaml::Node& place) {
    if (const auto known = rank_sizes_.find(rank); known != rank_sizes_.end()) return &known->second;
    const yaml::Node* sizes = section_.find("rank_sizes");
    const yaml::Node* given = sizes == nullptr ? nullptr : sizes->find(rank);
    if (given == nullptr) return nullptr;
    if (!open_sizes_.insert(rank).second)
        given->fail(ErrorCode::cyclic_inheritance, "the size of '" + rank + "' depends on itself");
    if (open_sizes_.size() > 100) place.fail(ErrorCode::unsupported, "more than 100 sizes that name one another");
    Names names;
    if (given->is_scalar() && !given->try_real()) {
        Scanner scanner(given->text());
        while (!scanner.at_end()) {
            const std::string word(scanner.name());
            if (word.empty())
                scanner.seek(scanner.place() + 1);
            else if (const double* size = rank_size(word, *given))
                names.own[word] = Value{*size};
        }
    }
    open_sizes_.erase(rank);
    return &(rank_sizes_[rank] = number_at(*given, names));
}

void WorkloadReader::bound(const EinsumDraft& draft, EinsumSpec& einsum) {
    std::vector<Inequality> conditions;
    const auto add = [&](const std::vector<Inequality>& more) {
        conditions.insert(conditions.end(), more.begin(), more.end());
    };
    for (const yaml::Node& one : draft.conditions) add(read_conditions(one, einsum));
    if (const yaml::Node* shape = section_.find("iteration_space_shape"))
        for (const std::string& variable : einsum.variables)
            if (const yaml::Node* one = shape->find(variable)) add(read_conditions(*one, einsum));
    for (const TensorAccess& access : einsum.accesses)
        for (const Projection& rank : access.ranks) {
            const yaml::Node* own = draft.rank_sizes == nullptr ? nullptr : draft.rank_sizes->find(rank.rank);
            if (own != nullptr)
                add(within(rank, number_at(*own, {})));
            else if (const double* size = rank_size(rank.rank, draft.place))
                add(within(rank, *size));
        }
    einsum.extents = extents_of(einsum, conditions, draft.place);
}

void WorkloadReader::name_renames(const EinsumDraft& draft, EinsumSpec& einsum) const {
    std::vector<Rename> all = renames_in(draft.renames);
    const std::size_t own = all.size();
    for (const Rename& one : default_renames_) {
        const auto is_own = [&](const Rename& other) { return other.name == one.name; };
        if (std::none_of(all.begin(), all.begin() + static_cast<std::ptrdiff_t>(own), is_own)) all.push_back(one);
    }
    for (const Rename& one : all) {
        const SetValue set = set_at(*one.source, einsum.names);
        if (one.expected != nullptr && number_at(*one.expected, einsum.names) != set.size())
            one.expected->fail(ErrorCode::bad_value, "'" + one.name + "' has " + std::to_string(set.size()) +
                                                         " members in einsum '" + einsum.name + "'");
        einsum.names.own[one.name] = Value{set};
    }
}

void WorkloadReader::read_bits(const EinsumDraft& draft, EinsumSpec& einsum, Universe& universe) const {
    const yaml::Node* given = section_.find("bits_per_value");
    einsum.bits.assign(einsum.accesses.size(), 0.0);
    if (given != nullptr) einsum.bits = values_by_tensor(*given, einsum.names, einsum.accesses.size(), 0.0);
    for (std::size_t t = 0; t < einsum.bits.size(); ++t) {
        if (draft.bits[t] != nullptr) einsum.bits[t] = number_at(*draft.bits[t], einsum.names);
        if (!(einsum.bits[t] > 0.0))
            draft.access_places[t].fail(ErrorCode::missing_key,
                                        "no 'bits_per_value' covers '" + einsum.accesses[t].tensor + "'");
    }
    universe.bits = einsum.bits;
}

void WorkloadReader::finish(const EinsumDraft& draft, EinsumSpec& einsum) {
    if (const yaml::Node* count = section_.find("n_instances")) einsum.instances *= number_at(*count, {});
    if (!(einsum.instances > 0.0)) draft.place.fail(ErrorCode::bad_value, "n_instances has to be above 0");
    bound(draft, einsum);
    const std::shared_ptr<Universe> tensors = name_sets(workload_, einsum);
    name_renames(draft, einsum);
    read_bits(draft, einsum, *tensors);
    if (const yaml::Node* persistent = section_.find("persistent_tensors"))
        (void)set_at(*persistent, einsum.names);  // for AccelForge's mapper; must be sound all the same
}

}  // namespace

Workload read_workload(const yaml::Node& root) { return WorkloadReader(root).read(); }

}  // namespace tilewright::accelforge
