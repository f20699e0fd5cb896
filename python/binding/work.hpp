// Long work on a thread of its own: the calling one lets other Python threads run, answers signals and stops the work.
//
//     Watch watch(progress);
//     const NetworkAnswer answer = watch.run([&](const StopSource& stop) { return map_network(..., {.stop = &stop});
//     }); return py::make_tuple(answer, watch.interrupted());
#pragma once

#include <pybind11/pybind11.h>

#include <functional>
#include <memory>
#include <mutex>
#include <optional>
#include <utility>

#include "base/stop.hpp"

namespace tilewright::python {

namespace py = pybind11;

class Watch {
   public:
    /// `callback`: a Python callable, or None. It is called by the threads that work, one at a time. `asked`: of the
    /// user, who may request it from any thread; may be null.
    explicit Watch(py::object callback, std::shared_ptr<StopSource> asked = nullptr)
        : callback_(std::move(callback)), asked_(std::move(asked)) {}

    /// Runs `work(stop)` and returns what it returns. Ctrl-C requests the stop, once the work has come to its end
    /// interrupted() says so. What the callback or a signal handler of the user raises requests it, too, and is raised
    /// at the end. Requires the GIL, which is released meanwhile.
    template <class Work>
    auto run(const Work& work) {
        std::optional<decltype(work(stop_))> result;
        run_to_the_end([&] { result.emplace(work(stop_)); });
        return std::move(*result);
    }

    bool has_callback() const { return !callback_.is_none(); }
    /// Calls the callback with what `event` makes, with the GIL. From any thread.
    void tell(const std::function<py::object()>& event);

    bool interrupted() const { return interrupted_; }

   private:
    void run_to_the_end(const std::function<void()>& work);
    void hear_the_user();
    void answer_signals();

    py::object callback_;
    std::shared_ptr<StopSource> asked_;
    StopSource stop_;
    bool interrupted_ = false;
    std::optional<py::error_already_set> raised_;  ///< by the callback or a signal handler; touched with the GIL only
};

/// Does work without Python objects, which lets other Python threads run meanwhile; Ctrl-C raises KeyboardInterrupt
/// once it ends (no such work has a part that is worth keeping).
template <class Work>
auto patiently_run(const Work& work) {
    Watch watch{py::none()};
    auto result = watch.run([&](const StopSource&) { return work(); });
    if (!watch.interrupted()) return result;
    PyErr_SetNone(PyExc_KeyboardInterrupt);
    throw py::error_already_set();
}

/// Such a function as one that Python calls.
template <class Result, class... Arguments>
auto patiently(Result (*work)(Arguments...)) {
    return [work](Arguments... arguments) -> Result { return patiently_run([&] { return work(arguments...); }); };
}

}  // namespace tilewright::python
