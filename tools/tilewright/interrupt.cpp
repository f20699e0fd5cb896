#include "interrupt.hpp"

#include <signal.h>

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

void handle(void (*handler)(int)) {
    struct sigaction action = {};
    action.sa_handler = handler;
    action.sa_flags = static_cast<int>(SA_RESETHAND);
    sigemptyset(&action.sa_mask);
    sigaction(SIGINT, &action, nullptr);
    sigaction(SIGTERM, &action, nullptr);
}

}  // namespace

Interrupt::Interrupt(StopSource& stop) {
    stop_to_request.store(&stop);
    interrupted.store(false);
    handle(request_stop);
}

Interrupt::~Interrupt() {
    handle(SIG_DFL);
    stop_to_request.store(nullptr);
}

bool Interrupt::happened() const { return interrupted.load(); }

}  // namespace tilewright::cli
