#include "accelforge/files/workload.hpp"

#include <algorithm>
#include <functional>
#include <map>
#include <memory>
#include <set>

#include "accelforge/expression/evaluate.hpp"
#include "accelforge/files/einsum.hpp"
#include "accelforge/files/extents.hpp"
#include "base/scanner.hpp"

namespace tilewright::accelforge {
namespace {

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
    void name_sets(const EinsumDraft& draft, EinsumSpec& einsum);
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

std::uint64_t members_where(const EinsumSpec& einsum, const std::function<bool(const TensorAccess&)>& holds) {
    std::uint64_t members = 0;
    for (std::size_t t = 0; t < einsum.accesses.size(); ++t)
        if (holds(einsum.accesses[t])) members |= 1ULL << t;
    return members;
}

std::uint64_t variables_in(const TensorAccess& access) {
    std::uint64_t members = 0;
    for (const Projection& rank : access.ranks)
        for (const Term& term : rank.terms) members |= 1ULL << static_cast<unsigned>(term.dimension);
    return members;
}

void WorkloadReader::name_sets(const EinsumDraft& draft, EinsumSpec& einsum) {
    auto variables = std::make_shared<Universe>();
    variables->names = einsum.variables;
    auto tensors = std::make_shared<Universe>();
    for (const TensorAccess& access : einsum.accesses) {
        tensors->names.push_back(access.tensor);
        tensors->variables_of.push_back(variables_in(access));
    }
    tensors->variables = variables;
    const auto put = [&](const char* name, const std::function<bool(const TensorAccess&)>& holds) {
        einsum.names.own[name] = Value{SetValue{tensors, members_where(einsum, holds)}};
    };
    const auto always = [](const TensorAccess&) { return true; };
    put("All", always);
    put("Tensors", always);
    put("Nothing", [](const TensorAccess&) { return false; });
    put("Inputs", [](const TensorAccess& one) { return !one.output; });
    put("Outputs", [](const TensorAccess& one) { return one.output; });
    put("Intermediates", [&](const TensorAccess& one) { return workload_.is_intermediate(one.tensor); });
    put("Shared", [&](const TensorAccess& one) { return workload_.is_shared(one.tensor); });
    put("Persistent", [](const TensorAccess& one) { return one.persistent; });
    for (const std::string& tensor : workload_.tensors())
        put(tensor.c_str(), [&](const TensorAccess& one) { return one.tensor == tensor; });
    for (const EinsumSpec& other : workload_.einsums)
        for (const std::string& variable : other.variables) {
            const int index = einsum.variable_of(variable);
            einsum.names.own[variable] =
                Value{SetValue{variables, index < 0 ? 0 : 1ULL << static_cast<unsigned>(index)}};
        }
    name_renames(draft, einsum);
    read_bits(draft, einsum, *tensors);
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
    name_sets(draft, einsum);
    if (const yaml::Node* persistent = section_.find("persistent_tensors"))
        (void)set_at(*persistent, einsum.names);  // for AccelForge's mapper; must be sound all the same
}

}  // namespace

Workload read_workload(const yaml::Node& root) { return WorkloadReader(root).read(); }

}  // namespace tilewright::accelforge
