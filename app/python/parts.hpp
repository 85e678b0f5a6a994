#pragma once
/// The parts of the Python module: what each file adds to it.

#include <nanobind/nanobind.h>

namespace tri::python {

void add_errors(nanobind::module_& module);
void add_dlpack(nanobind::module_& module);
void add_distances(nanobind::module_& module);
void add_contacts(nanobind::module_& module);
void add_forces(nanobind::module_& module);
void add_triplets(nanobind::module_& module);
void add_maps(nanobind::module_& module);
void add_measure(nanobind::module_& module);
void add_simulation(nanobind::module_& module);

}  // namespace tri::python
