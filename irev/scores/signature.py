"""What makes a result reproducible: definitions, choices, and hashes of all inputs."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import field, replace
from functools import cache
from typing import TYPE_CHECKING, Any

from irev.core import __version__
from irev.core.option_records import Effect
from irev.core.record import record
from irev.core.text import as_bytes, as_text, parse_whole
from irev.options import Options
from irev.read.stream import sha256_of

if TYPE_CHECKING:
    from irev.scores.table import ScoreTable

SHORT_HASH = 8
"""How many hexadecimal digits of a hash the short form shows."""

_MOST_NAMES = 8
"""Up to so many measures are named in the short form; of more, their number and a hash."""

_SHOWN = {"class": "a class of topics", "format": "the format of the judgments"}

UNSIGNED = "unsigned"
"""What stands for a signature where nothing is known of how scores came about."""

_MORE_INPUTS = ("topics", "plugins", "zscores")
"""Further inputs of which a signature has the content, beside those of `Options`."""


@cache
def _short_names() -> Mapping[str, str]:
    """What options are called in the short form, where they have another name there."""
    return {
        name: each.opt.signature_name
        for name, each in Options.fields().items()
        if each.opt.signature_name
    }


@cache
def _signed_inputs(*effects: Effect) -> tuple[str, ...]:
    """The options of which a signature has the content, as a part of its own; all, or some."""
    opts = {name: each.opt for name, each in Options.fields().items() if each.opt.sign_content}
    return tuple(name for name, opt in opts.items() if not effects or opt.effect in effects)


_PART_TYPES: dict[str, type] = {
    "version": str, "measures": dict, "options": dict, "qrels": str, "run": str, "files": dict,
    "divisor": int, "seed": int, "dropped": int,
}  # fmt: skip


@record(eq=True)
class Signature:
    """What a result was made of, and how; what is not known is None or empty.

    version   irev's
    measures  printed name -> irev's own name, with all parameters that were named or set
    options   the choices by the names of `Options`, as plain values: `level`, `ties`, `topics`
              (a word, or "listed"), `no_relevant`, `compat`, `duplicates` and `format` (of the
              judgments) always, every other one where it is not at its default; `class` in the
              result for a class of topics
    qrels     SHA-256 of the judgments' decompressed bytes (behind a byte-order mark, if there is
              one), in hexadecimal; None for what was given in memory: it has no bytes
    run       likewise
    files     likewise, for each further input there is: `intents`, `pool`, `classes`, `weights`;
              for `topics` that were listed the hash of the distinct ids in byte order, each with a
              newline behind it; for `plugins` that of the files with the users' measures that are
              among these, one after the other; `zscores`
    divisor   how many topics the means divide by
    seed      of the draws, where anything was drawn
    dropped   how many repeated lines of the run were left out (`duplicates` is "first" or "last")
    """

    version: str | None = None
    measures: Mapping[str, str] = field(default_factory=dict)
    options: Mapping[str, Any] = field(default_factory=dict)
    qrels: str | None = None
    run: str | None = None
    files: Mapping[str, str | None] = field(default_factory=dict)
    divisor: int | None = None
    seed: int | None = None
    dropped: int = 0

    @property
    def short(self) -> str:
        """One line: `irev:0.3.0|m:map,P_5|q:3f2a91c0|r:9b21c2d3|t:qrels/50|l:1|ties:docid-desc`.

        Keys: `irev` version, `m` measures (of more than 8 their number and a hash: `128@5f0ce1aa`),
        `q` judgments, `r` run (the first 8 digits of their hashes; `-` for what has none), `t`
        choice of topics and divisor, `l` level, `ties`; then, where they are not at the default,
        `norel`, `compat`, `dup` (with the number of lines left out) and any other option by its
        name; the further inputs by their names; `seed` where anything was drawn.
        """
        return self._short_form()

    @property
    def brief(self) -> str:
        """The version, and 8 digits for all else that `short` says, for people."""
        return f"irev:{self.version or '?'}@{_digest_of_line(self.short)}"

    @property
    def short_without_run(self) -> str:
        """The short form without the run's hash: the same for the runs of one evaluation."""
        return self._short_form(left_out=("r",))

    def _short_form(self, left_out: Sequence[str] = ()) -> str:
        options = dict(self.options)
        topics, level, ties = (options.pop(name, "?") for name in ("topics", "level", "ties"))
        divisor = "?" if self.divisor is None else self.divisor
        measures = ",".join(self.measures) or "-"
        if len(self.measures) > _MOST_NAMES:
            lines = "".join(f"{name}={text}\n" for name, text in self.measures.items())
            digest = sha256_of(as_bytes(lines))
            measures = f"{len(self.measures)}@{digest[:SHORT_HASH]}"
        parts = [
            ("irev", self.version or "?"),
            ("m", measures),
            ("q", _short_digest(self.qrels)),
            ("r", _short_digest(self.run)),
            ("t", f"{topics}/{divisor}"),
            ("l", level),
            ("ties", ties),
        ]
        for name, value in options.items():
            if value != _default_value(name):
                more = f"/{self.dropped}" if name == "duplicates" else ""
                parts.append((_short_names().get(name, name), f"{_line_text(value)}{more}"))
        parts += [(name, _short_digest(digest)) for name, digest in self.files.items()]
        if self.seed is not None:
            parts.append(("seed", self.seed))
        return "|".join(f"{name}:{value}" for name, value in parts if name not in left_out)

    @property
    def long(self) -> dict[str, Any]:
        """All parts, as JSON has them; `from_long` is the way back."""
        return {
            "irev": self.version,
            "measures": dict(self.measures),
            "options": dict(self.options),
            "qrels": self.qrels,
            "run": self.run,
            "files": dict(self.files),
            "divisor": self.divisor,
            "seed": self.seed,
            "dropped": self.dropped,
        }

    def has_option(self, name: str, value: Any) -> bool:
        """Whether an option had this value, as `options_part` has it; a short form holds texts."""
        return _line_text(self.options.get(name, _default_value(name))) == _line_text(value)

    @classmethod
    def from_long(cls, parts: Mapping[str, Any]) -> Signature:
        """The signature with these parts; those missing are not known, others are not looked at."""
        known_parts: dict[str, Any] = {}
        for name, kind in _PART_TYPES.items():
            key = "irev" if name == "version" else name
            value = parts.get(key)
            if value is None:
                continue
            if not isinstance(value, kind) or isinstance(value, bool):
                raise ValueError(f"the part '{key}' of the signature is not a {kind.__name__}")
            known_parts[name] = value
        for name in ("measures", "files"):
            if any(not isinstance(text, str | None) for text in known_parts.get(name, {}).values()):
                raise ValueError(
                    f"the part '{name}' of the signature holds something that is not text"
                )
        return cls(**known_parts)

    @classmethod
    def from_short(cls, line: str) -> Signature:
        """What a short form tells: hashes as their first digits, options as text, no measures."""
        parts = dict(part.partition(":")[::2] for part in line.split("|"))
        options: dict[str, Any] = {}
        files: dict[str, str | None] = {}
        names = {short: name for name, short in _short_names().items()}
        digests = {key: None if text == "-" else text for key, text in parts.items()}
        for key, text in parts.items():
            if key in (*_signed_inputs(), *_MORE_INPUTS):
                files[key] = digests[key]
            elif key not in ("irev", "m", "q", "r", "seed"):
                name = names.get(key, key)
                options[name] = text.partition("/")[0] if key in ("t", "dup") else text
        return cls(
            version=parts.get("irev"),
            options=options,
            qrels=digests.get("q"),
            run=digests.get("r"),
            files=files,
            seed=parse_whole(parts.get("seed", "")),
        )


def _digest_of_line(line: str) -> str:
    """Of all but the version: what another version makes in the same way has the same digits."""
    return sha256_of(as_bytes(line.partition("|")[2]))[:SHORT_HASH]


@record(eq=True)
class ComparisonSignature:
    """The signature of a comparison.

    shared  what all scores have in common, as far as it is known
    runs    the names of the runs, each with the hash of the run, or of the saved scores that do not
            tell it; None for what was in memory
    choices the choices of the comparison by name
    """

    shared: Signature
    runs: dict[str, str | None]
    choices: dict[str, Any]

    @property
    def short(self) -> str:
        """One line: the scores' signature, `runs` with their number, and the choices."""
        lines = "".join(f"{name}={digest or '-'}\n" for name, digest in self.runs.items())
        digest = sha256_of(as_bytes(lines))
        parts = [self.shared.short, f"runs:{len(self.runs)}@{digest[:SHORT_HASH]}"]
        for name, value in self.choices.items():
            if isinstance(value, dict):
                text = ",".join(f"{key}={each}" for key, each in value.items()) or "-"
            elif isinstance(value, list):
                text = ",".join(map(str, value)) or "-"
            else:
                text = "-" if value is None else str(value)
            parts.append(f"{name}:{text}")
        return "|".join(parts)

    @property
    def is_signed(self) -> bool:
        """Whether it is known how the scores came about, or which files they were read from."""
        return bool(self.shared.options) or any(self.runs.values())

    @property
    def digest(self) -> str:
        """The first 8 hexadecimal digits of the SHA-256 of `short` behind the version."""
        return _digest_of_line(self.short)

    @property
    def brief(self) -> str:
        """The version and the digest, for people: `irev:0.3.0@1c9e04a7`; or "unsigned"."""
        return f"irev:{self.shared.version or '?'}@{self.digest}" if self.is_signed else UNSIGNED

    @property
    def long(self) -> dict[str, Any]:
        """All parts, as JSON has them."""
        return {"scores": self.shared.long, "runs": self.runs, "comparison": self.choices}


def brief_form(short_forms: Sequence[str]) -> str:
    """One brief form of several short ones: of a single one its own; empty where there is none."""
    if not short_forms:
        return ""
    version, rests = "", []
    for each in short_forms:
        version, bar, rest = each.partition("|")
        rests.append(rest)
    return f"{version}@{_digest_of_line(bar + chr(10).join(rests))}"


def comparison_signature(table: ScoreTable, choices: dict[str, Any]) -> ComparisonSignature:
    """The signature of anything that was made of the runs of some matrices."""
    signatures = [entry.signature for entry in table.runs if entry.signature is not None]
    first = signatures[0] if signatures else Signature()
    texts = {c.name: first.measures.get(c.name, c.canonical or c.name) for c in table.columns}
    # in their own order, whatever that of the names was
    measures = {name: texts[name] for name in (*first.measures, *texts) if name in texts}
    shared = replace(
        first,
        version=__version__,
        measures=measures,
        run=None,
        seed=None,
        divisor=len(table.topics),
        dropped=sum(entry.duplicates for entry in table.runs),
    )
    # by name, in whichever order they stand
    entries = sorted(table.runs, key=lambda entry: entry.name)
    runs = {e.name: (e.signature and e.signature.run) or e.sha256 for e in entries}
    ranges = [
        f"{c.name}={c.bounds[0]:g},{c.bounds[1]:g}" for c in table.columns if c.bounds is not None
    ]
    choices = {**choices, **({"bounds": ranges} if ranges else {})}
    return ComparisonSignature(shared, runs, choices)


def contradictions(one: Signature, other: Signature, *, means: bool = True) -> list[str]:
    """Why two results must not be compared as if they were of one kind, a phrase for each reason.

    Looked at is all that defines a value and is known in both: the definitions of the measures
    they share, the options, the judgments and further inputs, the seed; not the run nor the
    version. Where `means` are compared, not values topic by topic, also the choice of topics, the
    divisor, the weights and the class of topics.
    """
    reasons = [
        f"{name} is {one.measures[name]} in one and {other.measures[name]} in the other"
        for name in one.measures
        if name in other.measures and one.measures[name] != other.measures[name]
    ]
    if one.options and other.options:
        effects = ("reading",) if means else ("reading", "means")
        left_out = {n for n, each in Options.fields().items() if each.opt.effect in effects}
        if not means:
            left_out.add("class")
        for name in sorted({*one.options, *other.options} - left_out):
            # a short form holds texts
            texts = [
                _line_text(each.options.get(name, _default_value(name))) for each in (one, other)
            ]
            if texts[0] != texts[1]:
                noun = _SHOWN.get(name, f"the option {name}")
                reasons.append(f"{noun} is {texts[0]} in one and {texts[1]} in the other")
    reasons += _different_inputs(one, other, means=means)
    for name in ("divisor", "seed") if means else ("seed",):
        mine, theirs = getattr(one, name), getattr(other, name)
        if None not in (mine, theirs) and mine != theirs:
            reasons.append(f"the {name} is {mine} in one and {theirs} in the other")
    return reasons


def _different_inputs(one: Signature, other: Signature, *, means: bool) -> list[str]:
    """The inputs that differ, but for the runs."""
    names = [*_signed_inputs("values"), "plugins", "zscores"]
    if means:
        names += ["topics", *_signed_inputs("means")]
        if "class" not in one.options or "class" not in other.options:
            names.remove("classes")
    inputs = {name: (one.files.get(name), other.files.get(name)) for name in names}
    reasons = [
        f"the {name} differ: {_short_digest(mine)} in one and {_short_digest(theirs)} in the other"
        for name, (mine, theirs) in {"qrels": (one.qrels, other.qrels), **inputs}.items()
        # as far as both go: a short form has them cut
        if mine is not None and theirs is not None and mine[: len(theirs)] != theirs[: len(mine)]
    ]
    if one.options and other.options:
        alone = [n for n in names if n != "topics" and (n in one.files) != (n in other.files)]
        reasons += [f"only one was made with {name}" for name in alone]
    return reasons


def options_part(options: Options, qrels_format: str) -> dict[str, Any]:
    """The part `options` of a signature, given the format of the judgments."""
    values = {name: getattr(options, name) for name in Options.fields()}
    values["ties"] = options.ties or (
        "docid-asc" if options.ranking_rule(qrels_format).ids_rising else "docid-desc"
    )
    if not isinstance(options.topics, str):
        values["topics"] = "listed"
    opts = {name: each.opt for name, each in Options.fields().items()}
    # some are named whether or not they are at their defaults
    always = [name for name, opt in opts.items() if opt.signature_order]
    always.sort(key=lambda name: opts[name].signature_order)
    part = {name: _json_value(values[name]) for name in always}
    part["format"] = qrels_format
    for name, opt in opts.items():
        is_elsewhere = opt.sign_content or opt.effect in ("draws", "nothing")
        value = _json_value(values[name])
        if name not in part and not is_elsewhere and value != _default_value(name):
            part[name] = value
    return part


def hash_of_topics(topics: Any) -> str:
    """The hash of a list of topics, given as bytes or as strings."""
    ids = set(map(as_bytes, topics))
    return sha256_of(b"".join(topic + b"\n" for topic in sorted(ids)))


def _default_value(name: str) -> Any:
    """What an option is where nothing was said, as a plain value; None for what is no option."""
    if name == "format":
        return "qrels"
    return _json_value(getattr(Options, name, None))


def _json_value(value: Any) -> Any:
    """A value as JSON has it, so that a signature stays the same on its way through a file."""
    if isinstance(value, bytes):
        return as_text(value)
    if isinstance(value, Mapping):
        return {str(key): _json_value(each) for key, each in value.items()}
    if isinstance(value, list | tuple):
        return [_json_value(each) for each in value]
    return value


def _line_text(value: Any) -> str:
    """A plain value in a line of text."""
    if isinstance(value, Mapping):
        return ",".join(f"{key}={_line_text(each)}" for key, each in value.items())
    if isinstance(value, list):
        return ",".join(
            "=".join(map(_line_text, each)) if isinstance(each, list) else _line_text(each)
            for each in value
        )
    return "not given" if value is None else str(value)


def _short_digest(digest: str | None) -> str:
    return "-" if digest is None else digest[:SHORT_HASH]
