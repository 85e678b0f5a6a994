#!/usr/bin/env bash
# link_archives.sh COMPILER ARGUMENT...    links with the archive beside each shared library that is named by its path
#
# A library without an archive stays shared. HDF5's archive needs two more, which its shared library names itself.
set -euo pipefail
command=()
for argument in "$@"; do
  archive="${argument%.so*}.a"
  if [[ $argument == /*.so* && -e $archive ]]; then
    command+=("$archive")
    [[ $argument != */libhdf5* ]] || command+=(-l:libsz.a -l:libaec.a)
  else
    command+=("$argument")
  fi
done
exec "${command[@]}"
