"""The command line as its users see it: arguments in, lines and exit codes out."""

import json
import os
import pathlib
import random
import subprocess

import pytest

ROOT = pathlib.Path(__file__).resolve().parents[2]
RAF = ROOT / "build" / "bin" / "raf"
MODEL = "gpt2:layers=2,width=32,heads=2,context=16,vocab=256"


class Raf:
    """Runs `raf` in a folder, with a cache that is not the user's."""

    def __init__(self, folder, cache):
        self.folder = folder
        self.environment = dict(os.environ, XDG_CACHE_HOME=str(cache))

    def start(self, *arguments):
        return subprocess.Popen([RAF, *map(str, arguments)], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True,
                                cwd=self.folder, env=self.environment)

    def run(self, *arguments, **options):
        # A model of bytes may write what is no text.
        return subprocess.run([RAF, *map(str, arguments)], capture_output=True, text=True, errors="replace",
                              cwd=self.folder, env=self.environment, timeout=300, **options)

    def __call__(self, *arguments):
        """Standard output of a command that must succeed."""
        done = self.run(*arguments)
        assert done.returncode == 0, done.stderr
        return done.stdout

    def lines(self, *arguments):
        """JSON objects that a command printed."""
        return [json.loads(line) for line in self(*arguments).splitlines()]

    def fails(self, code, *arguments):
        """The one line on stderr of a command that must fail with `code` and print nothing else."""
        done = self.run(*arguments)
        assert done.returncode == code, done.stderr
        assert done.stderr.startswith("raf: ") and done.stderr.count("\n") == 1, done.stderr
        assert done.stdout == ""
        return done.stderr.strip()


@pytest.fixture(scope="session")
def cache(tmp_path_factory):
    """Compiled code, shared by the tests: few of them are about compiling it."""
    return tmp_path_factory.mktemp("cache")


@pytest.fixture
def raf(tmp_path, cache):
    return Raf(tmp_path, cache)


@pytest.fixture
def text(tmp_path):
    """A text of 20,000 bytes with something to learn: few words, in random order."""
    words = random.Random(1).choices(["in", "the", "beginning", "was", "word", "and", "light"], k=4500)
    path = tmp_path / "text.txt"
    path.write_text(" ".join(words)[:20000])
    return path


def steps_of(lines):
    """The lines of updates: the only ones with both `step` and `loss`."""
    return [line for line in lines if "step" in line and "loss" in line]


def tensors_of(checkpoint):
    """The bytes of every tensor file of a checkpoint."""
    return {path.name: path.read_bytes() for path in sorted(pathlib.Path(checkpoint).glob("*.safetensors"))}
