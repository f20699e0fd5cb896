// Names of processes of this machine, by which others see whether they live.
#pragma once

#include <string>

namespace tilewright::explore {

/// "PID STARTED": the same pid of a later process is another name.
std::string this_process();

/// False when it is certain that no such process runs here any more.
bool is_alive(const std::string& process);

}  // namespace tilewright::explore
