"""The package for OptunaHub: it loads as their registry loads it, and meets what they check."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

from zooadmm.integrations import optuna as integration

pytestmark = [pytest.mark.optuna]
REGISTRY = Path(__file__).parents[3] / "tools" / "optunahub"
PACKAGE = REGISTRY / "package" / "samplers" / "zooadmm"


def test_it_loads_as_a_module_of_the_registry() -> None:
    optunahub = pytest.importorskip("optunahub")
    module = optunahub.load_local_module("samplers/zooadmm", registry_root=f"{REGISTRY}/package")
    assert module.Sampler is integration.Sampler
    assert sorted(module.__all__) == sorted(integration.__all__)


def test_its_example_runs() -> None:
    pytest.importorskip("optunahub")
    command = [sys.executable, str(PACKAGE / "example.py")]
    run = subprocess.run(
        command, cwd=REGISTRY, env=os.environ, capture_output=True, text=True, timeout=300
    )
    assert run.returncode == 0, run.stderr
    assert run.stdout.strip() == "[0.95, -0.45, 0.0]"


def test_the_front_matter_is_what_the_registry_checks() -> None:
    yaml = pytest.importorskip("yaml")
    _, head, text = (PACKAGE / "README.md").read_text().split("---\n", 2)
    front = yaml.safe_load(head)
    for field in ("author", "title", "description", "license"):
        assert isinstance(front[field], str)
    for field in ("tags", "optuna_versions"):
        assert all(isinstance(value, str) for value in front[field])
    assert "sampler" in front["tags"]
    assert front["license"] == "MIT License"
    assert "MIT License" in (PACKAGE / "LICENSE").read_text()
    for heading in ("Abstract", "Class or Function Names", "Installation", "Example"):
        assert f"## {heading}\n" in text
    for name in integration.__all__:
        assert f"- {name}\n" in text
