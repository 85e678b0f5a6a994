#pragma once
/// The groups of checks that make_checks() combines; internal.

#include "app/verify/verify_checks.hpp"

namespace tri::app::verify_parts {

void add_map_checks(const VerifyPlan& plan, std::vector<VerifyCheck>& checks);
void add_law_checks(const VerifyPlan& plan, Backend& backend, std::vector<VerifyCheck>& checks);
/// None where the backend has no tensor cores.
void add_tensor_checks(const VerifyPlan& plan, Backend& backend, std::vector<VerifyCheck>& checks);
void add_ordered_checks(const VerifyPlan& plan, Backend& backend, std::vector<VerifyCheck>& checks);
void add_jerk_checks(const VerifyPlan& plan, Backend& backend, std::vector<VerifyCheck>& checks);
void add_orbit_checks(const VerifyPlan& plan, Backend& backend, std::vector<VerifyCheck>& checks);
void add_job_checks(const VerifyPlan& plan, Backend& backend, std::vector<VerifyCheck>& checks);
void add_kernel_checks(const VerifyPlan& plan, Backend& backend, std::vector<VerifyCheck>& checks);

}  // namespace tri::app::verify_parts
