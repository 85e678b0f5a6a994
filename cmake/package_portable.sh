#!/usr/bin/env bash
# package_portable.sh BUILD OUT    an archive of the program that starts on any Linux for the same processor whose
# glibc is as new as that of this machine: OUT/triangulum-VERSION-linux-PROCESSOR.tar.gz
#
# What is linked by an archive is in the program. Of the shared libraries glibc alone is the host's. lib/triangulum holds
# libraries whose versions differ from system to system; those of X and of the compiler lie in lib/triangulum/fallback,
# and come after the host's own, because the host's drivers of OpenGL need these at least as new as they are there.
set -euo pipefail
build=$1 out=$2
version=$(sed -n 's/^CMAKE_PROJECT_VERSION:[^=]*=//p' "$build/CMakeCache.txt")
name=triangulum-$version
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
stage=$work/$name
system=/usr/lib/$(uname -m)-linux-gnu:/usr/lib64:/usr/lib

cmake --install "$build" --component program --prefix "$stage" --strip >/dev/null
cmake --install "$build" --component portable --prefix "$stage" --strip >/dev/null
rm -f "$build/install_manifest_program.txt" "$build/install_manifest_portable.txt"

own=$stage/lib/triangulum fallback=$stage/lib/triangulum/fallback licences=$stage/share/doc/triangulum/third-party
mkdir -p "$fallback" "$licences"
glfw=$(ldconfig -p | sed -n 's/.*libglfw\.so\.3 .* => //p' | head -n 1)  # opened when a window is
glfw=${glfw:-$(ls {/usr,}/lib/"$(uname -m)"-linux-gnu/libglfw.so.3 | head -n 1)}
while read -r soname _ path _; do
  case $soname in
    linux-vdso.*|*/ld-linux-*|libc.so.*|libm.so.*|libdl.so.*|libpthread.so.*|librt.so.*) continue ;;
    libfmt.so.*|libhwy.so.*|libglfw.so.*) cp -L "$path" "$own/$soname" ;;
    libstdc++.so.*|libgcc_s.so.*|libX11.so.*|libxcb.so.*|libXau.so.*|libXdmcp.so.*|libbsd.so.*|libmd.so.*)
      cp -L "$path" "$fallback/$soname" ;;
    *) echo "package_portable.sh: the program needs $soname ($path), which has no place in the archive yet. Link it by its" \
            "archive, or say here where it belongs." >&2
       exit 1 ;;
  esac
  package=$(dpkg -S "$(uname -m)-linux-gnu/$(basename "$(readlink -f "$path")")" | sed -n '1s/:.*//p')
  cp -L "/usr/share/doc/$package/copyright" "$licences/$package.txt"
done < <({ ldd "$stage/bin/triangulum" && echo "libglfw.so.3 => $glfw" && ldd "$glfw"; } | sort -u -k 1,1)
# Those that are linked by an archive; not all systems have each.
for package in libhdf5-dev libaec-dev zlib1g-dev libpng-dev libstb-dev; do
  [ ! -e "/usr/share/doc/$package/copyright" ] || cp -L "/usr/share/doc/$package/copyright" "$licences/$package.txt"
done
# Debian's files refer to the texts of licences that every Debian has.
grep -rhoE '/usr/share/common-licenses/[A-Za-z0-9.-]*[A-Za-z0-9]' "$licences" | sort -u | while read -r text; do
  [ ! -e "$text" ] || cp -L "$text" "$licences/$(basename "$text")"
done

patchelf --set-rpath "\$ORIGIN/../lib/triangulum:$system:\$ORIGIN/../lib/triangulum/fallback" "$stage/bin/triangulum"
for library in "$own"/lib{fmt,hwy,glfw}.so.*; do patchelf --set-rpath "\$ORIGIN:$system:\$ORIGIN/fallback" "$library"; done
for library in "$fallback"/*; do patchelf --set-rpath "$system:\$ORIGIN" "$library"; done
chmod 644 "$own"/*.so* "$fallback"/*

mkdir -p "$out"
archive=$out/$name-linux-$(uname -m).tar.gz
tar -C "$work" --sort=name --owner=0 --group=0 --numeric-owner --mtime="@${SOURCE_DATE_EPOCH:-$(date +%s)}" -cf - "$name" |
  gzip -9n >"$archive"
echo "$archive"
