#include "explore/process.hpp"

#include <unistd.h>

#include <fstream>
#include <sstream>

namespace tilewright::explore {
namespace {

// Field 22 of /proc/PID/stat: start time in clock ticks since boot. The second field, the program's name in
// parentheses, may hold anything.
std::string start_of(const std::string& pid) {
    std::ifstream file("/proc/" + pid + "/stat");
    std::string line;
    std::getline(file, line);
    const std::size_t name_end = line.rfind(')');
    if (name_end == std::string::npos) return "";
    std::istringstream fields(line.substr(name_end + 1));
    constexpr int kStart = 22 - 2;
    std::string field;
    for (int i = 0; i < kStart; ++i) fields >> field;
    return field;
}

}  // namespace

std::string this_process() {
    const std::string pid = std::to_string(::getpid());
    return pid + " " + start_of(pid);
}

bool is_alive(const std::string& process) {
    const std::size_t space = process.find(' ');
    if (space == std::string::npos || space == 0) return false;
    return start_of(process.substr(0, space)) == process.substr(space + 1);
}

}  // namespace tilewright::explore
