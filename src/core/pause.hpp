// Interruption of long work: the work calls a Pause from time to time, which may throw.
#pragma once

#include <cstdint>

namespace segscore {

struct Pause {
    void (*call)(void*) = nullptr;
    void* context = nullptr;

    void operator()() const {
        if (call != nullptr) call(context);
    }
};

// Calls a Pause after about every million steps, which take some ten milliseconds.
class Pace {
public:
    explicit Pace(const Pause& pause) : pause_(pause) {}
    void step(std::uint64_t work = 1) {
        if ((done_ += work) < work_per_pause) return;
        done_ = 0;
        pause_();
    }

private:
    static constexpr std::uint64_t work_per_pause = std::uint64_t{1} << 20;
    Pause pause_;
    std::uint64_t done_ = 0;
};

}  // namespace segscore
