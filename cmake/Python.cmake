# Decides whether this build has the Python module. Sets TRI_HAVE_PYTHON, and TRI_PYTHON_REASON (one phrase for the
# summary). The interpreter is that of Python_EXECUTABLE, or of the environment that `make test` sets up
# (cmake/python_venv.sh), or the one in PATH. With tests it also needs what they import.
set(TRI_HAVE_PYTHON OFF)
if(TRI_PYTHON STREQUAL "OFF")
  set(TRI_PYTHON_REASON "TRI_PYTHON=OFF")
  return()
endif()

set(python_venv "${PROJECT_SOURCE_DIR}/build/python-venv/bin/python")
if(NOT Python_EXECUTABLE AND NOT SKBUILD AND EXISTS "${python_venv}")
  set(Python_EXECUTABLE "${python_venv}")
endif()

set(problem "")
set(python_remedy "Run 'make python-venv', or name an interpreter that has them: -DPython_EXECUTABLE=...")
if(TRI_SANITIZE)
  set(problem "an interpreter without sanitizers cannot load a module with them")
  set(python_remedy "Take TRI_SANITIZE empty, or TRI_PYTHON=AUTO.")
else()
  find_package(Python 3.10 QUIET COMPONENTS Interpreter Development.Module ${SKBUILD_SABI_COMPONENT})
  if(NOT Python_Interpreter_FOUND)
    set(problem "no Python 3.10 or later")
  elseif(NOT Python_Development.Module_FOUND)
    set(problem "${Python_EXECUTABLE} has no headers (Debian: python3-dev)")
  endif()
endif()

if(NOT problem AND NOT SKBUILD)
  set(wanted nanobind)
  if(TRI_BUILD_TESTS)
    list(APPEND wanted numpy scipy pytest)
  endif()
  list(JOIN wanted "', '" quoted)
  execute_process(
    COMMAND "${Python_EXECUTABLE}" -c "from importlib.util import find_spec
missing = [name for name in ('${quoted}',) if find_spec(name) is None]
if 'nanobind' not in missing: import nanobind
print(' '.join(missing), nanobind.cmake_dir() if 'nanobind' not in missing else '', sep=';')"
    OUTPUT_VARIABLE answer OUTPUT_STRIP_TRAILING_WHITESPACE ERROR_QUIET RESULT_VARIABLE failed TIMEOUT 60)
  if(failed)
    set(problem "${Python_EXECUTABLE} does not answer")
  elseif(NOT answer MATCHES "^;")
    string(REGEX REPLACE ";.*" "" missing "${answer}")
    set(problem "${Python_EXECUTABLE} has no ${missing}")
  else()
    string(SUBSTRING "${answer}" 1 -1 nanobind_ROOT)
  endif()
endif()
if(NOT problem)
  find_package(nanobind 3 CONFIG QUIET)
  if(NOT nanobind_FOUND)
    set(problem "nanobind of ${Python_EXECUTABLE} is older than 3")
  endif()
endif()

if(problem AND TRI_PYTHON STREQUAL "ON")
  message(FATAL_ERROR "TRI_PYTHON=ON, but ${problem}. ${python_remedy}")
elseif(problem)
  set(TRI_PYTHON_REASON "${problem}")
  return()
endif()
set(TRI_HAVE_PYTHON ON)
set(TRI_PYTHON_REASON "Python ${Python_VERSION}, nanobind ${nanobind_VERSION}: the package is in app/python of the build folder")
