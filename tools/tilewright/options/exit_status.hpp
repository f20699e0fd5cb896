// What the process tells its caller.
#pragma once

namespace tilewright::cli {

enum class ExitStatus {
    done = 0,
    no_answer = 1,      ///< the input is sound, but no legal mapping was found or the given one is not legal
    bad_input = 2,      ///< or wrong usage: the message on stderr says where and what was expected
    interrupted = 130,  ///< Ctrl-C; the best so far was written
};

}  // namespace tilewright::cli
