// The functions of the core that Python can call: a table of contents.
#include <nanobind/nanobind.h>

#include "../core/pace.hpp"
#include "annotators.hpp"
#include "chance.hpp"
#include "consensus.hpp"
#include "curves.hpp"
#include "explain.hpp"
#include "families.hpp"
#include "interrupt.hpp"
#include "matrices.hpp"
#include "parallel.hpp"
#include "scores.hpp"
#include "segmentations.hpp"
#include "soft.hpp"
#include "soft_losses.hpp"
#include "stream.hpp"
#include "tables.hpp"

void segscore::check_interrupt() {
    if (stop_flag == nullptr) return check_signals();
    if (*stop_flag) throw Stopped{};
}

NB_MODULE(_core, module) {
    // Another library may keep what we made until Python ends: a lazy frame of Polars keeps a function, and with it a
    // plan of scores. That is no fault of the user, who would read a list of leaks.
    nanobind::set_leak_warnings(false);
    segscore::define_segmentations(module);
    segscore::define_scores(module);
    segscore::define_families(module);
    segscore::define_curves(module);
    segscore::define_chance(module);
    segscore::define_explain(module);
    segscore::define_annotators(module);
    segscore::define_consensus(module);
    segscore::define_soft(module);
    segscore::define_soft_losses(module);
    segscore::define_matrices(module);
    segscore::define_stream(module);
    segscore::define_tables(module);
}
