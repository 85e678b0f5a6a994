#pragma once
/// Bodies in an HDF5 file in the GADGET layout (Springel 2005; GADGET-2 user guide, section 6.2): a group Header with
/// attributes, and a group PartTypeK for each particle type with the datasets Coordinates, Velocities, Masses and
/// ParticleIDs.
///
/// Written bodies are of type 1 (collisionless), in order, with ids from 1, and with datasets Radius and Group if they
/// have radii and groups. When reading several types without Group, the group of a body is its type.

#include "sim/io/files/hdf5_file.hpp"
#include "sim/io/format.hpp"
#include "sim/model/engine_config.hpp"

namespace tri::io {

/// Header values that do not belong to bodies.
struct GadgetHeader {
  double time = 0;
  double box = 0;  ///< side of the cubic box [0, box]^3; 0 = none, or a box of another shape
};

/// Writes the groups Header and PartType1; reals in `precision`, which must represent them exactly.
void write_gadget(Hdf5Output& out, const Bodies& bodies, Precision precision, const GadgetHeader& header);

/// Reads the bodies of all PartType groups by increasing type, in file order. Masses come from Masses or from MassTable
/// in the header. Adds a note for datasets that are not used.
Bodies read_gadget(const Hdf5Input& in, Notes* notes);

}  // namespace tri::io
