// One statement of a cascade's text as an einsum, given the sizes.
// The tensors of a cascade's text: declared properties, and those inferred from writers and readers.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "workload/cascade/text_syntax.hpp"

namespace tilewright::cascade_text {

/// By name; `used` collects the requested ones.
struct Sizes {
    std::map<std::string, std::int64_t, std::less<>> extents;
    std::set<std::string> used = {};
};

/// A size by its name. Throws InputError(unknown_name) at `word`.
std::int64_t size_of(const Source& source, Sizes& sizes, const Word& word);

/// An operand of a statement: tensor and access.
struct Use {
    const TensorText* text = nullptr;
    bool written = false;
    std::vector<Coordinate> coordinates;  ///< one per axis of the tensor, also of irregular operands
    std::vector<Interval> reach;          ///< of these, not clipped
};

/// An einsum with accesses still without tensors.
struct ReadEinsum {
    CascadeEinsum einsum;
    std::vector<Use> uses;  ///< in the order of its operands: those read first
};

/// Throws InputError at the place of the mistake.
ReadEinsum read_einsum(const Source& source, Sizes& sizes, const EinsumText& text);

/// Facts about a tensor before it is built.
struct Known {
    std::string name;
    std::size_t place = 0;
    std::optional<TensorRole> role = std::nullopt;
    std::optional<std::vector<std::int64_t>> shape = std::nullopt;
    std::vector<const Use*> uses = {};  ///< written uses first, else in order
    bool declared = false;
    bool is_carrying = false;  ///< the next repeat of its block reads it
    int view_of = -1;
    bool has_views = false;

    bool is_written() const { return !uses.empty() && uses.front()->written; }
    bool is_read() const { return !uses.empty() && !uses.back()->written; }
};

/// Everything but settle() handles names only. All throw InputError at the place of the mistake.
class TensorTable {
   public:
    explicit TensorTable(const Source& source) : source_(source) {}

    /// `use` needs a stable address.
    void add_use(const Use& use);
    void declare(const DeclarationText& declaration, Sizes& sizes);
    void declare_view(const ViewText& view, Sizes& sizes);
    void carry(const CarryText& carry);
    /// Determines all roles and shapes; checks agreement.
    void settle();

    const std::vector<Known>& tensors() const { return tensors_; }
    int index_of(std::string_view name) const { return static_cast<int>(by_name_.find(name)->second); }

   private:
    Known& tensor_of(const Word& name);
    Known& known(const Word& name);
    void set_shape(Known& tensor, const DeclarationText::Shaped& shaped, Sizes& sizes) const;
    void settle(Known& tensor) const;
    void check_axes(const Known& tensor) const;
    void check_reach(const Known& tensor, const Use& use, bool declared) const;

    const Source& source_;
    std::vector<Known> tensors_;
    std::map<std::string, std::size_t, std::less<>> by_name_;
};

}  // namespace tilewright::cascade_text
