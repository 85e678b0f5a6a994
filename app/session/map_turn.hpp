#pragma once
/// A turn of two maps: both evaluate the forces on the same bodies, one right after the other, so that whatever slows
/// this moment down slows both.

#include <exception>
#include <optional>

#include "sim/backend/engine.hpp"

namespace tri::app {

struct MapTurn {
  EngineConfig baseline, own;  ///< what is compared
  EngineConfig after;          ///< the configuration in use, which the engine has afterwards
  bool own_first = false;      ///< alternates, so that neither always follows the other

  /// Of one evaluation, in ms, by domain.
  struct Times {
    double pairs = 0, triples = 0;
  };
  std::optional<Times> baseline_ms, own_ms;  ///< both are none where the turn failed

  /// Takes the turn. The bodies stay as they are, bit for bit. Not for laws of impulses, which act beside the forces.
  void take(Engine& engine) noexcept;
};

/// A configuration in which maps of triples can be compared: products on tensor cores are driven by a map of pairs.
EngineConfig in_tiles_of_triples(EngineConfig config);

/// Whether the field has laws of impulses, under which maps take no turns.
bool has_impulses(const ForceField& field);

/// The time of an evaluation under this configuration, which the engine keeps. Throws what the engine throws.
MapTurn::Times time_evaluation(Engine& engine, const EngineConfig& config);

}  // namespace tri::app
