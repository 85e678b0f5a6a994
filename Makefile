# The two main commands, and helpers. CMake does the build: see docs/install.md.
#
#   make run     install what is missing, build, open the app (or, without a display, compare the maps)
#   make test    the same set-up, then the tests; TESTS=all runs the long ones of the window too
#
# PRESET chooses a preset of CMakePresets.json: make test PRESET=asan
PRESET ?= release
BUILD = build/$(PRESET)
PREFIX ?= /usr/local
JOBS ?= $(shell nproc)
MAKEFLAGS += --no-print-directory
VENV = build/python-venv
export PYTHON ?= python3
.PHONY: all run test build setup configure format lint asan install uninstall package package-test manual clean help \
        python-venv python-test wheel wheel-test
.DEFAULT_GOAL = build

help:  ## this list
	@echo "make TARGET [PRESET=release|cpu|cuda|headless|dev|ci|asan|tsan] [JOBS=$(JOBS)]"
	@sed -n 's/^\([a-z-]*\):.*## \(.*\)/  \1\t\2/p' Makefile

setup:
	@bash cmake/install_packages.sh build $(if $(filter headless,$(PRESET)),,gui)

# Ninja reruns CMake when a CMake file changes, but does not watch the presets, nor a Python that is new here.
$(BUILD)/build.ninja: CMakePresets.json $(wildcard $(VENV)/ready-test)
	@cmake --preset $(PRESET)
	@touch $@

configure: setup
	@$(MAKE) $(BUILD)/build.ninja

build: configure  ## install what is missing, configure, build everything
	@cmake --build --preset $(PRESET) --parallel $(JOBS)

run: configure  ## build and open the app; without a display, compare the maps on the default scene
	@cmake --build --preset $(PRESET) --parallel $(JOBS) --target triangulum
	@if [ -n "$$DISPLAY$$WAYLAND_DISPLAY" ] && grep -qx gui=on $(BUILD)/features.txt; then \
	  exec $(BUILD)/bin/triangulum view; \
	else \
	  grep -qx gui=on $(BUILD)/features.txt && why="there is no display" || why="this build has no window"; \
	  echo "Comparing the maps on the default scene ($$why):"; \
	  exec $(BUILD)/bin/triangulum bench --preset default-scene; \
	fi

# The Python module is built and tested where pip reaches an index; the tests do not depend on that.
test: setup  ## build and run the tests; TESTS=all runs the long ones of the window too
	@$(if $(filter asan tsan,$(PRESET)),,bash cmake/python_venv.sh test || [ $$? -eq 3 ])
	@$(MAKE) build
	@ctest --preset $(PRESET) --parallel $(JOBS) $(if $(filter all,$(TESTS)),,--label-exclude long)
	@$(if $(filter all,$(TESTS)),:,echo "The long tests of the window were left out: make test TESTS=all runs them too.")

asan:  ## every test under the address and undefined-behaviour sanitizers
	@$(MAKE) test PRESET=asan TESTS=all

format:  ## format the code with .clang-format
	@bash cmake/install_packages.sh lint
	@bash cmake/lint.sh format

lint:  ## layout, rules of the house, clang-tidy; builds the preset dev
	@$(MAKE) build PRESET=dev
	@bash cmake/install_packages.sh lint
	@bash cmake/lint.sh all build/dev

install: configure  ## build the program and install it into PREFIX (/usr/local)
	@cmake --build --preset $(PRESET) --parallel $(JOBS) --target triangulum
	@cmake --install $(BUILD) --prefix "$(PREFIX)"

uninstall:  ## remove what make install put there, by the list in the build folder
	@cmake -DBUILD_DIR="$(BUILD)" -P cmake/uninstall.cmake

# The times in packages are those of the commit: the same sources give the same packages.
package: export SOURCE_DATE_EPOCH = $(shell git log -1 --format=%ct 2>/dev/null || date +%s)
package: configure  ## two Debian packages and an archive that starts anywhere, into build/PRESET/packages
	@bash cmake/install_packages.sh package
	@cmake --build --preset $(PRESET) --parallel $(JOBS) --target triangulum triangulum-portable
	@rm -rf $(BUILD)/packages
	@cd $(BUILD) && cpack -G DEB
	@rm -rf $(BUILD)/packages/_CPack_Packages
	@bash cmake/package_portable.sh $(BUILD) $(BUILD)/packages

package-test: package  ## install them into bare systems and use them there; takes root, and a mirror of Debian
	@bash cmake/install_packages.sh package-test
	@bash tests/package/packages_test.sh $(BUILD)/packages

manual: configure  ## build the manual into build/manual/html; needs no network
	@TRI_NO_INSTALL="make manual leaves installing them to you." bash cmake/install_packages.sh docs
	@cmake --build --preset $(PRESET) --parallel $(JOBS) --target triangulum
	@$(PYTHON) -B docs/manual/build.py $(BUILD)/bin/triangulum build/manual

python-venv:
	@bash cmake/install_packages.sh build
	@bash cmake/python_venv.sh wheel

PIP_BUILD = --no-build-isolation --no-deps $(if $(filter cpu,$(PRESET)),\
  --config-settings=cmake.define.TRI_CUDA=OFF --config-settings=build-dir=build/python-cpu)
python-test: export CMAKE_BUILD_PARALLEL_LEVEL = $(JOBS)
python-test: python-venv  ## install the Python module into a venv and test it; PRESET=cpu leaves CUDA out
	@$(VENV)/bin/pip install --quiet $(PIP_BUILD) .
	@timeout 1800 $(VENV)/bin/python -B -m pytest -q -p no:cacheprovider tests/app/python

wheel: export CMAKE_BUILD_PARALLEL_LEVEL = $(JOBS)
wheel: python-venv  ## build a wheel of the Python module into build/wheels and check it; PRESET=cpu leaves CUDA out
	@rm -rf build/wheels
	@$(VENV)/bin/pip wheel --quiet $(PIP_BUILD) --wheel-dir build/wheels/unrepaired .
	@PATH="$(CURDIR)/$(VENV)/bin:$$PATH" auditwheel repair --wheel-dir build/wheels build/wheels/unrepaired/*.whl \
	  >build/wheels/auditwheel.txt 2>&1 || { cat build/wheels/auditwheel.txt; exit 1; }
	@$(VENV)/bin/python -B tests/package/check_wheel.py build/wheels/*.whl

wheel-test: wheel  ## the tests against that wheel in fresh venvs, with the oldest NumPy and the newest
	@bash tests/package/wheel_test.sh build/wheels/*.whl $(PYTHON)

clean:  ## remove the build folders
	@rm -rf build install
