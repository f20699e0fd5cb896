#include "options/width_options.hpp"

#include "base/error.hpp"
#include "options/options.hpp"
#include "workload/cascade/widths.hpp"
#include "workload/widths.hpp"

namespace tilewright::cli {

std::vector<TensorWidth> read_widths(const std::string& verb, const std::vector<std::string>& texts) {
    return in_the_words_of(verb, [&] { return parse_widths("--bits", texts); });
}

PartialBits read_partial_sums(const std::string& verb, const std::vector<std::string>& texts, const Cascade& cascade) {
    const std::vector<TensorWidth> widths = read_widths(verb, texts);
    return in_the_words_of(verb, [&] { return partial_bits(cascade, widths); }, "--bits: ");
}

}  // namespace tilewright::cli
