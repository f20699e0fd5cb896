#include "work.hpp"

#include <pybind11/stl.h>

#include <chrono>
#include <future>

#include "base/threads.hpp"
#include "parts.hpp"
#include "progress.hpp"

namespace tilewright::python {
namespace {

// How long Ctrl-C waits for an answer at most.
constexpr auto kBetweenLooks = std::chrono::milliseconds(20);

}  // namespace

void Watch::tell(const std::function<py::object()>& event) {
    if (stop_.requested()) return;
    const py::gil_scoped_acquire gil;
    if (raised_) return;
    try {
        callback_(event());
    } catch (py::error_already_set& error) {
        raised_.emplace(std::move(error));
        stop_.request();
    }
}

void Watch::hear_the_user() {
    if (asked_ && asked_->requested()) stop_.request();
}

void Watch::answer_signals() {
    const py::gil_scoped_acquire gil;
    if (PyErr_CheckSignals() == 0) return;
    py::error_already_set error;
    stop_.request();
    if (error.matches(PyExc_KeyboardInterrupt))
        interrupted_ = true;
    else if (!raised_)
        raised_.emplace(std::move(error));
}

void Watch::run_to_the_end(const std::function<void()>& work) {
    std::exception_ptr thrown;
    hear_the_user();
    {
        const py::gil_scoped_release released;
        std::promise<void> end;
        std::future<void> ended = end.get_future();
        DeepThread worker([&] {
            try {
                work();
            } catch (...) {
                thrown = std::current_exception();
            }
            end.set_value();
        });
        while (ended.wait_for(kBetweenLooks) != std::future_status::ready) {
            hear_the_user();
            answer_signals();
        }
        worker.join();
    }
    if (raised_) {
        py::error_already_set error = std::move(*raised_);
        raised_.reset();
        throw error;
    }
    if (thrown) std::rethrow_exception(thrown);
}

void bind_work(py::module_& module) {
    py::class_<StopSource, std::shared_ptr<StopSource>>(module, "StopSource")
        .def(py::init<>())
        .def("request", &StopSource::request)
        .def("requested", &StopSource::requested);
    py::class_<Progress>(module, "Progress")
        .def_readonly("event", &Progress::event)
        .def_readonly("layer", &Progress::layer)
        .def_readonly("done", &Progress::done)
        .def_readonly("total", &Progress::total)
        .def_readonly("sampled", &Progress::sampled)
        .def_readonly("valid", &Progress::valid)
        .def_readonly("energy_pj", &Progress::energy_pj)
        .def_readonly("cycles", &Progress::cycles)
        .def_readonly("objective", &Progress::objective)
        .def_readonly("lower_bound", &Progress::lower_bound)
        .def("__repr__", &to_text);
}

std::string to_text(const Progress& progress) {
    std::string text = "<Progress " + progress.event + " '" + progress.layer + "', " + std::to_string(progress.done) +
                       " of " + std::to_string(progress.total) + " done";
    if (progress.sampled) text += ", " + std::to_string(*progress.sampled) + " mappings";
    return text + ">";
}

}  // namespace tilewright::python
