#include "terminal/terminal.hpp"

#include <sys/ioctl.h>

namespace tilewright::cli {

std::optional<std::size_t> terminal_columns(int descriptor) {
    winsize size = {};
    if (ioctl(descriptor, TIOCGWINSZ, &size) != 0 || size.ws_col == 0) return std::nullopt;
    return size.ws_col;
}

}  // namespace tilewright::cli
