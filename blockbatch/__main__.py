"""Command line: generate, compare decoders, convert traces, train a model.  `python -m blockbatch --help`."""

from __future__ import annotations

import argparse
import json
import os
import sys
from collections.abc import Iterable, Sequence
from dataclasses import asdict, fields
from pathlib import Path
from typing import Any

from blockbatch.config import BASELINES, DECODERS, DEFAULT_BLOCK_SIZES, VARIANTS, BaselineConfig, Config, DecodeConfig
from blockbatch.errors import BlockBatchError

EMBEDDED = Path(__file__).parents[1] / "assets" / "tiny"


def main(arguments: Sequence[str] | None = None) -> int:
    """Run a command; 0 where it worked, 2 with one sentence on standard error where the input was at fault."""
    parsed = parser().parse_args(arguments)
    try:
        return int(parsed.command(parsed))
    except BlockBatchError as error:
        print(f"blockbatch: {error}", file=sys.stderr)
        return 2
    except KeyboardInterrupt:
        print("blockbatch: stopped.", file=sys.stderr)
        return 130


def parser() -> argparse.ArgumentParser:
    """The commands and their options."""
    top = argparse.ArgumentParser(prog="python -m blockbatch", description=__doc__.split(".")[0] + ".")
    commands = top.add_subparsers(required=True, metavar="COMMAND")
    _add_generate(commands.add_parser("generate", help="decode one prompt and print its answer"))
    _add_bench(commands.add_parser("bench", help="compare decoders on held-out prompts"))
    _add_convert(commands.add_parser("convert", help="write recorded runs in another format"))
    _add_train(commands.add_parser("train", help="train the embedded model"))
    return top


def _add_generate(command: argparse.ArgumentParser) -> None:
    command.add_argument("prompt", help="what to ask; - reads standard input")
    command.add_argument("--trace", type=Path, metavar="FILE", help="save the recorded run as NDJSON")
    command.add_argument("--decoder", choices=DECODERS, default="paper", help="default: %(default)s")
    command.add_argument("--branches", type=_sizes, default=DEFAULT_BLOCK_SIZES, metavar="SIZES", help=BRANCHES_HELP)
    command.add_argument("--block-size", type=int, default=32, help="of a fixed-size decoder (default: %(default)s)")
    command.add_argument("--gen-length", type=int, default=128, help="positions to fill (default: %(default)s)")
    for name in ("commit-threshold", "merge-threshold", "temperature"):
        command.add_argument(f"--{name}", type=float)
    for name in ("sync-threshold", "refresh-interval", "seed"):
        command.add_argument(f"--{name}", type=int)
    command.add_argument("--refresh", choices=("interval", "divergence", "never"))
    _add_model(command)
    command.set_defaults(command=_generate)


def _add_bench(command: argparse.ArgumentParser) -> None:
    from blockbatch import forward_bench
    from blockbatch.tasks import FAMILIES

    command.add_argument("--decoder", choices=DECODERS, action="append", help="repeat for several (default: all)")
    command.add_argument("--family", choices=FAMILIES, action="append", help="repeat for several (default: all)")
    command.add_argument("--limit", type=_positive, default=20, help="prompts a family (default: %(default)s)")
    command.add_argument(
        "--block-sizes", type=_sizes, default=(32,), metavar="SIZES", help="of the fixed-size decoders"
    )
    command.add_argument("--branches", type=_sizes, default=DEFAULT_BLOCK_SIZES, metavar="SIZES", help=BRANCHES_HELP)
    command.add_argument("--gen-length", type=int, default=128, help="positions to fill (default: %(default)s)")
    command.add_argument("--json", type=Path, metavar="FILE", help="write the rows as a JSON list")
    command.add_argument("--shape", choices=forward_bench.SHAPES, help="instead time forwards of random weights")
    _add_model(command)
    command.set_defaults(command=_bench)


def _add_convert(command: argparse.ArgumentParser) -> None:
    command.add_argument("traces", type=Path, nargs="+", metavar="TRACE", help="NDJSON; several are shown together")
    command.add_argument("--to", choices=("chrome",), required=True, help="chrome: opens in Perfetto")
    command.add_argument("--out", type=Path, metavar="FILE", help="default: standard output")
    command.set_defaults(command=_convert)


def _add_train(command: argparse.ArgumentParser) -> None:
    from blockbatch import training

    training.add_arguments(command)
    command.set_defaults(command=training.run)


SETTINGS = {field.name for field in fields(DecodeConfig)}
DEVICE_HELP = "cpu, cuda, auto (layers over all devices) or tensor-parallel (under torchrun); default: %(default)s"
DTYPE_HELP = "default: bfloat16 on cuda, float32 elsewhere"
BRANCHES_HELP = "block sizes of the BlockBatch branches, such as 4,8,32"


def _add_model(command: argparse.ArgumentParser) -> None:
    command.add_argument("--model", default=str(EMBEDDED), help="folder or hub id (default: the embedded model)")
    command.add_argument("--device", default="cpu", help=DEVICE_HELP)
    command.add_argument("--dtype", choices=("float32", "bfloat16", "float16"), help=DTYPE_HELP)


def _generate(arguments: argparse.Namespace) -> int:
    from blockbatch.models import load_model
    from blockbatch.run import Run

    config = _config(arguments)
    if arguments.trace:
        _check_writable(arguments.trace)
    prompt = sys.stdin.read() if arguments.prompt == "-" else arguments.prompt
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
    print(f"{end.totals.forwards} forwards ({kinds}); answer of branch {end.winner}; {end.stop}", file=sys.stderr)
    return 0


def _config(arguments: argparse.Namespace) -> Config:
    """The config that the options describe; an option that the decoder does not know is an error, not ignored."""
    given: dict[str, Any] = {
        name: value for name, value in vars(arguments).items() if name in SETTINGS and value is not None
    }
    if arguments.decoder in VARIANTS:
        return DecodeConfig.preset(arguments.decoder, block_sizes=arguments.branches, **given)
    return BaselineConfig.make(arguments.decoder, block_size=arguments.block_size, **given)


def _bench(arguments: argparse.Namespace) -> int:
    from blockbatch import forward_bench
    from blockbatch.bench import bench, configs, table
    from blockbatch.models import load_model
    from blockbatch.tasks import FAMILIES

    if arguments.shape:
        print(forward_bench.report(arguments.shape, arguments.device, arguments.dtype))
        return 0
    decoders = arguments.decoder or (*BASELINES, *VARIANTS)
    wanted = configs(decoders, arguments.block_sizes, arguments.branches, arguments.gen_length)
    if arguments.json:
        _check_writable(arguments.json)
    model = load_model(arguments.model, arguments.device, arguments.dtype)
    rows = list(bench(model, arguments.family or FAMILIES, wanted, arguments.limit, _progress))
    if arguments.json:
        arguments.json.write_text(json.dumps([asdict(row) for row in rows], indent=1) + "\n", encoding="utf-8")
    print(table(rows))
    return 0


def _convert(arguments: argparse.Namespace) -> int:
    from blockbatch.chrome import chrome_json
    from blockbatch.reading import load_trace

    if arguments.out:
        _check_writable(arguments.out)
    text = chrome_json([load_trace(path) for path in arguments.traces])
    if arguments.out:
        arguments.out.write_text(text + "\n", encoding="utf-8")
    else:
        print(text)
    return 0


def _progress(items: Iterable[Any], label: str) -> Iterable[Any]:
    from tqdm import tqdm

    bar: Iterable[Any] = tqdm(items, desc=label, file=sys.stderr, dynamic_ncols=True)
    return bar


def _check_writable(path: Path) -> None:
    """Fail before the work is done, not after it."""
    if path.is_dir() or not os.access(path.parent, os.W_OK):
        raise BlockBatchError(
            f"{path} cannot be written; give a file in a folder that exists and is yours to write to."
        )


def _sizes(text: str) -> tuple[int, ...]:
    try:
        return tuple(int(part) for part in text.split(","))
    except ValueError:
        raise argparse.ArgumentTypeError(f"{text!r} is not a list of block sizes such as 4,8,32") from None


def _positive(text: str) -> int:
    if not text.isdigit() or int(text) < 1:
        raise argparse.ArgumentTypeError(f"{text!r} is not a whole number from 1 on")
    return int(text)


if __name__ == "__main__":
    sys.exit(main())
