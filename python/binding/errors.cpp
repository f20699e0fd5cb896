// InputError as tilewright.InputError, with its place; OverflowError as Python's.
#include <exception>
#include <filesystem>

#include "base/error.hpp"
#include "base/files/file.hpp"
#include "base/numbers/checked.hpp"
#include "parts.hpp"

namespace tilewright::python {
namespace {

// Of the package, where its attributes have types.
void raise_input_error(const InputError& error) {
    const py::object type = py::module_::import("tilewright.errors").attr("InputError");
    const Location& where = error.where();
    const auto number = [](int value) { return value > 0 ? py::object(py::int_(value)) : py::object(py::none()); };
    const py::object file = where.file.empty() ? py::object(py::none()) : py::object(py::str(where.file));
    const py::object raised = type(error.what(), error.message(), std::string(error_code_name(error.code())), file,
                                   number(where.line), number(where.column));
    PyErr_SetObject(type.ptr(), raised.ptr());
}

void translate(std::exception_ptr thrown) {
    try {
        if (thrown) std::rethrow_exception(thrown);
    } catch (const InputError& error) {
        raise_input_error(error);
    } catch (const std::filesystem::filesystem_error& error) {
        raise_input_error(looked_at_in_vain(error));
    } catch (const OverflowError& error) {
        PyErr_SetString(PyExc_OverflowError, error.what());
    }
}

}  // namespace

void refuse_choice(const std::string& what, const std::string& found, const std::vector<std::string>& known) {
    std::string choices;
    for (std::size_t i = 0; i < known.size(); ++i)
        choices += (i == 0 ? "" : i + 1 == known.size() ? " or " : ", ") + known[i];
    throw InputError(ErrorCode::usage, {},
                     what + " takes " + choices + ", found '" + found + "'" + did_you_mean(found, known));
}

void bind_errors(py::module_& /*module*/) { py::register_exception_translator(&translate); }

}  // namespace tilewright::python
