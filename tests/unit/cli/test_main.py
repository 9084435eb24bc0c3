import json
import warnings

import click
import pytest
from click.testing import CliRunner

from heapscene.cli.main import CommandLine, cli
from heapscene.cli.output import warnings_shown
from heapscene.errors import LoadError


@pytest.fixture
def run():
    def run(*arguments, group=cli):
        return CliRunner().invoke(group, list(arguments))

    return run


def group_that(failure):
    @click.group(cls=CommandLine)
    def group():
        pass

    @group.command()
    @click.option("--json", "as_json", is_flag=True)
    def act(as_json):
        raise failure

    return group


def test_help_names_the_commands(run):
    result = run("--help")
    assert result.exit_code == 0
    for name in ("demo", "render", "doctor"):
        assert name in result.stdout


def test_version(run):
    from heapscene import __version__

    result = run("--version")
    assert (result.exit_code, result.stdout) == (0, f"heapscene, version {__version__}\n")


@pytest.mark.parametrize(
    "arguments",
    [
        (),
        ("paint",),
        ("render",),
        ("render", "a.glb"),
        ("render", "a.glb", "-o", "a.png", "--size", "12"),
        ("render", "a.glb", "-o", "a.png", "--size", "0x5"),
        ("render", "a.glb", "-o", "a.png", "--samples", "2"),
        ("render", "a.glb", "-o", "a.png", "--encoding", "fast"),
        ("render", "a.glb", "-o", "a.png", "--page-bytes", "-1"),
        ("render", "a.glb", "-o", "a.png", "--background", "no such colour"),
        ("demo", "--objects", "0"),
        ("doctor", "--verbose"),
    ],
)
@pytest.mark.parametrize("as_json", [False, True])
def test_wrong_usage_is_2(run, arguments, as_json):
    if as_json and not arguments:
        pytest.skip("without a command there is nothing to say in JSON")
    result = run(*arguments, *(["--json"] if as_json else []))
    assert result.exit_code == 2
    assert "Traceback" not in result.output
    if as_json:
        assert set(json.loads(result.stdout)) == {"error"}
    else:
        assert result.stdout == ""
        assert result.stderr


@pytest.mark.parametrize(
    ("failure", "said"),
    [
        (LoadError("a.glb is cut off"), "a.glb is cut off"),
        (OSError(28, "No space left on device"), "[Errno 28] No space left on device"),
        (KeyboardInterrupt(), "interrupted"),
        (click.Abort(), "interrupted"),
        (KeyError("x"), "unexpected KeyError: 'x'\nPlease report this command."),
    ],
)
def test_failures_are_1_and_never_a_traceback(run, failure, said):
    group = group_that(failure)
    result = run("act", group=group)
    assert (result.exit_code, result.stdout) == (1, "")
    assert result.stderr.lstrip() == f"error: {said}\n"
    result = run("act", "--json", group=group)
    assert (result.exit_code, result.stderr.strip()) == (1, "")
    assert json.loads(result.stdout) == {"error": said}


def test_warnings_are_one_line_each_on_standard_error(capsys):
    with warnings_shown() as caught:
        warnings.warn("a.glb: not drawn yet:\n  1 skin", UserWarning, stacklevel=1)
        warnings.warn("for programmers", DeprecationWarning, stacklevel=1)
        warnings.warn("again", UserWarning, stacklevel=1)
    assert caught == ["a.glb: not drawn yet: 1 skin", "again"]
    written = capsys.readouterr()
    assert written.out == ""
    assert written.err == "warning: a.glb: not drawn yet: 1 skin\nwarning: again\n"
    with pytest.raises(UserWarning):
        warnings.warn("outside", UserWarning, stacklevel=1)
