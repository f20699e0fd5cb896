// What ends a verb with status 1: the input is sound, but there is nothing to answer.
#pragma once

#include <stdexcept>

namespace tilewright::cli {

/// Caught by main(), which prints the message and ends with ExitStatus::no_answer.
class NoAnswer : public std::runtime_error {
   public:
    using std::runtime_error::runtime_error;
};

}  // namespace tilewright::cli
