#!/usr/bin/env python3
"""One and two threads of the cpu backend, on a quiet machine and beside a process that computes all the time.

    two_threads.py PROGRAM [ROUNDS]

In each round (default 7) every case runs once, so that what the machine does meanwhile meets all of them. Prints how
many times as fast two threads are as one: the median of the rounds, with the least and the most. On two cores 2 is
perfect alone, and 1.33 beside another process, where three threads share them.
"""

import json
import os
import statistics
import subprocess
import sys

# Each step has several loops that the threads wait at: at n = 1,000 a step takes some 0.1 ms, at 16,384 some 20.
SCENES = {"plummer:n=1000": 5000, "plummer:n=16384": 40}
SPIN = [sys.executable, "-c", "while True: pass"]


def speed(program, scene, threads):
    command = [program, "run", scene, "--steps", str(SCENES[scene]), "--threads", str(threads), "--backend", "cpu", "--json"]
    return json.loads(subprocess.run(command, check=True, capture_output=True).stdout)["steps_per_s"]


def one_round(program, ratios):
    for busy in (False, True):
        other = subprocess.Popen(SPIN) if busy else None
        try:
            for scene in SCENES:
                one, two = speed(program, scene, 1), speed(program, scene, 2)
                ratios.setdefault((scene, busy), []).append(two / one)
        finally:
            if other is not None:
                other.kill()
                other.wait()


def main():
    program, rounds = sys.argv[1], int(sys.argv[2]) if len(sys.argv) > 2 else 7
    ratios = {}
    for _ in range(rounds):
        one_round(program, ratios)
    print(f"{len(os.sched_getaffinity(0))} cores, {rounds} rounds: two threads over one")
    for (scene, busy), values in sorted(ratios.items()):
        where = "beside another process" if busy else "alone"
        print(f"{scene:16} {where:23} {statistics.median(values):.2f} x [{min(values):.2f}, {max(values):.2f}]")


if __name__ == "__main__":
    main()
