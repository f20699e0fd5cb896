// Ctrl-C as a request instead of an end.
#pragma once

#include "base/stop.hpp"

namespace tilewright::cli {

/// While it lives, the first Ctrl-C (or SIGTERM, or SIGHUP: the terminal was closed) requests `stop`; a second one ends
/// the program at once. One at a time.
class Interrupt {
   public:
    explicit Interrupt(StopSource& stop);
    ~Interrupt();
    Interrupt(const Interrupt&) = delete;
    Interrupt& operator=(const Interrupt&) = delete;

    bool happened() const;
};

}  // namespace tilewright::cli
