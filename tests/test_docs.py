"""The documentation points at things that exist: links to files, and `raf` options in the README's commands."""

import pathlib
import re
import subprocess

import pytest

ROOT = pathlib.Path(__file__).resolve().parent.parent
PAGES = [ROOT / name for name in subprocess.run(["git", "ls-files", "*.md"], cwd=ROOT, capture_output=True, text=True,
                                                check=True).stdout.split()]
RAF = ROOT / "build" / "bin" / "raf"


@pytest.mark.parametrize("page", PAGES, ids=lambda page: str(page.relative_to(ROOT)))
def test_links_lead_somewhere(page):
    """Every relative link of a page names a file or folder of the checkout."""
    text = re.sub(r"^```.*?^```", "", page.read_text(), flags=re.MULTILINE | re.DOTALL)
    targets = [target.split("#")[0] for target in re.findall(r"\]\(([^)\s]+)\)", text) if "://" not in target]
    missing = [target for target in targets if target and not (page.parent / target).exists()]
    assert not missing


def test_the_commands_of_the_readme_exist():
    """Every `build/bin/raf COMMAND --option` in the README is in that command's help."""
    lines = re.findall(r"^build/bin/raf (\w+)(.*)$", (ROOT / "README.md").read_text(), flags=re.MULTILINE)
    assert lines
    for command, rest in lines:
        done = subprocess.run([RAF, command, "--help"], capture_output=True, text=True)
        assert done.returncode == 0, command
        for option in re.findall(r"(?<!\S)--?[a-z][a-z-]*", rest):
            assert re.search(rf"{option}\b", done.stdout), f"raf {command} has no {option}"
