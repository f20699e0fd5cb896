// A small network as text on a machine of a DRAM, a buffer and an array, written in other ways that cannot change what
// fused mappings of it cost at least, or can only better it.
//
//     NetworkText again = network;
//     if (rewrite(NetworkRewriting::terms, random, again)) parse_cascade(to_text(again));
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "arch/architecture.hpp"
#include "base/numbers/random.hpp"
#include "same_layer.hpp"

namespace tilewright::property {

struct TermOfText {
    std::int64_t coefficient = 1;
    std::string dimension;
};

struct AxisOfText {
    std::vector<TermOfText> terms;
    std::int64_t offset = 0;
};

struct OperandOfText {
    std::string tensor;
    std::vector<AxisOfText> axes;
};

struct StatementOfText {
    OperandOfText result;
    std::vector<OperandOfText> operands;
    std::string_view combined = "*";  ///< how: "*", summed over what the result does not have; "+", element by element
};

/// What stands in a network's text, and the machine.
struct NetworkText {
    std::vector<std::pair<std::string, std::int64_t>> sizes;
    std::vector<std::pair<std::string, std::vector<std::int64_t>>> shapes;  ///< of tensors that are declared
    std::vector<std::string> weights;
    std::vector<StatementOfText> statements;
    Architecture architecture;
};

std::string to_text(const NetworkText& network);

/// What a network has that was rare among those that tests drew.
struct NetworkTraits {
    bool steps_over = false;   ///< a window is smaller than its stride
    bool several = false;      ///< writers of one tensor
    bool grows = false;        ///< a tensor is read between its writers
    bool mixed_radix = false;  ///< an axis of several terms that cannot meet
};

struct DrawnNetwork {
    NetworkText text;
    NetworkTraits traits;
};

DrawnNetwork random_network(std::uint64_t seed);

enum class NetworkRewriting {
    terms,         ///< of sums, in another order
    operands,      ///< in another order
    axes,          ///< of a tensor, in another order
    names,         ///< others, of dimensions and tensors
    declarations,  ///< in another order
    one_value,     ///< a dimension of one value more, in a sum
    one_axis,      ///< an axis of one value more
    array,         ///< X and Y change places
    energies,      ///< all of them larger by a power of two
    statements,    ///< that do not wait for each other in another order: the same if nothing is fused
    // What can only better it.
    buffer,     ///< doubled
    bandwidth,  ///< of a memory, doubled
};
inline constexpr int kNetworkRewritings = 12;

std::string_view name_of(NetworkRewriting rewriting);

/// Nothing where it does not apply; the network is then as it was.
std::optional<Relation> rewrite(NetworkRewriting rewriting, Random& random, NetworkText& network);

}  // namespace tilewright::property
