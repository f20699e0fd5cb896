#include "workload/cascade/text_tensors.hpp"

#include <algorithm>

#include "base/numbers/checked.hpp"

namespace tilewright::cascade_text {
namespace {

bool is_number(const Word& word) { return word.text.front() >= '0' && word.text.front() <= '9'; }

TensorRole role_by_use(const Known& tensor) {
    if (!tensor.is_written()) return TensorRole::input;
    return tensor.is_read() || tensor.is_carrying ? TensorRole::intermediate : TensorRole::output;
}

// Its writers' reach; of an outside tensor its readers' reach, with equal padding before and behind.
std::vector<std::int64_t> shape_by_use(const Known& tensor) {
    const std::size_t axes = tensor.uses.front()->reach.size();
    std::vector<std::int64_t> shape(axes, 1);
    for (const Use* use : tensor.uses) {
        if (use->text->anywhere && use != tensor.uses.front()) continue;
        if (use->written != tensor.is_written()) continue;
        for (std::size_t axis = 0; axis < axes; ++axis) {
            const Interval& reach = use->reach[axis];
            const std::int64_t padding = use->written ? 0 : std::max<std::int64_t>(-reach.low, 0);
            shape[axis] = std::max(shape[axis], checked_add(reach.high, 1) - padding);
        }
    }
    return shape;
}

// A window may reach into padding on both sides, and a stride may leave out the last words.
bool fits(const Use& use, std::size_t axis, std::int64_t extent, bool declared) {
    const Interval& reach = use.reach[axis];
    std::int64_t step = 1;
    for (const Term& term : use.coordinates[axis].terms)
        step = std::max(step, term.coefficient < 0 ? -term.coefficient : term.coefficient);
    const bool window = use.coordinates[axis].terms.size() > 1 && !use.written;
    if (window) {
        if (reach.high < 0 || reach.low >= extent) return false;
        return declared || (reach.high > extent - 1 - step && reach.high < 2 * extent);
    }
    if (reach.low < 0 || reach.high >= extent) return false;
    const bool plain = use.coordinates[axis].terms.size() == 1 && use.coordinates[axis].offset == 0;
    return declared || use.written || !plain || reach.high > extent - 1 - step;
}

}  // namespace

Known& TensorTable::tensor_of(const Word& name) {
    const auto [found, is_new] = by_name_.emplace(name.text, tensors_.size());
    if (is_new) tensors_.push_back({name.text, name.place});
    return tensors_[found->second];
}

Known& TensorTable::known(const Word& name) {
    const auto found = by_name_.find(name.text);
    if (found != by_name_.end()) return tensors_[found->second];
    std::vector<std::string> names;
    for (const Known& one : tensors_) names.push_back(one.name);
    source_.fail(name.place, ErrorCode::unknown_tensor,
                 "no statement has a tensor '" + name.text + "'" + did_you_mean(name.text, names));
}

void TensorTable::add_use(const Use& use) {
    Known& tensor = tensor_of(use.text->name);
    const auto end = tensor.uses.end();
    const auto first_read = std::find_if(tensor.uses.begin(), end, [](const Use* other) { return !other->written; });
    tensor.uses.insert(use.written ? first_read : end, &use);
}

void TensorTable::set_shape(Known& tensor, const DeclarationText::Shaped& shaped, Sizes& sizes) const {
    if (tensor.role || tensor.declared)
        source_.fail(shaped.name.place, ErrorCode::duplicate_key,
                     "tensor '" + shaped.name.text + "' is declared twice");
    tensor.declared = shaped.has_shape;
    if (!shaped.has_shape) return;
    tensor.shape.emplace();
    for (const Word& extent : shaped.shape)
        tensor.shape->push_back(is_number(extent) ? std::stoll(extent.text) : size_of(source_, sizes, extent));
}

void TensorTable::declare(const DeclarationText& declaration, Sizes& sizes) {
    for (const DeclarationText::Shaped& shaped : declaration.tensors) {
        Known& tensor = shaped.has_shape ? tensor_of(shaped.name) : known(shaped.name);
        set_shape(tensor, shaped, sizes);
        tensor.role = declaration.role;
    }
}

void TensorTable::declare_view(const ViewText& view, Sizes& sizes) {
    Known& of = known(view.of);
    of.has_views = true;
    Known& tensor = known(view.tensor.name);
    set_shape(tensor, view.tensor, sizes);
    tensor.role = TensorRole::input;
    tensor.view_of = index_of(view.of.text);
}

void TensorTable::carry(const CarryText& carry) {
    known(carry.made).is_carrying = true;
    static_cast<void>(known(carry.next));
}

void TensorTable::settle() {
    for (Known& tensor : tensors_) settle(tensor);
}

void TensorTable::settle(Known& tensor) const {
    if (!tensor.role) tensor.role = role_by_use(tensor);
    const bool outside = *tensor.role == TensorRole::input || *tensor.role == TensorRole::weight;
    if (outside && tensor.is_written())
        source_.fail(tensor.uses.front()->text->name.place, ErrorCode::bad_value,
                     "'" + tensor.name + "' is declared as " +
                         (*tensor.role == TensorRole::input ? "an input" : "a weight") + " and is not written");
    if (tensor.uses.empty() && !tensor.has_views)
        source_.fail(tensor.place, ErrorCode::unknown_tensor, "no statement uses tensor '" + tensor.name + "'");
    check_axes(tensor);
    if (!tensor.declared) tensor.shape = shape_by_use(tensor);
    for (const Use* use : tensor.uses) check_reach(tensor, *use, tensor.declared);
}

void TensorTable::check_axes(const Known& tensor) const {
    if (tensor.uses.empty()) return;
    const std::size_t axes = tensor.shape ? tensor.shape->size() : tensor.uses.front()->reach.size();
    for (const Use* use : tensor.uses)
        if (use->reach.size() != axes && !(use->text->anywhere && (tensor.shape || use != tensor.uses.front())))
            source_.fail(use->text->name.place, ErrorCode::bad_value,
                         "'" + tensor.name + "' has " + std::to_string(use->reach.size()) +
                             (use->reach.size() == 1 ? " axis" : " axes") + " here and " + std::to_string(axes) +
                             " elsewhere");
}

void TensorTable::check_reach(const Known& tensor, const Use& use, bool declared) const {
    if (use.text->anywhere) return;
    for (std::size_t axis = 0; axis < use.reach.size(); ++axis) {
        const Interval& reach = use.reach[axis];
        const std::int64_t extent = (*tensor.shape)[axis];
        if (fits(use, axis, extent, declared)) continue;
        const std::string words = std::to_string(reach.low) + " to " + std::to_string(reach.high);
        source_.fail(use.text->ranks[axis].place, ErrorCode::bad_value,
                     std::string(use.written ? "writes" : "reads") + " words " + words + " along axis " +
                         std::to_string(axis) + " of '" + tensor.name + "', which has " + std::to_string(extent) +
                         (declared              ? " as declared"
                          : tensor.is_written() ? " as its writer makes it"
                                                : " as others read it"));
    }
}

}  // namespace tilewright::cascade_text
