# The two main commands, and helpers. CMake does the build: see docs/building.md.
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
PYTHON ?= python3
.PHONY: all run test build setup configure format lint asan install clean help python-venv python-test wheel
.DEFAULT_GOAL = build

help:  ## this list
	@echo "make TARGET [PRESET=release|cpu|cuda|headless|dev|ci|asan] [JOBS=$(JOBS)]"
	@sed -n 's/^\([a-z-]*\):.*## \(.*\)/  \1\t\2/p' Makefile

setup:
	@bash cmake/install_packages.sh build $(if $(filter headless,$(PRESET)),,gui)

# Ninja reruns CMake when a CMake file changes, but does not watch the presets.
$(BUILD)/build.ninja: CMakePresets.json
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

test: build  ## build and run the tests; TESTS=all runs the long ones of the window too
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

python-venv:
	@bash cmake/install_packages.sh build
	@[ -x $(VENV)/bin/python ] || $(PYTHON) -m venv $(VENV)
	@$(VENV)/bin/pip install --quiet "scikit-build-core>=0.10" "nanobind>=3" numpy scipy pytest hypothesis

PIP_BUILD = --no-build-isolation --no-deps $(if $(filter cpu,$(PRESET)),--config-settings=cmake.define.TRI_CUDA=OFF)
python-test: export CMAKE_BUILD_PARALLEL_LEVEL = $(JOBS)
python-test: python-venv  ## build the Python module into a venv and test it; PRESET=cpu leaves CUDA out
	@$(VENV)/bin/pip install --quiet $(PIP_BUILD) .
	@$(VENV)/bin/python -B -m pytest -q -p no:cacheprovider tests/app/python

wheel: export CMAKE_BUILD_PARALLEL_LEVEL = $(JOBS)
wheel: python-venv  ## build a wheel of the Python module for this machine, into build/wheels
	@$(VENV)/bin/pip wheel --quiet $(PIP_BUILD) --wheel-dir build/wheels .
	@ls -l build/wheels

clean:  ## remove the build folders
	@rm -rf build install
