#include "model/sparse/table.hpp"

#include <algorithm>
#include <map>

#include "base/numbers/checked.hpp"

namespace tilewright::sparse {
namespace {

constexpr std::int64_t kMostPlaces = std::int64_t{1} << 26;

// Where a walk over more loops is in a table: its strides, by loop of the walk.
std::vector<std::int64_t> strides_in(const Nest& nest, const Table& table, const std::vector<int>& walked) {
    std::map<int, std::int64_t> stride_of;
    std::int64_t stride = 1;
    for (auto loop = table.loops.rbegin(); loop != table.loops.rend(); ++loop) {
        stride_of[*loop] = stride;
        stride *= nest.loops[*loop].extent;
    }
    std::vector<std::int64_t> strides;
    for (const int loop : walked) strides.push_back(stride_of.contains(loop) ? stride_of[loop] : 0);
    return strides;
}

std::int64_t place_in(const std::vector<std::int64_t>& strides, const std::vector<std::int64_t>& at) {
    std::int64_t place = 0;
    for (std::size_t i = 0; i < at.size(); ++i) place += strides[i] * at[i];
    return place;
}

// The table by its loops of `kept` only: the mean over the others, but for pinned ones.
Table reduced(const Nest& nest, const Table& table, LoopSet kept, Pinned pinned) {
    Table result;
    for (const int loop : table.loops)
        if ((kept & ~pinned.loops & loop_bit(loop)) != 0) result.loops.push_back(loop);
    const std::vector<std::int64_t> strides = strides_in(nest, result, table.loops);
    result.values.assign(static_cast<std::size_t>(Walk(nest, result.loops).size()), 0.0);
    double counted = 0.0;
    Walk walk(nest, table.loops);
    for (std::int64_t i = 0; i < walk.size(); ++i, walk.advance()) {
        bool counts = true;
        for (std::size_t k = 0; k < table.loops.size(); ++k) {
            const std::int64_t at = pinned.at_last ? nest.loops[table.loops[k]].extent - 1 : 0;
            counts = counts && (walk.at()[k] == at || (pinned.loops & loop_bit(table.loops[k])) == 0);
        }
        if (!counts) continue;
        counted += 1.0;
        result.values[place_in(strides, walk.at())] += table.values[i];
    }
    for (double& value : result.values) value *= static_cast<double>(result.values.size()) / counted;
    return result;
}

// Loops of more than one table.
LoopSet shared_loops(const std::vector<Table>& tables) {
    LoopSet seen = 0;
    LoopSet shared = 0;
    for (const Table& table : tables)
        for (const int loop : table.loops) {
            shared |= seen & loop_bit(loop);
            seen |= loop_bit(loop);
        }
    return shared;
}

}  // namespace

Walk::Walk(const Nest& nest, std::vector<int> loops) : loops_(std::move(loops)), at_(loops_.size(), 0) {
    for (const int loop : loops_) {
        extents_.push_back(nest.loops[loop].extent);
        size_ = checked_mul(size_, nest.loops[loop].extent);
    }
    if (size_ > kMostPlaces) throw Uncounted("tensors whose zeros are known by their places are too large");
}

void Walk::advance() {
    for (std::size_t i = at_.size(); i-- > 0;) {
        if (++at_[i] < extents_[i]) return;
        at_[i] = 0;
    }
}

std::vector<int> loops_in(LoopSet set) {
    std::vector<int> loops;
    for (int k = 0; set != 0; ++k, set >>= 1)
        if ((set & 1) != 0) loops.push_back(k);
    return loops;
}

double mean_of_product(const Nest& nest, const std::vector<Table>& tables, Pinned pinned) {
    const LoopSet shared = shared_loops(tables);
    double constant = 1.0;
    std::vector<Table> joined;
    for (const Table& table : tables) {
        Table rest = reduced(nest, table, shared, pinned);
        if (rest.loops.empty())
            constant *= rest.values.front();
        else
            joined.push_back(std::move(rest));
    }
    if (joined.empty()) return constant;
    LoopSet all = 0;
    for (const Table& table : joined)
        for (const int loop : table.loops) all |= loop_bit(loop);
    std::vector<std::vector<std::int64_t>> strides;
    for (const Table& table : joined) strides.push_back(strides_in(nest, table, loops_in(all)));
    double sum = 0.0;
    Walk walk(nest, loops_in(all));
    for (std::int64_t i = 0; i < walk.size(); ++i, walk.advance()) {
        double product = 1.0;
        for (std::size_t t = 0; t < joined.size(); ++t) product *= joined[t].values[place_in(strides[t], walk.at())];
        sum += product;
    }
    return constant * sum / static_cast<double>(walk.size());
}

}  // namespace tilewright::sparse
