"""Writes the files of this folder with the programs' own libraries. They hold the same three bodies, whose numbers
every format has room for:  python3 make.py  (h5py, vtk, plyfile, ase, numpy, pynbody; the tests need none of them).
"""

import zlib

import ase
import ase.build
import ase.io
import h5py
import numpy as np
import pynbody
import vtk
from plyfile import PlyData, PlyElement
from vtk.util.numpy_support import numpy_to_vtk

MASS = np.array([1.0, 2.0, 0.5])
PLACE = np.array([[0.5, -1.25, 3.0], [8.0, 0.0, -0.125], [-2.5, 4.75, 1.0]])
VELOCITY = np.array([[0.25, 0.0, -0.5], [-1.0, 2.0, 0.75], [3.5, -0.25, 1.5]])
RADIUS = np.array([0.25, 0.5, 0.125])
GROUP = np.array([0, 7, 7])


def hdf5(name, order, **options):
    with h5py.File(name, "w") as f:
        f.create_group("Header").attrs.update(NumPart_ThisFile=np.array([0, 3, 0, 0, 0, 0]), Time=np.array([1.5]))
        dark = f.create_group("PartType1")
        for key, values in dict(Coordinates=PLACE, Velocities=VELOCITY, Masses=MASS, Radius=RADIUS).items():
            dark.create_dataset(key, data=values.astype(order + "f4"), **options)
        dark.create_dataset("Group", data=GROUP.astype(order + "i2"), **options)
        dark.create_dataset("ParticleIDs", data=np.arange(1, 4).astype(order + "u8"), **options)


def expanding(name):
    """Three bodies in a chunk of 3 GiB of zeros, compressed twice."""
    rows = (3 << 30) // 24
    press = zlib.compressobj(9)
    once = b"".join(press.compress(bytes(1 << 24)) for _ in range(rows * 24 >> 24)) + press.flush()
    with h5py.File(name, "w", libver="earliest") as f:
        f.create_group("Header").attrs.update(NumPart_ThisFile=np.array([0, 3, 0, 0, 0, 0]))
        dark = f.create_group("PartType1")
        plist = h5py.h5p.create(h5py.h5p.DATASET_CREATE)
        plist.set_chunk((rows, 3))
        plist.set_deflate(9)
        plist.set_deflate(9)
        space = h5py.h5s.create_simple((3, 3), (h5py.h5s.UNLIMITED, 3))
        places = h5py.h5d.create(dark.id, b"Coordinates", h5py.h5t.IEEE_F64LE, space, plist)
        places.write_direct_chunk((0, 0), zlib.compress(once, 9), 0)
        dark.create_dataset("Velocities", data=np.zeros((3, 3)))
        dark.create_dataset("Masses", data=np.ones(3))


def vtp(name, mode, base64, big, block=0):
    """block: bytes of one that zlib compresses; 0: not compressed."""
    points = vtk.vtkPoints()
    points.SetDataTypeToDouble()
    points.SetData(numpy_to_vtk(PLACE, deep=1))
    data = vtk.vtkPolyData()
    data.SetPoints(points)
    for key, values in dict(velocity=VELOCITY, mass=MASS, radius=RADIUS, group=GROUP.astype(np.int64)).items():
        array = numpy_to_vtk(values, deep=1)
        array.SetName(key)
        data.GetPointData().AddArray(array)
    writer = vtk.vtkXMLPolyDataWriter()
    writer.SetFileName(name)
    writer.SetInputData(data)
    if block:
        writer.SetCompressorTypeToZLib()
        writer.SetBlockSize(block)
    else:
        writer.SetCompressorTypeToNone()
    if big:
        writer.SetHeaderTypeToUInt32()
    else:
        writer.SetHeaderTypeToUInt64()
    {"ascii": writer.SetDataModeToAscii, "binary": writer.SetDataModeToBinary,
     "appended": writer.SetDataModeToAppended}[mode]()
    writer.SetEncodeAppendedData(base64)
    if big:
        writer.SetByteOrderToBigEndian()
    assert writer.Write()


def ply(name, order):
    rows = np.zeros(3, [(key, "f4") for key in ("x", "y", "z", "vx", "vy", "vz", "mass", "radius")] + [("group", "u1")])
    for k, key in enumerate("xyz"):
        rows[key], rows["v" + key] = PLACE[:, k], VELOCITY[:, k]
    rows["mass"], rows["radius"], rows["group"] = MASS, RADIUS, GROUP
    PlyData([PlyElement.describe(rows, "vertex")], text=order == "", byte_order=order or "=").write(name)


def extxyz(name):
    atoms = ase.Atoms(["Ar"] * 3, positions=PLACE, cell=[9, 9, 9], pbc=True)
    atoms.set_masses(MASS)
    atoms.set_velocities(VELOCITY)  # written as momenta
    atoms.new_array("radius", RADIUS)
    atoms.new_array("group", GROUP)
    ase.io.write(name, atoms, format="extxyz")


def argon():
    """32 atoms in a periodic cell, with momenta, and the same periodic along x and y only; prints the figures that tests
    have: kinetic energy, and Lennard-Jones between nearest images, cut off at 5.2."""
    random = np.random.default_rng(1)
    atoms = ase.build.bulk("Ar", "fcc", a=5.26, cubic=True) * (2, 2, 2)
    atoms.rattle(0.1, seed=2)
    atoms.set_momenta(random.normal(scale=0.5, size=(32, 3)).round(8))
    ase.io.write("ase_argon.extxyz", atoms)
    d = atoms.get_all_distances(mic=True)[np.triu_indices(32, 1)]
    d = 3.4 / d[d <= 5.2]
    print(atoms.get_kinetic_energy(), np.sum(4 * 0.0104 * (d**12 - d**6)))
    atoms.pbc = [True, True, False]
    ase.io.write("ase_slab.extxyz", atoms)


def tipsy(name):
    stars = pynbody.new(star=3)
    stars["pos"], stars["vel"], stars["mass"] = (a.astype("f4") for a in (PLACE, VELOCITY, MASS))
    for key in ("eps", "tform", "metals", "phi"):
        stars[key] = 0.0
    stars.write(fmt=pynbody.snapshot.tipsy.TipsySnap, filename=name)


hdf5("h5py_big_endian.hdf5", ">")
hdf5("h5py_gzip_shuffle.hdf5", "<", compression="gzip", shuffle=True, fletcher32=True)
vtp("vtk_ascii.vtp", "ascii", 0, False)
vtp("vtk_binary_big_endian.vtp", "binary", 0, True)
vtp("vtk_appended_base64.vtp", "appended", 1, False)
vtp("vtk_zlib_default.vtp", "appended", 1, False, 1 << 15)
vtp("vtk_zlib_raw_blocks.vtp", "appended", 0, True, 16)
vtp("vtk_zlib_binary.vtp", "binary", 0, False, 32)
ply("plyfile_big_endian.ply", ">")
ply("plyfile_text.ply", "")
extxyz("ase.extxyz")
argon()
tipsy("pynbody.tipsy")
np.save("numpy_float32.npy", np.column_stack([MASS, PLACE, VELOCITY]).astype("<f4"))
np.save("numpy_transposed_big_endian.npy", np.array([MASS, *PLACE.T, *VELOCITY.T]).astype(">f8").T)
np.savetxt("numpy_savetxt.tab", np.column_stack([MASS, PLACE, VELOCITY]), header="m x y z vx vy vz")
