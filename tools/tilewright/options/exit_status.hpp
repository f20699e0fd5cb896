// What the process tells its caller.
#pragma once

#include <stdexcept>

namespace tilewright::cli {

enum class ExitStatus {
    done = 0,
    no_answer = 1,      ///< the input is sound, but no legal mapping was found or the given one is not legal
    bad_input = 2,      ///< or wrong usage: the message on stderr says where and what was expected
    interrupted = 130,  ///< Ctrl-C; the best so far was written
};

// What ends a verb with status 1: the input is sound, but there is nothing to answer.

/// Caught by main(), which prints the message and ends with ExitStatus::no_answer.
class NoAnswer : public std::runtime_error {
   public:
    using std::runtime_error::runtime_error;
};

}  // namespace tilewright::cli
