"""watch.py [--seconds S] [--warm-up S] [--growth MB] COMMAND...: runs a command and watches its resident memory.

Ends it after so many seconds. Exits with 1 if its memory grows: if the peak of the second half after the warm-up is more
than so many MB above that of the first. Halves, because what is shown in a loop takes more memory here and less there.
Exits with 1 as well if the command ends by itself.
"""

import argparse
import os
import signal
import subprocess
import sys
import time

PAGE = os.sysconf("SC_PAGE_SIZE")


def resident(pid):
    """MB of a process; None once it has ended."""
    try:
        with open(f"/proc/{pid}/statm") as f:
            pages = int(f.read().split()[1])
    except (OSError, IndexError):
        return None
    return pages * PAGE / 1e6 if pages else None


def growth(samples, warm_up):
    """(peak of the first half, peak of the second) in MB, of [(seconds, MB)] from warm_up on."""
    settled = [(t, mb) for t, mb in samples if t >= warm_up]
    if len(settled) < 2:
        raise ValueError("too few samples after the warm-up; watch for longer")
    middle = (settled[0][0] + settled[-1][0]) / 2
    return (max(mb for t, mb in settled if t <= middle), max(mb for t, mb in settled if t > middle))


def watch(command, seconds, every):
    """Samples until the time or the command is over: (samples, exit code or None while it ran)."""
    process = subprocess.Popen(command, stdout=subprocess.DEVNULL)
    start, samples = time.monotonic(), []
    try:
        while (elapsed := time.monotonic() - start) < seconds and process.poll() is None:
            mb = resident(process.pid)
            if mb is not None:
                samples.append((elapsed, mb))
            time.sleep(every)
        return samples, process.poll()
    finally:
        if process.poll() is None:
            process.send_signal(signal.SIGTERM)
            try:
                process.wait(30)
            except subprocess.TimeoutExpired:
                process.kill()
                process.wait()


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--seconds", type=float, default=3600)
    parser.add_argument("--warm-up", type=float, help="seconds left out (a tenth)")
    parser.add_argument("--growth", type=float, default=64, help="MB (64)")
    parser.add_argument("command", nargs=argparse.REMAINDER)
    args = parser.parse_args()
    samples, code = watch(args.command, args.seconds, max(0.02, min(5, args.seconds / 200)))
    if code is not None:
        print(f"the command ended by itself after {samples[-1][0] if samples else 0:.0f} s with exit code {code}")
        return 1
    first, second = growth(samples, args.seconds / 10 if args.warm_up is None else args.warm_up)
    grew = second > first + args.growth
    print(f"resident memory: at most {first:.0f} MB in the first half, {second:.0f} MB in the second"
          f"{', which is more than ' + format(args.growth, 'g') + ' MB of growth' if grew else ''}")
    return int(grew)


if __name__ == "__main__":
    sys.exit(main())
