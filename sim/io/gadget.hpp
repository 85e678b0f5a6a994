#pragma once
/// Bodies in an HDF5 file in the GADGET layout (Springel 2005; GADGET-2 user guide, section 6.2): a group Header with
/// attributes, and a group PartTypeK for each particle type with the datasets Coordinates, Velocities, Masses and
/// ParticleIDs.
///
/// Written bodies are of type 1 (collisionless), in order, with ids from 1, and with datasets Radius, Group, Species
/// (atomic numbers) and Charge if they have radii, groups, species and charges, and CoordinatesRest if their positions
/// carry a rest (Bodies::rest). When reading several types without Group, the group of a body is its type.

#include "sim/io/files/hdf5_file.hpp"
#include "sim/io/format.hpp"
#include "sim/model/engine_config.hpp"

namespace tri::io {

/// Writes the groups Header and PartType1; reals in `precision`, which must represent them exactly. Units of fixed size
/// become UnitLength_in_cm, UnitMass_in_g and UnitVelocity_in_cm_per_s of the header, and UnitSystem names them.
///
/// BoxSize is the side of a box that is a cube from 0 with walls. For any other it is that of a periodic box in which
/// readers such as yt, which need one, find every body once, with as much room around: the power of two from 4 max |x|
/// on. Files of bodies also have Boundary in the header, and BoxLow and BoxHigh, the corners of a periodic box.
void write_gadget(Hdf5Output& out, const Bodies& bodies, Precision precision, const StateInfo& state);

/// Reads the bodies of all PartType groups by increasing type, in file order. Masses come from Masses or from MassTable
/// in the header. Adds a note for datasets that are not used, and for ParticleIDs that do not count the bodies.
Bodies read_gadget(const Hdf5Input& in, Notes* notes);

/// Reads what GADGET, AREPO, GIZMO and SWIFT say of the state beside its bodies: time, units and a periodic box, each
/// by the names of these programs. Throws FileError for a state in an expanding universe, whose lengths are comoving,
/// and for units that are incomplete.
void read_gadget_header(const Hdf5Input& in, const Bodies& bodies, ReadReport& reading);

/// Whether this program wrote the file.
bool is_own_gadget(const Hdf5Input& in);

/// The BoxSize of bodies without walls.
double made_up_box_side(const Bodies& bodies);

}  // namespace tri::io
