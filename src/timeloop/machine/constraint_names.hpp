// Dimensions and tensors named by constraints: found in the problem, or void. A machine's constraints are written for
// one kind of layer (say, convolutions); for another kind, rules on absent names are meaningless. R, S, P, Q, C, K, N
// and G, Weights, Inputs and Outputs are valid for every layer with some of them: R=1 for a matrix product without R is
// no mistake.
#pragma once

#include <map>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "mapspace/constraints.hpp"
#include "workload/einsum.hpp"
#include "workload/layer_roles.hpp"
#include "yaml/node.hpp"

namespace tilewright::timeloop {

/// Treatment of a name absent from the problem: a mistake, void, or a mistake except in Tilewright's own machines.
enum class Unnamed { refuse, ignore, ignore_in_zoo };

/// By file: the void names, and further remarks on its constraints.
struct VoidNames {
    std::set<std::string> dimensions;
    std::set<std::string> tensors;
    std::set<std::string> remarks;
};
using VoidNamesByFile = std::map<std::string, VoidNames>;

/// "eyeriss.yaml: the problem has no dimensions C and K and no tensor Inputs: what constraints say of them is void"
std::vector<std::string> notes_about(const VoidNamesByFile& names);

/// "gemmini.yaml: rules of layers hold by role: X is Inputs; m is N (--rename says otherwise)"
std::string remark_on_roles(const std::string& file, const LayerRoles& roles, const Einsum& einsum,
                            const std::string& because);
inline constexpr const char* kRenameDecides = "--rename says otherwise";

/// Looks names up for one reading of constraints. Refers to the einsum; not shared between threads.
class ConstraintNames {
   public:
    ConstraintNames(const Einsum& einsum, Unnamed unnamed, VoidNamesByFile& found)
        : einsum_(einsum), unnamed_(unnamed), found_(found) {}

    const Einsum& einsum() const { return einsum_; }

    /// Empty for a void name; throws unknown_name or unknown_tensor where void names are not allowed.
    std::optional<int> dimension(const yaml::Node& place, const std::string& name) const;
    std::optional<int> tensor(const yaml::Node& place) const;
    /// A list of tensors; "*" is all of them. Empty if every name is void: the list has no effect.
    std::optional<TensorSet> tensors(const yaml::Node& list) const;
    /// True if dimensions in `text`, written without separators, may be void.
    bool may_lack_some_of(const yaml::Node& place, const std::string& text) const;
    /// A remark for notes_about(), with its place.
    void remark(const yaml::Node& place, const std::string& text) const;
    /// The same once in a file, without a line.
    void remark_once(const yaml::Node& place, const std::string& text) const {
        found_[place.where().file].remarks.insert(place.where().file + ": " + text);
    }

   private:
    bool may_be_void(const yaml::Node& place) const;
    /// True if this name may be void here: any may, or it is a usual one and the layer has others of them.
    bool may_lack(const yaml::Node& place, const std::string& name, const std::vector<std::string>& own,
                  const std::vector<std::string>& usual) const;

    const Einsum& einsum_;
    Unnamed unnamed_;
    VoidNamesByFile& found_;
};

}  // namespace tilewright::timeloop
