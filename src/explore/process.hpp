// Names of this machine's processes, for liveness checks by others.
#pragma once

#include <string>

namespace tilewright::explore {

/// "PID STARTED": a later process with the same pid has another name.
std::string this_process();

/// False if certainly no such process runs here any more.
bool is_alive(const std::string& process);

}  // namespace tilewright::explore
