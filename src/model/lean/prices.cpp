#include "model/lean/prices.hpp"

namespace tilewright::lean {
namespace {

Price price_of(double row_pj, double word_pj, const Rows& rows) {
    Price price;
    price.add({rows.per_word > 0.0 ? rows.per_word : 1.0 / rows.words, row_pj, true});
    price.add({1.0, word_pj, false});
    return price;
}

}  // namespace

TensorPrices prices_of_words(const Memory& memory, const Tensor& tensor) {
    const Rows rows = rows_of(memory, tensor);
    const double address_pj = memory.address_energy_pj.value_or(0.0);
    TensorPrices prices;
    prices.read = price_of(memory.energy.read_pj.value, tensor.written ? 0.0 : address_pj, rows);
    prices.fill = price_of(memory.energy.fill_pj.value, address_pj, rows);
    prices.update = price_of(memory.energy.update_pj.value, tensor.written ? address_pj : 0.0, rows);
    return prices;
}

}  // namespace tilewright::lean
