// What ends a verb with status 1: the input is sound, but there is nothing to answer.
#pragma once

#include <span>
#include <stdexcept>
#include <string>

#include "workload/network.hpp"

namespace tilewright::cli {

/// Caught by main(), which prints the message and ends with ExitStatus::no_answer.
class NoAnswer : public std::runtime_error {
   public:
    using std::runtime_error::runtime_error;
};

/// "error: network 'relu' has no layer to map: 2 operators, of which none is one (Add: works element by element; ...)"
std::string why_there_is_no_layer(const std::string& network, std::span<const UnmappedOperator> unmapped);

}  // namespace tilewright::cli
