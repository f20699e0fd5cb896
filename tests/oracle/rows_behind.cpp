#include "oracle/rows_behind.hpp"

namespace tilewright::oracle {
namespace {

/// By tensor, then by its element.
using Behind = std::map<int, std::map<Element, Elements>>;

void begin_at(const CascadeEinsum& statistics, Behind& behind) {
    const Access& first = statistics.accesses[result_operand(statistics)];
    each_point(whole(statistics), [&](const Point& point) {
        for (std::size_t operand = 0; operand < statistics.accesses.size(); ++operand) {
            const Access& access = statistics.accesses[operand];
            if (statistics.einsum.tensors[operand].written)
                behind[access.tensor][element_at(access, point)].insert(element_at(first, point));
        }
    });
}

void go_on_to(const CascadeEinsum& reader, Behind& behind) {
    const Access& result = reader.accesses[result_operand(reader)];
    each_point(whole(reader), [&](const Point& point) {
        Elements rows;
        for (std::size_t operand = 0; operand < reader.accesses.size(); ++operand) {
            const Access& access = reader.accesses[operand];
            if (reader.einsum.tensors[operand].written || !behind.contains(access.tensor)) continue;
            const Elements& more = behind.at(access.tensor).at(element_at(access, point));
            rows.insert(more.begin(), more.end());
        }
        behind[result.tensor][element_at(result, point)].insert(rows.begin(), rows.end());
    });
}

}  // namespace

std::map<Element, Elements> rows_behind(const Cascade& cascade, const UnfinishedStatistics& statistics) {
    const auto einsum = [&](int e) -> const CascadeEinsum& { return cascade.einsums[e]; };
    Behind behind;
    begin_at(einsum(statistics.einsum), behind);
    for (const int reader : statistics.readers) go_on_to(einsum(reader), behind);
    const CascadeEinsum& sum = einsum(statistics.summing());
    return behind.at(sum.accesses[result_operand(sum)].tensor);
}

}  // namespace tilewright::oracle
