"""./run-tests must not lose a test: a program that crashes costs the test that crashed, and a silent death is a failure."""

import importlib.util
import pathlib

ROOT = pathlib.Path(__file__).resolve().parent.parent
spec = importlib.util.spec_from_file_location("run_tests", ROOT / "scripts" / "run_tests.py")
run_tests = importlib.util.module_from_spec(spec)
spec.loader.exec_module(run_tests)

LOG = """\
[ RUN      ] Arena.Reuses
[       OK ] Arena.Reuses (0 ms)
[ RUN      ] Arena.Grows/2
[  FAILED  ] Arena.Grows/2, where GetParam() = 4 (12 ms)
[ RUN      ] Arena.Skipped
[  SKIPPED ] Arena.Skipped (0 ms)
"""


def test_each_outcome_counts_once():
    summary = "[  FAILED  ] 1 test, listed below:\n[  FAILED  ] Arena.Grows/2, where GetParam() = 4\n"
    counts = run_tests.count_google_test("arena-tests", 1, LOG + summary)
    assert (counts["passed"], counts["failed"], counts["skipped"]) == (1, 1, 1)
    assert counts.failures == ["arena-tests: Arena.Grows/2"]


def test_a_crash_is_the_failure_of_the_test_that_ran():
    counts = run_tests.count_google_test("arena-tests", -11, LOG + "[ RUN      ] Arena.Crashes\nsegmentation fault\n")
    assert counts["failed"] == 2
    assert counts.failures[-1] == "arena-tests: Arena.Crashes (ended with -11)"


def test_a_program_that_dies_before_its_first_test_is_a_failure():
    counts = run_tests.count_google_test("arena-tests", 127, "error while loading shared libraries\n")
    assert counts["failed"] == 1
