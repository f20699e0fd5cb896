#include "fusion/space/view.hpp"

#include <algorithm>

#include "fusion/machine/machine.hpp"
#include "model/fused/windows.hpp"

namespace tilewright::fusion {
namespace {

// The axis that a dimension moves an operand along: -1 none, -2 several.
int axis_of(const Access& access, int dimension) {
    int found = -1;
    for (std::size_t a = 0; a < access.coordinates.size(); ++a)
        for (const Term& term : access.coordinates[a].terms)
            if (term.dimension == dimension) found = found == -1 ? static_cast<int>(a) : -2;
    return found;
}

bool is_plain(const Coordinate& coordinate) {
    return coordinate.offset == 0 && coordinate.terms.size() == 1 && coordinate.terms.front().coefficient == 1;
}

// True for p + r and 2p + r; false for 64h + e with e below 64 that goes over all of the axis: two axes in one.
bool slides_along(const Coordinate& coordinate, const Einsum& einsum, std::int64_t axis_extent) {
    if (coordinate.terms.size() != 2) return false;
    const auto extent = [&](const Term& term) { return einsum.dimensions[at(term.dimension)].extent; };
    const auto [small, large] =
        std::minmax(coordinate.terms[0], coordinate.terms[1], [&](const Term& a, const Term& b) {
            return std::pair(a.coefficient, extent(a)) < std::pair(b.coefficient, extent(b));
        });
    const bool is_digits = small.coefficient == 1 && large.coefficient == extent(small) && coordinate.offset == 0;
    return !is_digits || large.coefficient * extent(large) != axis_extent;
}

// The words at one place of the axes that the loops move; whether those are all.
void look_at_place(const CascadeEinsum& einsum, int operand, const CascadeTensor& tensor, OperandView& view) {
    const auto box = fused::touched(einsum, operand, fused::all_iterations(einsum.einsum), tensor);
    view.words_each = 1;
    view.whole = box.has_value();
    if (!box) return;
    for (std::size_t a = 0; a < tensor.shape.size(); ++a) {
        if (static_cast<int>(a) == view.axes[0] || static_cast<int>(a) == view.axes[1]) continue;
        const std::int64_t width = (*box)[a].high - (*box)[a].low + 1;
        view.words_each *= width;
        view.whole = view.whole && width == tensor.shape[a];
    }
}

Following following_of(const Access& access, const Marching& marching, OperandView& view) {
    if (access.anywhere) return Following::other;
    for (std::size_t k = 0; k < 2; ++k)
        if (marching[k] >= 0) view.axes[k] = axis_of(access, marching[k]);
    if (view.axes[0] == -2 || view.axes[1] == -2) return Following::other;
    if (view.axes[0] >= 0 && view.axes[0] == view.axes[1]) return Following::other;
    const bool outer = view.axes[0] >= 0;
    const bool inner = view.axes[1] >= 0;
    if ((marching[0] < 0 || outer) && (marching[1] < 0 || inner)) return Following::both;
    if (!outer && !inner) return Following::none;
    if (outer && is_plain(access.coordinates[at(view.axes[0])])) return Following::outer;
    return Following::other;
}

// Operands that a tensor has in common are left to the leaf: stores are of tensors, and ways of operands.
void leave_what_is_read_and_written(MemberView& member) {
    for (OperandView& read : member.operands)
        for (OperandView& written : member.operands)
            if (written.written && !read.written && read.tensor == written.tensor)
                read.following = written.following = Following::other;
}

}  // namespace

CascadeView::CascadeView(const Cascade& cascade)
    : cascade_(cascade), first_(cascade.einsums.size(), 0), carried_(cascade.tensors.size(), false) {
    for (const Block& block : cascade.blocks) {
        for (int e = block.first; e < block.end; ++e) first_[at(e)] = block.first;
        for (int e = block.end; e < count(); ++e) first_[at(e)] = block.end;
    }
    for (const CascadeTensor& tensor : cascade.tensors) {
        if (tensor.carried_from >= 0) carried_[at(tensor.carried_from)] = true;
        if (tensor.view_of >= 0) carried_[at(tensor.view_of)] = true;
        is_image_.emplace_back(tensor.shape.size(), false);
    }
    find_images();
    find_driven();
}

// Axes along which a window slides, and those that the same dimensions run along; until nothing is added.
void CascadeView::find_images() {
    const auto each = [&](const auto& visit) {
        for (const CascadeEinsum& einsum : cascade_.einsums)
            for (const Access& access : einsum.accesses)
                for (std::size_t a = 0; a < access.coordinates.size(); ++a) visit(einsum, access, a);
    };
    each([&](const CascadeEinsum& einsum, const Access& access, std::size_t a) {
        const bool slides =
            slides_along(access.coordinates[a], einsum.einsum, cascade_.tensors[at(access.tensor)].shape[a]);
        const bool strides = access.coordinates[a].terms.size() == 1 && access.coordinates[a].terms[0].coefficient > 1;
        if (slides || strides) is_image_[at(access.tensor)][a] = true;
    });
    for (bool more = true; more;) {
        more = false;
        each([&](const CascadeEinsum& einsum, const Access& from, std::size_t a) {
            if (!is_image_[at(from.tensor)][a]) return;
            for (const Term& term : from.coordinates[a].terms)
                for (const Access& to : einsum.accesses) {
                    const int axis = axis_of(to, term.dimension);
                    if (axis < 0 || is_image_[at(to.tensor)][at(axis)]) continue;
                    if (cascade_.tensors[at(to.tensor)].writers.empty() &&
                        cascade_.tensors[at(to.tensor)].role != TensorRole::input)
                        continue;  // windows of weights
                    is_image_[at(to.tensor)][at(axis)] = more = true;
                }
        });
    }
}

// Dimensions that a group's loops drive in its last einsum, and from those what einsums before it are asked for.
void CascadeView::find_driven() {
    for (const CascadeEinsum& einsum : cascade_.einsums) driven_.emplace_back(einsum.einsum.dimensions.size(), false);
    for (int e = count() - 1; e >= 0; --e) {
        for (const LoopChoice& choice : loops(e))
            for (const int d : choice.marching)
                if (d >= 0) driven_[at(e)][at(d)] = true;
        const CascadeEinsum& einsum = cascade_.einsums[at(e)];
        for (int t = 0; t < einsum.einsum.tensor_count(); ++t)
            if (!einsum.einsum.tensors[at(t)].written)
                for (int d = 0; d < einsum.einsum.dimension_count(); ++d)
                    if (driven_[at(e)][at(d)]) drive_writer(einsum.accesses[at(t)], d);
    }
}

void CascadeView::drive_writer(const Access& access, int dimension) {
    const CascadeTensor& tensor = cascade_.tensors[at(access.tensor)];
    if (!may_stay_inside(access.tensor, count())) return;
    const TensorUse& writer = tensor.writers.front();
    for (std::size_t a = 0; a < access.coordinates.size(); ++a)
        for (const Term& term : access.coordinates[a].terms) {
            const int d = dimension_of(writer.einsum, writer.operand, static_cast<int>(a));
            if (term.dimension == dimension && d >= 0) driven_[at(writer.einsum)][at(d)] = true;
        }
}

MemberView CascadeView::member(int einsum, const Marching& marching) const {
    const CascadeEinsum& one = cascade_.einsums[at(einsum)];
    MemberView member;
    for (int t = 0; t < one.einsum.tensor_count(); ++t) {
        const Access& access = one.accesses[at(t)];
        OperandView view{access.tensor, one.einsum.tensors[at(t)].written};
        view.following = following_of(access, marching, view);
        if (!access.anywhere) look_at_place(one, t, cascade_.tensors[at(access.tensor)], view);
        member.operands.push_back(view);
    }
    leave_what_is_read_and_written(member);
    return member;
}

int CascadeView::dimension_of(int einsum, int operand, int axis) const {
    const Access& access = cascade_.einsums[at(einsum)].accesses[at(operand)];
    if (access.anywhere || !is_plain(access.coordinates[at(axis)])) return -1;
    return access.coordinates[at(axis)].terms.front().dimension;
}

std::vector<LoopChoice> CascadeView::loops(int einsum) const {
    const CascadeEinsum& one = cascade_.einsums[at(einsum)];
    std::vector<int> images;
    std::vector<int> rows;
    for (int d = 0; d < one.einsum.dimension_count(); ++d) {
        bool in_results = true;
        bool is_read = false;
        bool image = false;
        for (int t = 0; t < one.einsum.tensor_count(); ++t) {
            const int axis = axis_of(one.accesses[at(t)], d);
            const CascadeTensor& tensor = cascade_.tensors[at(one.accesses[at(t)].tensor)];
            if (one.einsum.tensors[at(t)].written) {
                in_results = in_results && axis >= 0 && dimension_of(einsum, t, axis) == d;
                image = image || (axis >= 0 && is_image_[at(one.accesses[at(t)].tensor)][at(axis)]);
            } else {
                is_read = is_read || (axis >= 0 && (!tensor.writers.empty() || tensor.role == TensorRole::input));
            }
        }
        if (in_results && image) images.push_back(d);
        if (in_results && is_read && one.einsum.dimensions[at(d)].extent > 1) rows.push_back(d);
    }
    std::vector<LoopChoice> all;
    if (images.size() == 1) all.push_back({{images.front(), -1}, true});
    for (std::size_t i = 0; i < images.size(); ++i)
        for (std::size_t k = i + 1; k < images.size(); ++k) all.push_back({{images[i], images[k]}, true});
    if (!all.empty()) return all;
    all.push_back({{-1, -1}, false});
    for (const int outer : rows) {
        all.push_back({{outer, -1}, false});
        for (const int inner : rows)
            if (inner != outer) all.push_back({{outer, inner}, false});
    }
    return all;
}

bool CascadeView::may_stay_inside(int tensor, int last) const {
    const CascadeTensor& one = cascade_.tensors[at(tensor)];
    return one.role == TensorRole::intermediate && one.writers.size() == 1 && !carried_[at(tensor)] &&
           !one.readers.empty() && one.readers.back().einsum <= last;
}

bool CascadeView::is_private_matter(int tensor) const {
    const CascadeTensor& one = cascade_.tensors[at(tensor)];
    return one.writers.empty() && one.readers.size() == 1;
}

}  // namespace tilewright::fusion
