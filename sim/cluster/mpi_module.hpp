#pragma once
/// The door of the MPI module, libtriangulum-mpi.so.

#include "sim/backend/communicator.hpp"

extern "C" {

/// Initialises MPI. The caller owns the result, which finalises MPI at its end; once in a process. Throws
/// std::runtime_error.
tri::Communicator* tri_open_mpi();
}
