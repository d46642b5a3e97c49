// Single Python values: numbers, and the text of an object in a message.
#pragma once

#include <nanobind/nanobind.h>

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>

#include "../core/cuts.hpp"
#include "../core/exact.hpp"
#include "../core/pace.hpp"

namespace segscore {

namespace nb = nanobind;

// str() or repr() of any object, shortened for a message.
inline std::string shown(nb::handle object, PyObject* (*how)(PyObject*) = PyObject_Repr) {
    const nb::object written = nb::steal(how(object.ptr()));
    const nb::object encoded =
        nb::steal(written.is_valid() ? PyUnicode_AsEncodedString(written.ptr(), "utf-8", "backslashreplace") : nullptr);
    if (!encoded.is_valid()) {  // for example an int of thousands of digits
        PyErr_Clear();
        return std::string("<") + Py_TYPE(object.ptr())->tp_name + ">";
    }
    std::string text(PyBytes_AsString(encoded.ptr()), static_cast<std::size_t>(PyBytes_Size(encoded.ptr())));
    std::replace(text.begin(), text.end(), '\0', ' ');
    if (text.size() <= 60) return text;
    std::size_t end = 57;  // moved back to the start of a character
    while (end > 0 && (static_cast<unsigned char>(text[end]) & 0xC0) == 0x80) --end;
    return text.substr(0, end) + "...";
}
inline std::string kind_of(nb::handle object) {
    return shown(nb::handle(reinterpret_cast<PyObject*>(Py_TYPE(object.ptr()))).attr("__name__"), PyObject_Str);
}
inline std::string with_article(const std::string& noun) {
    return (noun.find_first_of("aeiouAEIOU") == 0 ? "an " : "a ") + noun;
}

// A count with its noun, in the plural unless the count is 1.
inline std::string count_text(std::size_t count, const char* noun) {
    return std::to_string(count) + " " + noun + (count == 1 ? "" : "s");
}
[[noreturn]] inline void raise_type(const std::string& message) { throw nb::type_error(message.c_str()); }

// A Python integer that is not a bool, as a 64-bit integer; nothing if it does not fit.
inline std::optional<std::int64_t> as_int64(PyObject* integer) {
    int overflow = 0;
    const long long value = PyLong_AsLongLongAndOverflow(integer, &overflow);
    if (overflow != 0) return std::nullopt;
    return value;
}
// The value of a small int (below 2^30), read without a call; false for other objects.
inline bool read_small(PyObject* integer, std::int64_t& to) {
    auto* number = reinterpret_cast<PyLongObject*>(integer);
#if PY_VERSION_HEX >= 0x030C0000
    if (!PyUnstable_Long_IsCompact(number)) return false;
    to = PyUnstable_Long_CompactValue(number);
#else
    const Py_ssize_t size = Py_SIZE(integer);
    if (size < -1 || size > 1) return false;
    to = size == 0 ? 0 : size * static_cast<std::int64_t>(number->ob_digit[0]);
#endif
    return true;
}
// Whether an object is a bool of Python or NumPy. Bools of older NumPy are also integers.
inline bool is_bool(nb::handle object) {
    const std::string_view type = Py_TYPE(object.ptr())->tp_name;
    return type == "bool" || type == "numpy.bool" || type == "numpy.bool_";
}
// Whether an object is an array of numbers. NumPy converts some arrays of one number to a number.
inline bool is_array(nb::handle object) {
    if (PyLong_Check(object.ptr()) || PyFloat_Check(object.ptr())) return false;
    const nb::object dimensions = nb::getattr(object, "ndim", nb::none());
    return PyLong_Check(dimensions.ptr()) && PyLong_AsLong(dimensions.ptr()) > 0;
}
// Whether an object is an integer: int, or any object with __index__ that is neither a bool nor an array.
inline nb::object as_integer(nb::handle object) {
    if (is_bool(object) || PyIndex_Check(object.ptr()) == 0 || is_array(object)) return {};
    PyObject* integer = PyNumber_Index(object.ptr());
    if (integer == nullptr) {
        const nb::python_error error;
        if (!nb::hasattr(object, "ndim")) throw error;  // else an array without dimensions that holds a real number
    }
    return nb::steal(integer);
}
// Whether an object is a real number: float, or an object with __float__ or __index__ that is neither a bool nor
// complex nor an array.
inline std::optional<double> as_real(nb::handle object, const std::string& where) {
    if (PyFloat_CheckExact(object.ptr())) return PyFloat_AsDouble(object.ptr());
    const bool is_real = PyFloat_Check(object.ptr()) || PyIndex_Check(object.ptr()) || nb::hasattr(object, "__float__");
    if (is_bool(object) || !is_real || is_array(object)) return std::nullopt;
    const double value = PyFloat_AsDouble(object.ptr());
    if (value != -1.0 || PyErr_Occurred() == nullptr) return value;
    if (!PyErr_ExceptionMatches(PyExc_OverflowError)) nb::raise_python_error();
    PyErr_Clear();
    throw InputError(where + " = " + shown(object) + " is too large; expected a number below 1e308");
}

// An attribute that a Segmentation has, or None. Most sides are lists or arrays, which take no look-up.
inline nb::object attribute_of(nb::handle side, const char* name) {
    if (PyList_CheckExact(side.ptr()) || PyTuple_CheckExact(side.ptr()) || PyObject_CheckBuffer(side.ptr()))
        return nb::none();
    return nb::getattr(side, name, nb::none());
}
// Whether a side has labels, so that its cells are not its clusters.
inline bool has_labels(nb::handle side) { return !attribute_of(side, "_labels").is_none(); }
// Whether a side is a Segmentation in time.
inline bool is_in_time(nb::handle side) {
    return PyFloat_CheckExact(attribute_of(side, "duration").ptr()) && nb::hasattr(side, "_cuts");
}

inline nb::object to_integer(u128 value) {
    if (value >> 64 == 0) return nb::int_(static_cast<std::uint64_t>(value));
    return (nb::int_(static_cast<std::uint64_t>(value >> 64)) << nb::int_(64)) |
           nb::int_(static_cast<std::uint64_t>(value));
}

// A number of pairs of points, or an area of pairs of moments in its unit.
inline nb::object to_number(u128 pairs, double) { return to_integer(pairs); }
inline nb::object to_number(double area, double unit) { return nb::float_(area * unit); }

inline constexpr const char* no_length =
    " no length; expected n=, or Segmentation.from_ends() of lists that end with the length";

// The length n= of the user, checked.
inline std::int64_t load_n(nb::handle n) {
    std::int64_t small;
    if (PyLong_CheckExact(n.ptr()) && read_small(n.ptr(), small) && small >= 0) return small;
    const nb::object integer = PyLong_CheckExact(n.ptr()) ? nb::borrow(n) : as_integer(n);
    if (!integer.is_valid())
        raise_type("n = " + shown(n) + " is " + with_article(kind_of(n)) + "; expected an integer");
    const auto value = as_int64(integer.ptr());
    if (value.has_value() && *value >= 0) return *value;
    const bool negative = PyObject_RichCompareBool(integer.ptr(), nb::int_(0).ptr(), Py_LT) == 1;
    throw InputError("n = " + shown(integer) + (negative ? " is negative" : " is too large") +
                     "; expected 0 <= n < 2**63");
}

// A number that is not a bool.
inline double load_number(nb::handle number, const char* name) {
    const auto value = as_real(number, name);
    if (!value.has_value())
        raise_type(std::string(name) + " = " + shown(number) + " is " + with_article(kind_of(number)) +
                   "; expected a number");
    return *value;
}
inline double load_nonnegative(nb::handle number, const char* name) {
    const double value = load_number(number, name);
    if (!(value >= 0))
        throw InputError(std::string(name) + " = " + text(value) + " is negative or not a number; expected 0 or more");
    return value;
}
// The cost of an edit. It is limited, because up to one cost per cut is added up.
inline double load_cost(nb::handle number, const char* name) {
    const double value = load_nonnegative(number, name);
    if (value > 1e250)
        throw InputError(std::string(name) + " = " + text(value) + " is too large; expected a cost up to 1e250");
    return value;
}
// An integer that is at least 1.
inline std::int64_t load_positive(nb::handle number, const char* name) {
    const nb::object integer = PyLong_CheckExact(number.ptr()) ? nb::borrow(number) : as_integer(number);
    if (!integer.is_valid())
        raise_type(std::string(name) + " = " + shown(number) + " is " + with_article(kind_of(number)) +
                   "; expected an integer");
    const auto value = as_int64(integer.ptr());
    if (!value.has_value() || *value < 1)
        throw InputError(std::string(name) + " = " + shown(integer) + " is out of range; expected 1 <= " + name +
                         " < 2**63");
    return *value;
}

inline double checked_duration(double value) {
    if (!(value > 0) || std::isinf(value))
        throw InputError("duration = " + text(value) +
                         " is not positive and finite; expected the length of the recording");
    // The duration is limited, because its fourth power occurs in the adjusted scores.
    if (value < 1e-60 || value > 1e60)
        throw InputError("duration = " + text(value) + " is out of range; expected 1e-60 to 1e60 (use another unit)");
    return value;
}
inline double load_duration(nb::handle duration) { return checked_duration(load_number(duration, "duration")); }

inline PyObject* to_python_object(std::int64_t value) { return PyLong_FromLongLong(value); }
inline PyObject* to_python_object(std::size_t value) { return PyLong_FromSize_t(value); }
inline PyObject* to_python_object(double value) { return PyFloat_FromDouble(value); }

// Making or opening a Python object takes as long as about a hundred steps of a Pace.
inline constexpr std::uint64_t work_per_object = 100;

template <class T>
nb::list to_list(std::span<const T> values) {
    nb::list list = nb::steal<nb::list>(PyList_New(static_cast<Py_ssize_t>(values.size())));
    if (!list.is_valid()) nb::raise_python_error();
    Pace pace;
    for (std::size_t k = 0; k < values.size(); ++k) {
        pace.step(work_per_object);
        PyList_SET_ITEM(list.ptr(), static_cast<Py_ssize_t>(k), to_python_object(values[k]));
    }
    return list;
}

// The values as bytes of Python.
template <class T>
nb::bytes to_bytes(std::span<const T> values) {
    return nb::bytes(static_cast<const void*>(values.data()), values.size_bytes());
}

}  // namespace segscore
