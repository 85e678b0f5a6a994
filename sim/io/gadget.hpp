#pragma once
/// Bodies in an HDF5 file in the GADGET layout (Springel 2005; the user guide of GADGET-2, section 6.2): a group Header
/// of attributes, and a group PartTypeK for each kind of particle, with the datasets Coordinates, Velocities, Masses
/// and ParticleIDs.
///
/// Ours are of type 1 (collisionless), in order, with ids from 1, and datasets Radius and Group where there are radii
/// and groups. In files of several types without Group, the group of a body is its type.

#include "sim/io/files/hdf5_file.hpp"
#include "sim/io/format.hpp"
#include "sim/model/engine_config.hpp"

namespace tri::io {

/// What the header tells beside the bodies.
struct GadgetHeader {
  double time = 0;
  double box = 0;  ///< side of the periodic or walled cube from 0; 0 = none, or another box
};

/// Writes the groups Header and PartType1; reals in the precision, which must hold them exactly.
void write_gadget(Hdf5Output& out, const Bodies& bodies, Precision precision, const GadgetHeader& header);

/// The bodies of every PartType group, by the number of the type, in the order of the file. Masses come from Masses or
/// from the header's MassTable. Notes what other datasets the groups have.
Bodies read_gadget(const Hdf5Input& in, Notes* notes);

}  // namespace tri::io
