"""Runs every test of the project and counts them: GoogleTest programs, lit, pytest.

Called by ./run-tests after set-up. Exit code 0 only when something ran and nothing failed.
"""

import argparse
import collections
import concurrent.futures
import json
import os
import pathlib
import re
import subprocess
import sys
import tempfile
import time
import xml.etree.ElementTree

ROOT = pathlib.Path(__file__).resolve().parent.parent
BUILD = ROOT / "build"
CORES = len(os.sched_getaffinity(0))
# A program or test that has not ended by then hangs: the slowest takes a tenth of it.
PROGRAM_SECONDS = 1200
TEST_SECONDS = 600


class Counts(collections.Counter):
    """passed, failed, skipped, and the names of what failed."""

    def __init__(self):
        super().__init__()
        self.failures = []

    def fail(self, name):
        self["failed"] += 1
        self.failures.append(name)

    def merge(self, other):
        self.update(other)
        self.failures += other.failures


def run(command, **options):
    """Exit code and output (both streams together) of a command; 124 when it ran past its time."""
    seconds = options.pop("seconds", PROGRAM_SECONDS)
    try:
        done = subprocess.run(
            [str(part) for part in command], cwd=ROOT, text=True, errors="replace", timeout=seconds,
            stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, **options)
    except subprocess.TimeoutExpired as expired:
        output = expired.output or b""
        return 124, output.decode(errors="replace") if isinstance(output, bytes) else output
    return done.returncode, done.stdout


def count_google_test(program, code, output):
    """Counts from the log, so that a crash costs the test that crashed and not those before it."""
    counts = Counts()
    ended = set()
    begun = re.findall(r"^\[ RUN      \] (\S+)$", output, re.MULTILINE)
    for state, name in re.findall(r"^\[ *(OK|FAILED|SKIPPED) *\] ([^\s,]+).* \(\d+ ms\)$", output, re.MULTILINE):
        ended.add(name)
        if state == "FAILED":
            counts.fail(f"{program}: {name}")
        else:
            counts["passed" if state == "OK" else "skipped"] += 1
    for name in begun:
        if name not in ended:
            counts.fail(f"{program}: {name} (ended with {code})")
    if code != 0 and not counts["failed"]:
        counts.fail(f"{program} (ended with {code})")
    return counts


def google_tests(args):
    programs = sorted(p for p in (BUILD / "bin").glob("*-tests") if os.access(p, os.X_OK))
    patterns = f"*{args.filter}*" if args.filter else "*"
    if args.fast:
        patterns += "-*Slow*"
    counts = Counts()

    def one(program):
        begun = time.monotonic()
        code, output = run([program, f"--gtest_filter={patterns}", "--gtest_color=no"])
        return program.name, code, output, time.monotonic() - begun

    with concurrent.futures.ThreadPoolExecutor(CORES) as pool:
        for name, code, output, seconds in pool.map(one, programs):
            result = count_google_test(name, code, output)
            counts.merge(result)
            print(f"  {name}: {result['passed']} passed, {result['failed']} failed ({seconds:.1f} s)", flush=True)
            if result["failed"]:
                print(output[-6000:])
    return counts


def lit_tests(args):
    counts = Counts()
    with tempfile.TemporaryDirectory() as folder:
        report = pathlib.Path(folder) / "lit.json"
        command = [pathlib.Path(sys.executable).parent / "lit", ROOT, "-q", f"-j{CORES}", f"--timeout={TEST_SECONDS}",
                   f"--output={report}", "--allow-empty-runs"]
        if args.filter:
            command.append(f"--filter={re.escape(args.filter)}")
        code, output = run(command, seconds=2 * PROGRAM_SECONDS)
        tests = json.loads(report.read_text())["tests"] if report.exists() else []
    for test in tests:
        if test["code"] in ("PASS", "XFAIL", "FLAKYPASS"):
            counts["passed"] += 1
        elif test["code"] in ("UNSUPPORTED", "SKIPPED"):
            counts["skipped"] += 1
        elif test["code"] != "EXCLUDED":
            counts.fail(test["name"])
    if code != 0 and not counts["failed"]:
        counts.fail(f"lit (ended with {code})")
    if counts["failed"]:
        print(output[-20000:])
    return counts


def python_tests(args):
    counts = Counts()
    with tempfile.TemporaryDirectory() as folder:
        report = pathlib.Path(folder) / "pytest.xml"
        command = [sys.executable, "-m", "pytest", "-q", "-n", str(CORES), "--dist=loadfile", "--tb=short",
                   f"--timeout={TEST_SECONDS}", f"--junitxml={report}", "tests"]
        if args.filter:
            command += ["-k", args.filter]
        if args.fast:
            command += ["-m", "not slow"]
        code, output = run(command, seconds=2 * PROGRAM_SECONDS)
        cases = xml.etree.ElementTree.parse(report).iter("testcase") if report.exists() else []
        for case in cases:
            if case.find("failure") is not None or case.find("error") is not None:
                counts.fail(f"{case.get('classname')}.{case.get('name')}")
            else:
                counts["skipped" if case.find("skipped") is not None else "passed"] += 1
    # 5: no test was collected, which is the caller's business.
    if code not in (0, 5) and not counts["failed"]:
        counts.fail(f"pytest (ended with {code})")
    if counts["failed"]:
        print(output[-20000:])
    return counts


SUITES = {"gtest": google_tests, "lit": lit_tests, "pytest": python_tests}


def main():
    parser = argparse.ArgumentParser(prog="run-tests", description="Set-up, then every test of the project.")
    parser.add_argument("--fast", action="store_true", help="leave out tests marked slow: minutes instead of half an hour")
    parser.add_argument("-k", dest="filter", metavar="FILTER", help="only tests whose name contains FILTER")
    parser.add_argument("--suite", action="append", choices=SUITES, help="only this kind of test (may be repeated)")
    args = parser.parse_args()

    begun = time.monotonic()
    total = Counts()
    for name in args.suite or SUITES:
        suite_begun = time.monotonic()
        print(f"{name} ...", flush=True)
        counts = SUITES[name](args)
        total.merge(counts)
        print(f"{name}: {counts['passed']} passed, {counts['failed']} failed, {counts['skipped']} skipped "
              f"({time.monotonic() - suite_begun:.0f} s)", flush=True)
    for failure in total.failures:
        print(f"FAILED {failure}")
    print(f"took {time.monotonic() - begun:.0f} s")
    ran = total["passed"] + total["failed"]
    if not ran:
        print("run-tests: no test ran", file=sys.stderr)
    print(f"{total['passed']} passed, {total['failed']} failed, {total['skipped']} skipped", flush=True)
    return 0 if ran and not total["failed"] else 1


if __name__ == "__main__":
    sys.exit(main())
