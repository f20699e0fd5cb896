// The dimensions and tensors that constraints name: found in the problem, or void because the problem has none of that
// name. Constraints of a machine are written for one kind of layer (convolutions, say); for another kind, what they say
// about names it lacks cannot mean anything. R, S, P, Q, C, K, N and G, Weights, Inputs and Outputs are names of every
// layer that has some of them: a matrix product without R is no mistake of who writes R=1.
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

/// What a name means that the problem lacks: a mistake, nothing, or a mistake unless the machine comes with Tilewright.
enum class Unnamed { refuse, ignore, ignore_in_zoo };

/// By file: the names that meant nothing, and what else the user should know of its constraints.
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

    /// Empty when the name is void at this place; throws unknown_name or unknown_tensor where it has to be known.
    std::optional<int> dimension(const yaml::Node& place, const std::string& name) const;
    std::optional<int> tensor(const yaml::Node& place) const;
    /// A list of tensors; "*" is all of them. Empty when every one of its names is void: the list then says nothing.
    std::optional<TensorSet> tensors(const yaml::Node& list) const;
    /// True when dimensions whose names touch each other in `text` may be void.
    bool may_lack_some_of(const yaml::Node& place, const std::string& text) const;
    /// Something that notes_about() tells, with its place.
    void remark(const yaml::Node& place, const std::string& text) const;

   private:
    /// True when any name at this place may be void.
    bool may_be_void(const yaml::Node& place) const;
    /// True when this name may be void at this place: any may, or it is a usual one and the layer has others of them.
    bool may_lack(const yaml::Node& place, const std::string& name, const std::vector<std::string>& own,
                  const std::vector<std::string>& usual) const;

    const Einsum& einsum_;
    Unnamed unnamed_;
    VoidNamesByFile& found_;
};

}  // namespace tilewright::timeloop
