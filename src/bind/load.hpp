// The one gate: a Python object becomes blocks of cuts, or an error with a remedy. Copies are made only where needed.
//
// Lists, tuples and iterators are read through a small buffer; so are arrays of another width, byte order or stride.
// A contiguous array of the core's own type is read without a copy.
#pragma once

#include <nanobind/nanobind.h>

#include <algorithm>
#include <array>
#include <cctype>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <numeric>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <type_traits>
#include <vector>

#include "../core/cuts.hpp"
#include "../core/evaluation.hpp"
#include "../core/pace.hpp"
#include "buffers.hpp"
#include "values.hpp"

namespace segscore {

// One argument, as the Source that Cuts<T> reads from. T is int64 (points) or double (continuous time).
template <class T>
class Input {
public:
    Input(nb::handle object, const char* name) : name_(name) { open(object); }
    Input(const Input&) = delete;
    Input& operator=(const Input&) = delete;

    const char* name() const { return name_; }
    // The name of the values in messages: cuts, lengths, ...
    std::string noun() const {
        const std::string name = name_;
        if (name == "confidence") return "confidences";
        if (name == "probability") return "probabilities";
        return name == "truth" || name == "pred" || name.ends_with(']') ? "cuts" : name;
    }
    // A remedy for cuts alone, which would be wrong for lengths, starts and others.
    std::string for_cuts(const char* remedy) const { return noun() == "cuts" ? remedy : ""; }
    // A remedy for places in a sequence, which would be wrong for confidences and probabilities.
    std::string for_places(const char* remedy) const {
        return noun() == "confidences" || noun() == "probabilities" ? "" : remedy;
    }
    // Whether further reading touches no Python object.
    bool is_native() const { return kind_ == Kind::items; }
    // Whether the blocks stay in place, one behind the other.
    bool is_in_place() const { return kind_ == Kind::items && convert_ == nullptr; }
    std::size_t size() const { return size_; }
    // Whether both sides read from the same iterator, so that each would take the items of the other.
    bool shares_iterator_with(const Input& other) const {
        return kind_ == Kind::iterator && other.kind_ == Kind::iterator && object_.is(other.object_);
    }
    // The length of a Segmentation.
    const std::optional<T>& length() const { return length_; }
    // The labels of the segments of a Segmentation with labels.
    std::span<const std::int64_t> labels() const { return labels_; }
    // The start and the unit of a Segmentation in timestamps, else None.
    nb::handle origin() const { return origin_; }
    // Whether the input is known to hold no cuts, and so may stand beside any unit.
    bool is_empty() const { return size_ == 0 && kind_ != Kind::iterator && origin_.is_none(); }

    bool is_at_end() const { return position_ >= size_ && kind_ != Kind::iterator; }
    std::span<const T> next() {
        if (is_at_end()) return {};
        return kind_ == Kind::items ? next_items() : next_objects();
    }

private:
    enum class Kind { list, tuple, items, iterator };

    std::span<const T> next_items() {
        if (convert_ == nullptr) {
            position_ = size_;
            return {reinterpret_cast<const T*>(data_), size_};
        }
        const std::size_t count = std::min(block_.size(), size_ - position_);
        read_items(position_, count, block_.data());
        position_ += count;
        return {block_.data(), count};
    }
    std::span<const T> next_objects() {
        // Lets Ctrl-C end an endless iterator.
        if (position_ > 0 && PyErr_CheckSignals() != 0) nb::raise_python_error();
        std::size_t count = 0;
        while (count < block_.size()) {
            const std::size_t plain = read_plain({block_.data() + count, block_.size() - count});
            count += plain;
            position_ += plain;
            if (count == block_.size() || is_at_end()) break;
            const nb::object object = item(position_);
            if (!object.is_valid() && kind_ != Kind::iterator) refuse_change();
            if (!object.is_valid()) break;
            block_[count++] = read_object(object, position_++);
        }
        return {block_.data(), count};
    }

    void open(nb::handle object) {
        PyObject* raw = object.ptr();
        if (PyList_CheckExact(raw)) return hold(object, Kind::list, static_cast<std::size_t>(PyList_GET_SIZE(raw)));
        if (PyTuple_CheckExact(raw)) return hold(object, Kind::tuple, static_cast<std::size_t>(PyTuple_GET_SIZE(raw)));
        if (PyUnicode_Check(raw) || PyBytes_Check(raw) || PyByteArray_Check(raw))
            raise_type(std::string(name_) + " is " + with_article(kind_of(object)) + "; expected a sequence of " +
                       noun() +
                       for_cuts(" (for a string of labels use Segmentation.from_labels, of marks "
                                "Segmentation.from_mask)"));
        if (PyAnySet_Check(raw) || PyDict_Check(raw))
            raise_type(std::string(name_) + " is " + with_article(kind_of(object)) + "; expected a sequence of " +
                       noun() +
                       (PyDict_Check(raw) ? for_cuts(" (for several annotators use segscore.annotated)")
                                          : for_places(" (use sorted())")));
        if (std::string_view(Py_TYPE(raw)->tp_name) == "MaskedArray")
            raise_type(std::string(name_) + " is a MaskedArray; expected " + noun() +
                       " without gaps (use .compressed())");
        if (PyObject_CheckBuffer(raw) && open_buffer(object)) return;
        if (open_segmentation(object)) return;
        if (open_intervals(object)) return;
        if (nb::hasattr(object, "__array__")) {  // columns of pandas, Polars and Arrow, without importing them
            nb::object array = object.attr("__array__")();
            if (PyObject_CheckBuffer(array.ptr()) && open_buffer(array)) return;
            return open_iterator(array);
        }
        open_iterator(object);
    }
    void hold(nb::handle object, Kind kind, std::size_t size) {
        object_ = nb::borrow(object);
        kind_ = kind;
        size_ = size;
    }
    void open_iterator(nb::handle object) {
        if (!nb::hasattr(object, "__iter__") && PySequence_Check(object.ptr()) == 0)
            raise_type(std::string(name_) + " is " + (object.is_none() ? "None" : with_article(kind_of(object))) +
                       "; expected a sequence of " + noun());
        PyObject* iterator = PyObject_GetIter(object.ptr());
        if (iterator == nullptr) nb::raise_python_error();
        object_ = nb::steal(iterator);
        kind_ = Kind::iterator;
    }
    // Whether the object is a Segmentation, which is recognised by its attributes: the bytes of its cuts, and its
    // length, n in points or duration in time.
    bool open_segmentation(nb::handle object) {
        const nb::object cuts = nb::getattr(object, "_cuts", nb::none());
        if (!PyBytes_CheckExact(cuts.ptr())) return false;
        const auto size = static_cast<std::size_t>(PyBytes_Size(cuts.ptr()));
        nb::object length = nb::getattr(object, "n", nb::none());
        const bool in_time = length.is_none();
        if (in_time) length = nb::getattr(object, "duration", nb::none());
        if (size % sizeof(T) != 0 || !(in_time ? PyFloat_CheckExact(length.ptr()) : PyLong_CheckExact(length.ptr())))
            return false;
        if (in_time == std::is_integral_v<T>) refuse_kind(in_time);
        if constexpr (std::is_integral_v<T>)
            length_ = as_int64(length.ptr());
        else
            length_ = checked_duration(PyFloat_AsDouble(length.ptr()));
        if (!length_.has_value()) return false;
        hold(cuts, Kind::items, size / sizeof(T));
        data_ = PyBytes_AsString(cuts.ptr());
        origin_ = nb::getattr(object, "_origin", nb::none());
        const nb::object labels = nb::getattr(object, "_labels", nb::none());
        return labels.is_none() || open_labels(labels);
    }
    // Whether the object is an IntervalIndex of pandas, or a Series with one, which holds segments, as in sktime.
    bool open_intervals(nb::handle object) {
        const auto has_intervals = [](nb::handle index) {
            return std::string_view(Py_TYPE(index.ptr())->tp_name) == "IntervalIndex";
        };
        const nb::object index = has_intervals(object) ? nb::borrow(object) : nb::getattr(object, "index", nb::none());
        if (!has_intervals(index) || noun() != "cuts") return false;
        nb::kwargs options;
        if (std::is_floating_point_v<T> && nb::len(index) > 0) options["duration"] = index.attr("right").attr("max")();
        const nb::object module = nb::module_::import_("segscore.segmentation.segmentation");
        segments_ = module.attr("Segmentation").attr("from_intervals")(object, **options);
        return open_segmentation(segments_);
    }
    [[noreturn]] void refuse_kind(bool in_time) const {
        raise_type(std::string(name_) + (in_time ? " is a Segmentation in time; in points expected a sequence of "
                                                   "cuts, or Segmentation(..., n=)"
                                                 : " is a Segmentation in points; in time expected a sequence of "
                                                   "times, or Segmentation(..., duration=)"));
    }
    // The bytes of one number per segment, from 0 on. The size of a table of labels depends on the largest number.
    bool open_labels(nb::handle labels) {
        if (!PyBytes_CheckExact(labels.ptr())) return false;
        labels_object_ = nb::borrow(labels);
        labels_ = {reinterpret_cast<const std::int64_t*>(PyBytes_AsString(labels.ptr())),
                   static_cast<std::size_t>(PyBytes_Size(labels.ptr())) / sizeof(std::int64_t)};
        const auto is_wrong = [this](std::int64_t label) {
            return label < 0 || static_cast<std::size_t>(label) >= labels_.size();
        };
        const std::size_t segments = *length_ > 0 ? size_ + 1 : 0;
        if (labels_.size() != segments || std::any_of(labels_.begin(), labels_.end(), is_wrong))
            throw InputError(std::string(name_) + " has " + count_text(labels_.size(), "label") + " for " +
                             count_text(segments, "segment") +
                             ", or a label out of range; expected a Segmentation that segscore made");
        return true;
    }
    // False if the object has no buffer, or a buffer of Python objects.
    bool open_buffer(nb::handle object) {
        if (PyObject_GetBuffer(object.ptr(), &view_, PyBUF_STRIDED_RO | PyBUF_FORMAT) != 0) {
            PyErr_Clear();  // for example datetimes; reading the items gives a better error
            return false;
        }
        if (view_.ndim != 1) {
            const bool pairs = view_.ndim == 2 && view_.shape[1] == 2;
            throw InputError(std::string(name_) + " has " + std::to_string(view_.ndim) + " dimensions; expected 1 (" +
                             noun() + " are a flat sequence" + for_cuts(pairs ? for_intervals : "") + ")");
        }
        const ItemType type = item_type(view_);
        size_ = static_cast<std::size_t>(view_.shape[0]);
        if (type.kind == Items::objects) {
            PyBuffer_Release(&view_);
            size_ = 0;
            return false;
        }
        data_ = static_cast<const char*>(view_.buf);
        stride_ = view_.strides == nullptr ? view_.itemsize : view_.strides[0];
        kind_ = Kind::items;
        if (size_ == 0) return true;  // accepted with any type, because numpy.array([]) is an array of floats
        convert_ = type.swapped ? conversion<T, true>(type) : conversion<T, false>(type);
        if (convert_ == nullptr) refuse_items(object, type);
        const bool same = type.kind == (std::is_integral_v<T> ? Items::integers : Items::reals) &&
                          type.width == sizeof(T) && (type.is_signed || !std::is_integral_v<T>) && !type.swapped;
        const bool in_place = stride_ == static_cast<std::ptrdiff_t>(sizeof(T)) &&
                              reinterpret_cast<std::uintptr_t>(data_) % alignof(T) == 0;
        if (same && in_place) convert_ = nullptr;
        return true;
    }
    [[noreturn]] void refuse_items(nb::handle object, const ItemType& type) {
        const std::string holds =
            std::string(name_) + " holds " +
            (nb::hasattr(object, "dtype") ? shown(object.attr("dtype"), PyObject_Str) : std::string(view_.format));
        if (type.kind == Items::bools)
            raise_type(holds + "; " + noun() + " must be " + (std::is_integral_v<T> ? "integers" : "real numbers") +
                       for_places(" (for a mask use Segmentation.from_mask)"));
        if (!std::is_integral_v<T>)
            raise_type(holds + "; " + noun() + " must be real numbers" +
                       (type.kind == Items::reals ? " of 4 or 8 bytes (use .astype(float))" : ""));
        if (type.kind == Items::reals) {
            if (const auto missing = first_nan(type))
                raise_type(std::string(name_) + "[" + std::to_string(*missing) + "] is nan or missing; " + noun() +
                           " must be integers (drop it first)");
            raise_type(holds + "; " + noun() + " must be integers (use .astype(int)" + real_time() + ")");
        }
        const bool texts = holds.find(" holds <U") != std::string::npos;  // as NumPy writes its type of texts
        raise_type(holds + "; " + noun() + " must be integers" + for_cuts(texts ? for_labels : ""));
    }
    std::optional<std::size_t> first_nan(const ItemType& type) const {
        const auto convert = type.swapped ? conversion<double, true>(type) : conversion<double, false>(type);
        if (convert == nullptr) return std::nullopt;
        for (std::size_t k = 0; k < size_; ++k) {
            double value;
            convert(data_ + static_cast<std::ptrdiff_t>(k) * stride_, stride_, 1, &value);
            if (std::isnan(value)) return k;
        }
        return std::nullopt;
    }

    void read_items(std::size_t start, std::size_t count, T* to) const {
        const char* from = data_ + static_cast<std::ptrdiff_t>(start) * stride_;
        const std::size_t done = convert_(from, stride_, count, to);
        if (done == count) return;
        throw InputError(where(start + done) + " = " + text(static_cast<std::uint64_t>(to[done])) + out_of_range());
    }
    // The item at an index, or nothing behind the last item: a list may shrink while it is read.
    nb::object item(std::size_t index) const {
        PyObject* raw = object_.ptr();
        const auto at = static_cast<Py_ssize_t>(index);
        if (kind_ == Kind::list) return at < PyList_GET_SIZE(raw) ? nb::borrow(PyList_GetItem(raw, at)) : nb::object();
        if (kind_ == Kind::tuple)
            return at < PyTuple_GET_SIZE(raw) ? nb::borrow(PyTuple_GetItem(raw, at)) : nb::object();
        PyObject* next = PyIter_Next(raw);
        if (next == nullptr && PyErr_Occurred() != nullptr) nb::raise_python_error();
        return nb::steal(next);
    }
    [[noreturn]] void refuse_change() const {
        throw InputError(std::string(name_) + " changed while it was read; expected input that does not change");
    }
    // The fast path for lists and tuples of plain numbers, without reference counts. Returns how many were read.
    std::size_t read_plain(std::span<T> to) const {
        if (kind_ == Kind::iterator) return 0;
        PyObject* raw = object_.ptr();
        const auto size = static_cast<std::size_t>(PySequence_Fast_GET_SIZE(raw));
        const std::size_t most = position_ < size ? std::min(to.size(), size - position_) : 0;
        PyObject* const* const items = PySequence_Fast_ITEMS(raw) + position_;
        for (std::size_t k = 0; k < most; ++k) {
            PyObject* const object = items[k];
            if constexpr (std::is_integral_v<T>) {
                if (!PyLong_CheckExact(object)) return k;
                if (read_small(object, to[k])) continue;
                const auto value = as_int64(object);
                if (!value.has_value()) return k;
                to[k] = *value;
            } else {
                if (!PyFloat_CheckExact(object)) return k;
                to[k] = PyFloat_AsDouble(object);
            }
        }
        return most;
    }
    T read_object(nb::handle object, std::size_t index) const {
        if constexpr (std::is_integral_v<T>) {
            const nb::object integer = PyLong_CheckExact(object.ptr()) ? nb::borrow(object) : as_integer(object);
            if (!integer.is_valid()) refuse_object(object, index);
            if (const auto value = as_int64(integer.ptr())) return *value;
            throw InputError(where(index) + " = " + shown(integer) + out_of_range());
        } else {
            const auto value = as_real(object, where(index));
            if (!value.has_value()) refuse_object(object, index);
            return *value;
        }
    }
    [[noreturn]] void refuse_object(nb::handle object, std::size_t index) const {
        const std::string type = kind_of(object);
        std::string message = where(index) + " = " + shown(object) + " is " + with_article(type) + "; " + noun() +
                              " must be " + (std::is_integral_v<T> ? "integers" : "real numbers");
        if (is_bool(object))
            message += for_places(" (for a mask use Segmentation.from_mask)");
        else if (PyTuple_Check(object.ptr()))
            message += for_cuts(" (for (start, end) pairs use Segmentation.from_intervals)");
        else if (PyList_Check(object.ptr()) || is_array(object))
            message += for_cuts(nb::len(object) == 2 || nb::len(object) == 3
                                    ? " (for (start, end) pairs use Segmentation.from_intervals, for several "
                                      "annotators segscore.annotated)"
                                    : " (for several annotators use segscore.annotated)");
        else if (PyUnicode_Check(object.ptr()) && std::isdigit(shown(object, PyObject_Str)[0]) == 0)
            message += for_cuts(for_labels);
        else if (type.find("float") == 0)
            message += " (use int()" + real_time() + ")";
        raise_type(message);
    }
    std::string out_of_range() const {
        return noun() == "cuts" ? " is outside 0 < cut < 2**63" : " is out of range; expected integers below 2**63";
    }
    static constexpr const char* for_labels = " (for one label per point use Segmentation.from_labels)";
    static constexpr const char* for_intervals = "; for (start, end) pairs use Segmentation.from_intervals";
    std::string real_time() const { return noun() == "cuts" ? ", or duration= for real-valued time" : ""; }
    std::string where(std::size_t index) const { return std::string(name_) + "[" + std::to_string(index) + "]"; }

    const char* name_;
    Kind kind_ = Kind::iterator;
    nb::object object_;
    std::size_t size_ = 0;
    std::size_t position_ = 0;
    std::optional<T> length_;
    nb::object origin_ = nb::none();
    nb::object labels_object_, segments_;
    std::span<const std::int64_t> labels_;
    Buffer view_;
    const char* data_ = nullptr;
    std::ptrdiff_t stride_ = 0;
    Convert<T> convert_ = nullptr;
    std::array<T, 256> block_;
};

template <class T>
bool is_labelled(const Input<T>& truth, const Input<T>& pred) {
    return !truth.labels().empty() || !pred.labels().empty();
}

template <class T>
inline constexpr const char* name_of_length = std::is_integral_v<T> ? "n" : "duration";

template <class T>
T load_length(nb::handle length) {
    if constexpr (std::is_integral_v<T>)
        return load_n(length);
    else
        return load_duration(length);
}

// The length of both sides: n= or duration=, or the length of a Segmentation. It is never guessed from the cuts.
template <class T>
T agree_on_length(nb::handle passed, const Input<T>& truth, const Input<T>& pred) {
    std::optional<T> given;
    if (!passed.is_none()) given = load_length<T>(passed);
    const auto shown_length = [](const Input<T>& side, T length) {
        if (side.origin().is_none()) return std::string(name_of_length<T>) + " = " + text(length);
        return "end = " + shown(side.origin().attr("shown")(length), PyObject_Str);
    };
    for (const auto* side : {&truth, &pred}) {
        if (!side->length().has_value()) continue;
        if (given.has_value() && *given != *side->length())
            throw InputError(std::string(side->name()) + " has " + shown_length(*side, *side->length()) + " but " +
                             (passed.is_none() ? "truth has " : "") + shown_length(*side, *given) +
                             (passed.is_none() ? "" : " was passed") + "; both sides must have one length");
        given = side->length();
    }
    if (!given.has_value()) raise_type(std::string("truth and pred have") + no_length);
    return *given;
}

// Refuses two inputs whose timestamps start at different times or have different units, and timestamps beside numbers.
template <class T>
void agree_on_origin(const Input<T>& one, const Input<T>& other) {
    if ((one.origin().is_none() && other.origin().is_none()) || one.is_empty() || other.is_empty()) return;
    nb::module_::import_("segscore.segmentation.timestamps")
        .attr("refuse_other")(one.name(), one.origin(), other.name(), other.origin());
}

// Opens both arguments in points or in time, and calls use(truth, pred, length). They are in time if duration= is
// passed, or if a side is a Segmentation in time.
template <class Use>
auto with_inputs(nb::handle truth, nb::handle pred, nb::handle n, nb::handle duration, const Use& use) {
    const auto open = [&]<class T>(nb::handle length) {
        Input<T> truth_input(truth, "truth"), pred_input(pred, "pred");
        if (truth_input.shares_iterator_with(pred_input))
            raise_type("truth and pred are the same iterator; expected two (convert the iterator to a list first)");
        agree_on_origin(truth_input, pred_input);
        return use(truth_input, pred_input, agree_on_length<T>(length, truth_input, pred_input));
    };
    if (!n.is_none() && !duration.is_none()) raise_type("n= and duration= exclude each other; expected one of them");
    const bool in_time = !duration.is_none() || (n.is_none() && (is_in_time(truth) || is_in_time(pred)));
    return in_time ? open.template operator()<double>(duration) : open.template operator()<std::int64_t>(n);
}

// All cuts of one side, checked: in place, or collected in `kept`.
template <class T>
std::span<const T> gather(Input<T>& input, T n, std::vector<T>& kept) {
    if (input.is_in_place()) return checked_in_place(input, input.name(), n);
    kept.reserve(input.size());
    const auto keep = [&](std::span<const T> block) { kept.insert(kept.end(), block.begin(), block.end()); };
    check_all(input, input.name(), n, keep);
    return kept;
}

// All values of an argument that are not cuts, in their order.
template <class T>
std::vector<T> all_values(nb::handle values, const char* name) {
    Input<T> input(values, name);
    std::vector<T> all;
    all.reserve(input.size());
    Pace pace;
    for (auto block = input.next(); !block.empty(); block = input.next()) {
        all.insert(all.end(), block.begin(), block.end());
        pace.step(block.size());
    }
    return all;
}

// Loads both inputs, and calls use(sides).
template <class T, class Use>
auto load_sides(Input<T>& truth, Input<T>& pred, T length, const Use& use) {
    std::vector<T> truth_kept, pred_kept;
    Sides<T> sides{gather(truth, length, truth_kept), gather(pred, length, pred_kept), length};
    if (!is_labelled(truth, pred)) return use(sides);
    // On a side without labels, every segment has a label of its own.
    std::vector<std::int64_t> truth_own, pred_own;
    const auto labels = [](const auto& input, std::size_t cuts, std::vector<std::int64_t>& own) {
        if (!input.labels().empty()) return input.labels();
        own.resize(cuts + 1);
        std::iota(own.begin(), own.end(), 0);
        return Labels(own);
    };
    sides.truth_labels = labels(truth, sides.truth.size(), truth_own);
    sides.pred_labels = labels(pred, sides.pred.size(), pred_own);
    return use(sides);
}

// Loads both sides, in points or in time, and calls use(sides).
template <class Use>
auto with_sides(nb::handle truth, nb::handle pred, nb::handle n, nb::handle duration, const Use& use) {
    return with_inputs(truth, pred, n, duration, [&](auto& truth_input, auto& pred_input, auto length) {
        return load_sides(truth_input, pred_input, length, use);
    });
}

// Runs without the interpreter's lock if that is worth the switch: for many cuts, or for work that takes long.
template <class Run>
auto unlocked(std::size_t cuts, bool takes_long, const Run& run) {
    constexpr std::size_t worth_a_thread_switch = 512;
    if (!takes_long && cuts < worth_a_thread_switch) return run();
    const nb::gil_scoped_release released;
    return run();
}

// For functions of several segmentations that compare cuts.
struct RefuseLabels {
    void operator()(const std::string& name, Labels labels) const {
        if (!labels.empty())
            throw InputError(name + " has labels; expected cuts without labels (use .without_labels())");
    }
};

// Loads segmentations of one length: n= or duration=, or that of `beside`, or that of the first Segmentation.
// `take_labels` gets the name and the labels of each.
template <class T, class TakeLabels = RefuseLabels>
Segmentations<T> load_segmentations(nb::handle given, const char* name, nb::handle passed,
                                    const Segmentations<T>& beside = {}, const TakeLabels& take_labels = {}) {
    constexpr T unknown = -1;
    Segmentations<T> all;
    T length = passed.is_none() ? (beside.size() > 0 ? beside.n : unknown) : load_length<T>(passed);
    std::size_t k = 0;
    std::vector<T> kept;
    Pace pace;
    for (const nb::handle item : nb::borrow<nb::object>(given)) {
        const std::string named = std::string(name) + "[" + std::to_string(k++) + "]";
        Input<T> input(item, named.c_str());
        take_labels(named, input.labels());
        const T own = input.length().value_or(length);
        if (own == unknown) raise_type(named + " has" + no_length);
        if (length == unknown) length = own;
        if (own != length)
            throw InputError(named + " has " + name_of_length<T> + " = " + text(own) + " but the others have " +
                             name_of_length<T> + " = " + text(length) + "; expected one length");
        kept.clear();
        const auto cuts = gather(input, length, kept);
        all.add(cuts);
        pace.step(work_per_object + cuts.size());
    }
    all.n = std::max(length, T{0});
    return all;
}

// Calls use.operator()<T>(length) for segmentations in points, or with duration= in time.
template <class Use>
auto in_points_or_time(nb::handle n, nb::handle duration, const Use& use) {
    if (!n.is_none() && !duration.is_none()) raise_type("n= and duration= exclude each other; expected one of them");
    return duration.is_none() ? use.template operator()<std::int64_t>(n) : use.template operator()<double>(duration);
}

}  // namespace segscore
