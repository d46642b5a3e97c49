// Ctrl-C, in whichever thread the work is done.
#pragma once

#include <nanobind/nanobind.h>
#include <signal.h>

#include <atomic>
#include <mutex>

namespace segscore {

namespace nb = nanobind;

// Python handles signals only in its main thread, which may be waiting for us inside another library, for example in a
// lazy table of Polars. While an object of this class exists, SIGINT is counted here before Python gets it. A watch
// sees the signals of its own lifetime, in the thread that made it: work that starts later and work of other threads go
// on. A program with a SIGINT handler of its own is not affected.
class InterruptWatch {
public:
    // Call with the interpreter's lock.
    InterruptWatch() {
        const nb::module_ signals = nb::module_::import_("signal");
        watches_ = signals.attr("getsignal")(SIGINT).is(signals.attr("default_int_handler"));
        if (!watches_) return;
        outer_ = innermost;
        innermost = this;
        const std::lock_guard guard(lock);
        before_us_ = noted;
        if (watchers++ > 0) return;
        struct sigaction ours{};
        sigaction(SIGINT, nullptr, &before);
        ours.sa_sigaction = note;
        ours.sa_flags = before.sa_flags | SA_SIGINFO;
        ours.sa_mask = before.sa_mask;
        sigaction(SIGINT, &ours, nullptr);
    }
    ~InterruptWatch() {
        if (!watches_) return;
        innermost = outer_;
        const std::lock_guard guard(lock);
        if (--watchers > 0) return;
        struct sigaction now{};
        sigaction(SIGINT, nullptr, &now);
        if ((now.sa_flags & SA_SIGINFO) != 0 && now.sa_sigaction == note) sigaction(SIGINT, &before, nullptr);
    }
    InterruptWatch(const InterruptWatch&) = delete;
    InterruptWatch& operator=(const InterruptWatch&) = delete;

    // Returns whether the work of this thread is watched, and was interrupted.
    static bool has_noted() { return innermost != nullptr && innermost->before_us_ != noted; }

private:
    static void note(int signal, siginfo_t* info, void* context) {
        ++noted;
        if ((before.sa_flags & SA_SIGINFO) != 0)
            before.sa_sigaction(signal, info, context);
        else if (before.sa_handler != SIG_DFL && before.sa_handler != SIG_IGN)
            before.sa_handler(signal);
    }

    // A signal handler can only write to global variables.
    static inline std::mutex lock;
    static inline int watchers = 0;
    static inline std::atomic<unsigned> noted = 0;
    static inline struct sigaction before{};
    static inline thread_local const InterruptWatch* innermost = nullptr;

    bool watches_;
    unsigned before_us_ = 0;
    const InterruptWatch* outer_ = nullptr;
};

// Throws KeyboardInterrupt, or what else a handler of signals raises, in the thread that Python called. Where that is
// not the main thread, the main thread will raise KeyboardInterrupt as soon as it can, and once is enough.
inline void check_signals() {
    const nb::gil_scoped_acquire acquired;
    if (PyErr_CheckSignals() == 0 && InterruptWatch::has_noted()) PyErr_SetString(PyExc_RuntimeError, "interrupted");
    if (PyErr_Occurred() != nullptr) nb::raise_python_error();
}

}  // namespace segscore
