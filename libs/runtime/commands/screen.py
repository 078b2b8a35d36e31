"""What people see of a command, and how it ends when it cannot go on."""

from __future__ import annotations

from typing import Any, NoReturn

import typer
from pydantic import ValidationError
from pydantic_settings import SettingsError
from rich.console import Console

from libs.runtime.settings import SecretsUnreadable, Settings, load_settings

console = Console(highlight=False, soft_wrap=True, markup=False)
complaints = Console(highlight=False, soft_wrap=True, markup=False, stderr=True)


def settings_given(**given: Any) -> Settings:
    """The settings, or the end of the command with the names of the variables that are wrong."""
    try:
        return load_settings(**given)
    except ValidationError as error:
        names = sorted({f"PRICKLE_{str(wrong['loc'][0]).upper()}" for wrong in error.errors()})
        fail(f"correct the value of {', '.join(names)}", code=2)
    except SecretsUnreadable as error:
        fail(str(error), code=2)
    except SettingsError:
        fail("give lists as JSON in PRICKLE_ALLOWED_HOSTS and PRICKLE_ALLOWED_ORIGINS", code=2)


def fail(sentence: str, code: int = 1) -> NoReturn:
    """End the command with a sentence."""
    complaints.print(f"prickle: {sentence}")
    raise typer.Exit(code)
