# lit configuration of every .mlir test: those in a test/ folder beside what they test, and those below tests/.
#   .venv/bin/lit compiler/differentiate                   one folder
#   .venv/bin/lit . --filter layer_norm                    by name
#   .venv/bin/lit . --param build=/path/to/another/build   another build folder
import os
import re
import sys

root = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, os.path.join(root, "scripts"))
from lit_folders import TestFolders  # noqa: E402

build = os.path.abspath(lit_config.params.get("build", os.path.join(root, "build")))


def llvm_tools():
    """The folder of FileCheck, not and count that belongs to the LLVM of this build."""
    with open(os.path.join(build, "CMakeCache.txt"), encoding="utf-8") as cache:
        found = re.search(r"^LLVM_DIR:\w+=(.*)$", cache.read(), re.MULTILINE)
    return os.path.normpath(os.path.join(found.group(1), "..", "..", "..", "bin"))


config.name = "raf"
config.test_format = TestFolders(execute_external=False)
config.suffixes = [".mlir"]
config.test_source_root = root
config.test_exec_root = os.path.join(build, "lit")
# Folders that are not ours to walk: builds, the virtual environment, what runs write.
config.excludes = [
    name for name in os.listdir(root) if name.startswith((".", "build")) or name in ("out", "tmp")
]
config.environment["PATH"] = os.pathsep.join(
    [os.path.join(build, "bin"), llvm_tools(), config.environment.get("PATH", "")]
)
# A cache of compiled kernels that no other run has filled.
config.environment["XDG_CACHE_HOME"] = os.path.join(build, "lit", "cache")
config.available_features.add("x86_64" if os.uname().machine == "x86_64" else os.uname().machine)
