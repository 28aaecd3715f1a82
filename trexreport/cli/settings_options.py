"""Options that choose rules, configuration and GPU."""

from __future__ import annotations

from typing import Any

import click

from trexreport.cli.option_groups import option_group
from trexreport.errors import UsageError


def _make_settings(options: dict[str, Any]) -> None:
    from trexreport.configuration import Configuration, read_configuration
    from trexreport.pipeline.settings import SettingsOptions, make_settings

    config, isolated = options.pop("config"), options.pop("isolated")
    if config is not None and isolated:
        raise UsageError("--config and --isolated contradict each other.", "Give one of them.")
    capture, comparing = options.get("capture"), options.get("comparing")
    options["settings"] = make_settings(
        Configuration() if isolated else read_configuration(config),
        SettingsOptions(
            select=options.pop("select"),
            ignore=options.pop("ignore"),
            gpu=options.pop("gpu"),
            minimum_effect_percent=comparing.minimum_effect_percent if comparing else None,
            assumed_run_spread_percent=comparing.assumed_run_spread_percent if comparing else None,
            redaction=capture.redaction if capture else options.get("redaction"),
        ),
    )


#: Add the options of the settings; the command gets these as `settings`. It must stand below the options of
#: captures and comparisons, on which the settings depend.
settings_options = option_group(
    _make_settings,
    click.option(
        "--select",
        multiple=True,
        metavar="RULES",
        help="Run only these rules: codes, starts of codes, names or families, separated by commas. "
        "The savings then count only what these find.",
    ),
    click.option(
        "--ignore",
        multiple=True,
        metavar="RULES",
        help="Rules to leave out, instead of those in the configuration.",
    ),
    click.option(
        "--config", metavar="FILE", help="The configuration file, instead of the nearest trexreport.toml."
    ),
    click.option("--isolated", is_flag=True, help="Read no configuration."),
    click.option("--gpu", metavar="NAME", help="The GPU for the roofline, instead of the capture's own."),
)
