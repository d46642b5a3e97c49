// The loss on probabilities for Python.
#pragma once

#include <nanobind/nanobind.h>
#include <nanobind/ndarray.h>

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string>

#include "../core/soft.hpp"
#include "../core/soft_losses.hpp"
#include "soft.hpp"
#include "values.hpp"

namespace segscore {

// Arrays of rows, read and written in their own type: float64, float32, or bool for a truth.
using Rows = nb::ndarray<nb::ro, nb::ndim<2>, nb::c_contig, nb::device::cpu>;
using Marks = nb::ndarray<const bool, nb::ndim<2>, nb::c_contig, nb::device::cpu>;
using Losses = nb::ndarray<double, nb::ndim<1>, nb::c_contig, nb::device::cpu>;
using Derivatives = nb::ndarray<nb::ndim<2>, nb::c_contig, nb::device::cpu>;

class ProbabilityReader {
public:
    explicit ProbabilityReader(const Rows& rows) : data_(rows.data()) {
        if (rows.dtype() == nb::dtype<double>())
            read_ = &widen<double>;
        else if (rows.dtype() == nb::dtype<float>())
            read_ = &widen<float>;
        else if (rows.dtype() == nb::dtype<bool>())
            read_ = &widen<std::uint8_t>;
        else
            raise_type("soft_losses reads float64, float32 and bool");
    }
    void operator()(std::size_t from, std::span<double> into) const { read_(data_, from, into); }

private:
    template <class T>
    static void widen(const void* data, std::size_t from, std::span<double> into) {
        const T* const values = static_cast<const T*>(data) + from;
        for (std::size_t k = 0; k < into.size(); ++k) into[k] = static_cast<double>(values[k]);
    }
    const void* data_;
    void (*read_)(const void*, std::size_t, std::span<double>);
};

class RowWriter {
public:
    explicit RowWriter(Derivatives& rows) : data_(rows.data()) {
        if (rows.dtype() == nb::dtype<double>())
            write_ = &narrow<double>;
        else if (rows.dtype() == nb::dtype<float>())
            write_ = &narrow<float>;
        else
            raise_type("soft_losses writes float64 and float32");
    }
    // Writes the values times a factor.
    void operator()(std::size_t from, std::span<const double> values, double factor) const {
        write_(data_, from, values, factor);
    }

private:
    template <class T>
    static void narrow(void* data, std::size_t from, std::span<const double> values, double factor) {
        T* const into = static_cast<T*>(data) + from;
        for (std::size_t k = 0; k < values.size(); ++k) into[k] = static_cast<T>(values[k] * factor);
    }
    void* data_;
    void (*write_)(void*, std::size_t, std::span<const double>, double);
};

// The number of pairs of points without an unknown gap between them.
inline double pairs_that_count(const bool* marks, std::size_t gaps) {
    if (marks == nullptr) return static_cast<double>(gaps) * ((static_cast<double>(gaps) + 1) / 2);
    std::uint64_t total = 0, points = 1;
    for (std::size_t k = 0; k < gaps; ++k) {
        const std::uint64_t counted = points & all_ones(marks[k]);
        total += counted;
        points = counted + 1;
    }
    return static_cast<double>(total);
}

// The loss of each row and its derivatives by the values of the prediction, into arrays of the caller. All arrays have
// one shape; a single series is named without the number of its row.
inline void soft_losses(const Rows& truth, const Rows& pred, nb::handle mask, const char* name, bool is_logits,
                        bool is_one, Losses losses, Derivatives gradient) {
    const std::size_t rows = pred.shape(0), gaps = pred.shape(1);
    const ProbabilityReader read_truth(truth), read_pred(pred);
    const RowWriter write(gradient);
    const Marks all_marks = mask.is_none() ? Marks() : nb::cast<Marks>(mask);
    const nb::gil_scoped_release released;
    for (std::size_t row = 0; row < rows; ++row) {
        const bool* const marks = all_marks.is_valid() ? all_marks.data() + row * gaps : nullptr;
        const auto refuse = [&](const char* argument, std::size_t from, std::span<const double> values, bool logits) {
            for (std::size_t k = 0; k < values.size(); ++k) {
                const std::string where = std::string(argument) + "[" + (is_one ? "" : std::to_string(row) + ", ") +
                                          std::to_string(from + k) + "]";
                if (logits && std::isnan(values[k])) refuse_logit(where);
                if (!logits && !(values[k] >= 0 && values[k] <= 1)) refuse_probability(where, values[k]);
            }
        };
        // The values of a block; values that do not count become certain cuts.
        const auto read = [&](const ProbabilityReader& reader, std::size_t from, std::span<double> into) {
            reader(row * gaps + from, into);
            if (marks != nullptr)
                for (std::size_t k = 0; k < into.size(); ++k) into[k] = choose(all_ones(marks[from + k]), into[k], 1.0);
        };
        // The same, checked. Blocks come from both ends, and the first wrong value of the row is named.
        const auto read_checked = [&](const ProbabilityReader& reader, const char* argument, std::size_t from,
                                      bool logits, std::span<double> into) {
            read(reader, from, into);
            if (logits ? are_numbers(into) : are_probabilities(into)) return;
            double earlier = 0;
            for (std::size_t k = 0; k < from; ++k) {
                read(reader, k, {&earlier, 1});
                refuse(argument, k, {&earlier, 1}, logits);
            }
            refuse(argument, from, into, logits);
        };
        const auto load = [&](Gaps& into) {
            const std::size_t from = into.from;
            read_checked(read_truth, "truth", from, false, std::span(into.truth_cut).first(into.count));
            read_checked(read_pred, name, from, is_logits, std::span(into.cut).first(into.count));
            if (is_logits)
                chances_of_logits(into);
            else
                for (std::size_t k = 0; k < into.count; ++k) into.keep[k] = 1 - into.cut[k];
            if (is_logits && marks != nullptr) {
                for (std::size_t k = 0; k < into.count; ++k) {
                    into.cut[k] = choose(all_ones(marks[from + k]), into.cut[k], 1.0);
                    into.keep[k] = choose(all_ones(marks[from + k]), into.keep[k], 0.0);
                }
            }
            complete(into);
        };
        const double total = pairs_that_count(marks, gaps);
        const double scale = total > 0 ? 1 / total : 0;
        const auto store = [&](const Gaps& at, std::span<double> derivatives) {
            if (is_logits) derive_by_logits(at, derivatives);
            if (marks != nullptr)
                for (std::size_t k = 0; k < at.count; ++k)
                    derivatives[k] = choose(all_ones(marks[at.from + k]), derivatives[k], 0.0);
            write(row * gaps + at.from, derivatives, scale);
        };
        const double expected = soft_loss(gaps, load, store);
        losses.data()[row] = total > 0 ? std::min(expected / total, 1.0) : 0.0;
    }
}

inline void define_soft_losses(nb::module_& module) {
    using namespace nb::literals;
    module.def("soft_losses", &soft_losses, "truth"_a, "pred"_a, "mask"_a.none(), "name"_a, "is_logits"_a, "is_one"_a,
               "losses"_a, "gradient"_a);
}

}  // namespace segscore
