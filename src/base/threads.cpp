#include "base/threads.hpp"

#include <pthread.h>

#include <system_error>
#include <utility>

#include "base/error.hpp"

namespace tilewright {
namespace {

extern "C" void* run_work(void* work) {
    (*static_cast<std::function<void()>*>(work))();
    return nullptr;
}

}  // namespace

std::string problem_with_threads(std::int64_t threads) {
    if (threads >= 0 && threads <= kMostThreads) return "";
    return "threads are 0 (all there are) to " + std::to_string(kMostThreads) + ", not " + std::to_string(threads);
}

void require_threads(std::int64_t threads) {
    if (const std::string problem = problem_with_threads(threads); !problem.empty())
        throw InputError(ErrorCode::usage, {"options"}, problem);
}

DeepThread::DeepThread(std::function<void()> work) : work_(std::move(work)) {
    pthread_attr_t attributes;
    pthread_attr_init(&attributes);
    pthread_attr_setstacksize(&attributes, kStackBytes);
    const int failed = pthread_create(&handle_, &attributes, run_work, &work_);
    pthread_attr_destroy(&attributes);
    if (failed != 0) throw std::system_error(failed, std::generic_category(), "cannot begin a thread");
}

DeepThread::~DeepThread() { join(); }

void DeepThread::join() {
    if (std::exchange(joined_, true)) return;
    pthread_join(handle_, nullptr);
}

}  // namespace tilewright
