#include "terminal/interrupt.hpp"

#include <signal.h>

#include <array>
#include <atomic>

namespace tilewright::cli {
namespace {

// A signal handler can reach nothing but globals.
std::atomic<StopSource*> stop_to_request{nullptr};
std::atomic<bool> interrupted{false};

extern "C" void request_stop(int) {
    interrupted.store(true);
    if (StopSource* stop = stop_to_request.load()) stop->request();
}

constexpr std::array kSignals{SIGINT, SIGTERM, SIGHUP};

}  // namespace

// A signal that is ignored stays so: nohup means that a closed terminal ends nothing.
Interrupt::Interrupt(StopSource& stop) {
    stop_to_request.store(&stop);
    interrupted.store(false);
    struct sigaction action = {};
    action.sa_handler = request_stop;
    action.sa_flags = static_cast<int>(SA_RESETHAND);
    sigemptyset(&action.sa_mask);
    for (const int signal : kSignals) {
        struct sigaction before = {};
        sigaction(signal, nullptr, &before);
        if (before.sa_handler != SIG_IGN) sigaction(signal, &action, nullptr);
    }
}

Interrupt::~Interrupt() {
    for (const int number : kSignals) {
        struct sigaction now = {};
        sigaction(number, nullptr, &now);
        if (now.sa_handler == request_stop) signal(number, SIG_DFL);
    }
    stop_to_request.store(nullptr);
}

bool Interrupt::happened() const { return interrupted.load(); }

}  // namespace tilewright::cli
