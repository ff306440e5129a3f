"""Command line: generate, bench, sweep, compare, convert, train.  `python -m blockbatch --help`."""

from __future__ import annotations

import argparse
import io
import os
import sys
from collections.abc import Sequence
from pathlib import Path

from blockbatch import bench
from blockbatch.bench import sweep_command
from blockbatch.config import DECODERS, VARIANTS, BaselineConfig, Config, DecodeConfig
from blockbatch.errors import BlockBatchError, PromptError, TraceError
from blockbatch.options import add_model, add_settings, check_writable, given, sizes
from blockbatch.trace import Trace


def main(arguments: Sequence[str] | None = None) -> int:
    """Run a command; 0 where it worked, 2 with one sentence on standard error where the input was at fault."""
    parsed = parser().parse_args(arguments)
    if isinstance(sys.stdout, io.TextIOWrapper):  # what a terminal or pipe cannot show is spelled out
        sys.stdout.reconfigure(errors="backslashreplace")
    try:
        done = int(parsed.command(parsed))
        sys.stdout.flush()
        return done
    except BlockBatchError as error:
        print(f"blockbatch: {error}", file=sys.stderr)
        return 2
    except BrokenPipeError:  # whoever read has enough, as `head` has
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())  # nothing is left to fail at exit
        return 1
    except KeyboardInterrupt:
        print("blockbatch: stopped.", file=sys.stderr)
        return 130


def parser() -> argparse.ArgumentParser:
    """The commands and their options."""
    top = argparse.ArgumentParser(prog="python -m blockbatch", description=__doc__.split(".")[0] + ".")
    commands = top.add_subparsers(required=True, metavar="COMMAND")
    _add_generate(commands.add_parser("generate", help="decode one prompt and print its answer"))
    bench.add_arguments(commands.add_parser("bench", help="compare decoders on held-out prompts"))
    sweep_command.add_arguments(commands.add_parser("sweep", help="vary one parameter of a decoder, or two"))
    _add_compare(commands.add_parser("compare", help="compare two recorded runs of one prompt"))
    _add_convert(commands.add_parser("convert", help="write recorded runs in another format"))
    _add_train(commands.add_parser("train", help="train the embedded model"))
    return top


def _add_generate(command: argparse.ArgumentParser) -> None:
    command.add_argument("prompt", help="what to ask; - reads standard input")
    command.add_argument("--trace", type=Path, metavar="FILE", help="save the recorded run as NDJSON")
    command.add_argument("--decoder", choices=DECODERS, default="paper", help="default: %(default)s")
    command.add_argument(
        "--branches",
        type=sizes,
        dest="block_sizes",
        metavar="SIZES",
        help="block sizes of the BlockBatch branches, such as 4,8,32 (default: those of the preset)",
    )
    command.add_argument("--block-size", type=int, help="of a fixed-size decoder (default: 32)")
    command.add_argument("--stop-at-eos", action=argparse.BooleanOptionalAction, help="of a fixed-size decoder")
    add_settings(command)
    add_model(command)
    command.set_defaults(command=_generate)


def _add_compare(command: argparse.ArgumentParser) -> None:
    for name in ("a", "b"):
        command.add_argument(name, type=Path, metavar=f"{name}.ndjson", help="a recorded run of the prompt")
    command.set_defaults(command=_compare)


def _add_convert(command: argparse.ArgumentParser) -> None:
    command.add_argument("traces", type=Path, nargs="+", metavar="TRACE", help="NDJSON; several are shown together")
    command.add_argument("--to", choices=("chrome",), required=True, help="chrome: opens in Perfetto")
    command.add_argument("--out", type=Path, metavar="FILE", help="default: standard output")
    command.set_defaults(command=_convert)


def _add_train(command: argparse.ArgumentParser) -> None:
    from blockbatch import training

    training.add_arguments(command)
    command.set_defaults(command=training.run)


def _generate(arguments: argparse.Namespace) -> int:
    from blockbatch.models import load_model
    from blockbatch.run import Run

    config = _config(arguments)
    if arguments.trace:
        check_writable(arguments.trace)
    prompt = _standard_input() if arguments.prompt == "-" else arguments.prompt
    model = load_model(arguments.model, arguments.device, arguments.dtype)
    if model.caution:
        print(f"blockbatch: {model.caution}", file=sys.stderr)
    run = Run(model, prompt, config)
    for _ in run:
        pass
    if os.environ.get("RANK", "0") != "0":  # under torchrun the first process speaks for all
        return 0
    if arguments.trace:
        run.trace.save(arguments.trace)
    end = run.trace.end
    assert end is not None, "a run that was iterated to its end has one"
    print(end.text)
    kinds = f"{end.totals.init} init, {end.totals.denoise} denoise, {end.totals.refresh} refresh"
    if end.totals.ahead:
        kinds += f"; {end.totals.ahead} steps more were computed ahead"
    print(f"{end.totals.forwards} forwards ({kinds}); answer of branch {end.winner}; {end.stop}", file=sys.stderr)
    return 0


def _standard_input() -> str:
    try:
        return sys.stdin.read() if sys.stdin else ""  # it may be closed
    except UnicodeDecodeError as error:
        raise PromptError(
            f"Standard input is not {error.encoding} text (byte {error.start}); give the prompt in that encoding."
        ) from None


def _config(arguments: argparse.Namespace) -> Config:
    """The config that the options describe; an option that the decoder does not know is an error, not ignored."""
    if arguments.decoder in VARIANTS:
        return DecodeConfig.preset(arguments.decoder, **given(arguments))
    return BaselineConfig.make(arguments.decoder, **given(arguments))


def _compare(arguments: argparse.Namespace) -> int:
    from blockbatch.comparing import compare, described

    print(described(compare(_recorded(arguments.a), _recorded(arguments.b))))
    return 0


def _convert(arguments: argparse.Namespace) -> int:
    from blockbatch.chrome import chrome_json

    if arguments.out:
        check_writable(arguments.out)
    text = chrome_json([_recorded(path) for path in arguments.traces])
    if arguments.out:
        arguments.out.write_text(text + "\n", encoding="utf-8")
    else:
        if isinstance(sys.stdout, io.TextIOWrapper):  # JSON is UTF-8, whatever the terminal speaks
            sys.stdout.reconfigure(encoding="utf-8")
        print(text)
    return 0


def _recorded(path: Path) -> Trace:
    """The run in the file; what is wrong with it is said with its name, for there are several."""
    from blockbatch.reading import load_trace

    try:
        return load_trace(path)
    except TraceError as error:
        raise TraceError(f"{path}: {error}") from None


if __name__ == "__main__":
    sys.exit(main())
