// Interruption of long work.
#pragma once

#include <cstdint>

namespace segscore {

// Throws if the work of this thread is to end. Each program that uses the core defines this function, so that neither
// arguments nor global variables carry it through the core.
void check_interrupt();

// Checks for an interrupt after about every million steps, which take some ten milliseconds.
class Pace {
public:
    void step(std::uint64_t work = 1) {
        if ((done_ += work) < work_per_check) return;
        done_ = 0;
        check_interrupt();
    }

private:
    static constexpr std::uint64_t work_per_check = std::uint64_t{1} << 20;
    std::uint64_t done_ = 0;
};

}  // namespace segscore
