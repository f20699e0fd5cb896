#include "mapper/cosa/shared_buffers.hpp"

#include <algorithm>

#include "arch/widths.hpp"

namespace tilewright::cosa {

namespace {

// --cosa-bits is for tensors without widths in the layer, and only widens, as in CoSA.
double widening(const Layout& layout, int tensor, const Memory& memory, const std::vector<std::int64_t>& tensor_bits) {
    if (tensor_bits.empty() || layout.einsum().tensors[tensor].bits > 0) return 1.0;
    return std::max(1.0, static_cast<double>(tensor_bits[tensor]) / static_cast<double>(memory.word_bits));
}

}  // namespace

std::vector<SharedBuffer> shared_buffers_of(const Layout& layout, const std::vector<std::int64_t>& tensor_bits) {
    std::vector<SharedBuffer> buffers;
    for (const int memory : layout.storages()) {
        const Memory& m = layout.architecture().memories[memory];
        const Capacity units = capacity_of(m, layout.einsum());
        if (!units.usable) continue;
        SharedBuffer buffer{memory, static_cast<double>(*units.usable), units.least, {}};
        for (int t = 0; t < layout.einsum().tensor_count(); ++t) {
            if (!layout.keep(memory).has(t)) continue;
            const auto own = static_cast<double>(units.per_word[t]);
            buffer.shares.push_back({t, own * widening(layout, t, m, tensor_bits), own});
        }
        buffers.push_back(std::move(buffer));
    }
    return buffers;
}

double words_taken(const Layout& layout, const SharedBuffer::Share& share, const Extents& extents) {
    return share.widening * static_cast<double>(box_words(layout.einsum().tensors[share.tensor], extents));
}

double words_taken(const Layout& layout, const SharedBuffer& buffer, const Extents& extents) {
    double sum = 0.0;
    for (const SharedBuffer::Share& share : buffer.shares) sum += words_taken(layout, share, extents);
    return sum;
}

double words_held(const Layout& layout, const SharedBuffer& buffer, const Extents& extents) {
    double sum = 0.0;
    for (const SharedBuffer::Share& share : buffer.shares)
        sum += words_taken(layout, SharedBuffer::Share{share.tensor, share.own, share.own}, extents);
    return sum;
}

std::vector<int> groups_in(const Layout& layout, const SharedBuffer& buffer) {
    std::vector<int> groups;
    for (int g = 0; g < static_cast<int>(layout.groups().size()); ++g) {
        const FactorGroup& group = layout.groups()[g];
        const bool changes = std::any_of(
            buffer.shares.begin(), buffer.shares.end(),
            [&](const SharedBuffer::Share& share) { return layout.relevant(group.dimension, share.tensor); });
        if (group.prime > 1 && changes) groups.push_back(g);
    }
    return groups;
}

std::vector<int> numbers_inside(const Layout& layout, int memory, const std::vector<int>& groups,
                                const Placement& placement) {
    std::vector<int> numbers;
    for (const int g : groups) {
        numbers.push_back(0);
        for (std::size_t p = 0; p < placement[g].size(); ++p)
            if (layout.inside(static_cast<int>(p), memory)) numbers.back() += placement[g][p];
    }
    return numbers;
}

Extents extents_of(const Layout& layout, const std::vector<int>& groups, const std::vector<int>& numbers) {
    Extents extents;
    extents.fill(1);
    for (std::size_t i = 0; i < groups.size(); ++i) {
        const FactorGroup& group = layout.groups()[groups[i]];
        for (int n = 0; n < numbers[i]; ++n) extents[group.dimension] *= group.prime;
    }
    for (int d = 0; d < layout.einsum().dimension_count(); ++d)
        extents[d] = std::min(extents[d], layout.einsum().dimensions[d].extent);
    return extents;
}

std::vector<mip::DownSet> fitting_sets(const Encoding& encoding, const std::vector<SharedBuffer>& buffers) {
    const Layout& layout = encoding.layout();
    std::vector<mip::DownSet> sets;
    for (const SharedBuffer& buffer : buffers) {
        const std::vector<int> groups = groups_in(layout, buffer);
        std::vector<int> counts;
        mip::DownSet set;
        for (const int g : groups) {
            counts.push_back(layout.groups()[g].count);
            set.numbers.push_back(encoding.number_of(g, [&](int p) { return layout.inside(p, buffer.memory); }));
        }
        auto points = mip::maximal_points(counts, [&](const std::vector<int>& numbers) {
            return words_taken(layout, buffer, extents_of(layout, groups, numbers)) <= buffer.words;
        });
        if (!points) continue;
        set.points = std::move(*points);
        sets.push_back(std::move(set));
    }
    return sets;
}

}  // namespace tilewright::cosa
