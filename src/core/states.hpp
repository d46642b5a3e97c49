// What became of a row of a table, and of a cell of a study: one vocabulary and one numbering, also for Python and the
// page of a report.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>

namespace segscore {

// Cells have the states up to `unreadable`. A row is `failed` if it has no prediction, `invalid` if its prediction is
// not a segmentation, `without_truth` if it has no truth or no length, and `unreadable` if any other error is not one
// of the prediction.
enum class State : std::uint8_t { scored, undefined, failed, not_run, unreadable, invalid, without_truth };
inline constexpr std::array state_names{"scored",     "undefined", "failed",       "not run",
                                        "unreadable", "invalid",   "without truth"};
static_assert(state_names.size() == static_cast<std::size_t>(State::without_truth) + 1);

}  // namespace segscore
