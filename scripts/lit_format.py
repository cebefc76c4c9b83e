"""The test format of lit.cfg.py. A module of its own because lit's workers receive it pickled."""

import lit.formats


class TestFolders(lit.formats.ShTest):
    """Takes only files that lie in a test/ folder or below tests/: other .mlir files are no tests."""

    def getTestsInDirectory(self, suite, path_in_suite, config, local):
        if path_in_suite and (path_in_suite[0] == "tests" or "test" in path_in_suite):
            yield from super().getTestsInDirectory(suite, path_in_suite, config, local)
