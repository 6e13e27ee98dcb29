"""``tf.app``: command line flags and ``run``."""

from __future__ import annotations

import enum
import sys
from collections.abc import Callable, Iterator, Sequence
from typing import Any

from twinflow._src.dispatch.docstrings import documented_like


class Error(Exception):
    """Base class of flag errors."""


class UnrecognizedFlagError(Error):
    """Unknown flag."""


class IllegalFlagValueError(Error):
    """Invalid value of a flag."""


class ValidationError(Error):
    """A validator of flags refused their values."""


class Flag:
    """Command line flag.

    Args:
        name: Its name.
        default: Its default value.
        parse: Converts a string to a value.
        help: Its description.
        plain: True if it takes a value; a boolean flag is set by its name alone.
        several: True if it may be repeated; its value is a list.
    """

    def __init__(
        self,
        name: str,
        default: Any,
        parse: Callable[[str], Any],
        help: str,
        plain: bool = True,
        several: bool = False,
    ) -> None:
        self.name, self.default, self.value, self.help = name, default, default, help
        self.plain, self.several, self.present = plain, several, 0
        self._parse = parse
        self.checks: list[Callable[[], None]] = []

    def take(self, text: str) -> None:
        """Sets the value from a string of the command line.

        Raises:
            IllegalFlagValueError: The string is not a valid value.
        """
        value = self._parsed(text)
        self.value = (
            [*self.value, value]
            if self.several and self.present
            else [value]
            if self.several
            else value
        )
        self.present += 1

    def set_default(self, value: Any) -> None:
        """Sets the default value, which is the value until another one is given.

        Raises:
            IllegalFlagValueError: The value is not valid.
        """
        self.default = None if value is None else self._parsed(value)
        if not self.present:
            self.value = self.default

    def _parsed(self, value: Any) -> Any:
        try:
            return self._parse(value)
        except ValueError as error:
            raise IllegalFlagValueError(f"flag --{self.name}={value}: {error}") from error


class FlagValues:
    """All flags of a program; the command line is parsed on first access to a value."""

    def __init__(self) -> None:
        self.__dict__.update(_flags={}, _parsed=False)

    def _add(self, flag: Flag) -> Flag:
        self._flags[flag.name] = flag
        return flag

    def __call__(self, argv: Sequence[str], known_only: bool = False) -> list[str]:
        """Parses a command line.

        Args:
            argv: The program name and its arguments.
            known_only: If True, unknown flags are returned instead of raising an error.

        Returns:
            The program name and the remaining arguments.

        Raises:
            UnrecognizedFlagError: A flag is unknown.
        """
        left, words = list(argv[:1]), iter(argv[1:])
        for word in words:
            if word == "--":
                break
            if not (word.startswith("-") and len(word) > 1 and self._took(word, words)):
                if word.startswith("--") and not known_only:
                    raise UnrecognizedFlagError(
                        f"Unknown command line flag '{word.lstrip('-').partition('=')[0]}'"
                    )
                left.append(word)
        self.__dict__["_parsed"] = True
        self._check(*self._flags.values())
        return [*left, *words]

    def _check(self, *flags: Flag) -> None:
        """Calls the validators of some flags, each once."""
        for check in dict.fromkeys(check for flag in flags for check in flag.checks):
            check()

    def _took(self, word: str, words: Iterator[str]) -> bool:
        name, sign, text = word.lstrip("-").partition("=")
        off = name.removeprefix("no")
        if (
            name not in self._flags
            and off != name
            and off in self._flags
            and not self._flags[off].plain
        ):
            name, sign, text = off, "=", "false"
        flag = self._flags.get(name.replace("-", "_"))
        if flag is None:
            return False
        flag.take(text if sign else "true" if not flag.plain else next(words, ""))
        return True

    def __getattr__(self, name: str) -> Any:
        if name not in self._flags:
            raise AttributeError(name)
        if not self._parsed:
            self(sys.argv)
        return self._flags[name].value

    def __setattr__(self, name: str, value: Any) -> None:
        if name not in self._flags:
            raise AttributeError(f"No flag --{name} is known.")
        flag = self._flags[name]
        before, flag.value = flag.value, value
        try:
            self._check(flag)
        except IllegalFlagValueError:
            flag.value = before
            raise

    def __getitem__(self, name: str) -> Flag:
        return self._flags[name]

    def __contains__(self, name: str) -> bool:
        return name in self._flags

    def __iter__(self) -> Iterator[str]:
        return iter(sorted(self._flags))

    def is_parsed(self) -> bool:
        """Returns True if a command line has been parsed."""
        return bool(self._parsed)

    def mark_as_parsed(self) -> None:
        """Allows access to values without parsing a command line."""
        self.__dict__["_parsed"] = True

    def flag_values_dict(self) -> dict[str, Any]:
        """Returns the values by name."""
        return {name: flag.value for name, flag in self._flags.items()}


FLAGS = FlagValues()


# ------------------------------------------------------------------ flag types


def _truth(text: str) -> bool:
    if text.lower() in ("true", "t", "1"):
        return True
    if text.lower() in ("false", "f", "0"):
        return False
    raise ValueError(f"Non-boolean argument to boolean flag: {text}")


def _words(text: str) -> list[str]:
    return [word.strip() for word in text.split(",")] if text else []


def _defining(
    parse: Callable[[str], Any], plain: bool = True, several: bool = False
) -> Callable[..., Flag]:
    def define(name: str, default: Any, help: str, **kwargs: Any) -> Flag:
        first = parse(default) if isinstance(default, str) and not several else default
        return FLAGS._add(Flag(name, first, parse, help, plain, several))

    define.__doc__ = "Makes a flag.\n\nArgs:\n    name: Its name.\n    default: Its value at first.\n    help: What it is for."
    return define


def _defining_number(kind: Callable[[str], Any], noun: str) -> Callable[..., Flag]:
    def define(
        name: str,
        default: Any,
        help: str,
        lower_bound: Any = None,
        upper_bound: Any = None,
        **kwargs: Any,
    ) -> Flag:
        expected = _describe_bounds(noun, lower_bound, upper_bound)

        def number(text: Any) -> Any:
            value = kind(text) if isinstance(text, str) else text
            low = lower_bound is not None and value < lower_bound
            if low or (upper_bound is not None and value > upper_bound):
                raise ValueError(f"{value} is not {expected}")
            return value

        flag = Flag(name, None, number, help)
        if default is not None:
            flag.set_default(default)
        return FLAGS._add(flag)

    define.__doc__ = (
        "Makes a flag of a number.\n\nArgs:\n    name: Its name.\n    default: Its value at first.\n"
        "    help: What it is for.\n    lower_bound: The least value, or None.\n"
        "    upper_bound: The largest value, or None."
    )
    return define


def _describe_bounds(noun: str, low: Any, high: Any) -> str:
    """Returns the description of the numbers between two bounds, of which either may be None."""
    name = noun.split()[-1]
    if low is not None and high is not None:
        return f"{noun} in the range [{low}, {high}]"
    if low == 1 and name == "integer":
        return "a positive integer"
    if high == -1 and name == "integer":
        return "a negative integer"
    if 0 in (low, high):
        return f"a non-{'negative' if low == 0 else 'positive'} {name}"
    return f"{name} <= {high}" if high is not None else f"{name} >= {low}"


DEFINE_string = _defining(str)
DEFINE_integer = _defining_number(lambda text: int(text, 0), "an integer")
DEFINE_float = _defining_number(float, "a number")
DEFINE_boolean = DEFINE_bool = _defining(_truth, plain=False)
DEFINE_list, DEFINE_spaceseplist = _defining(_words), _defining(str.split)
DEFINE_multi_string = _defining(str, several=True)
DEFINE_multi_integer, DEFINE_multi_float = (
    _defining(int, several=True),
    _defining(float, several=True),
)


@documented_like(Flag)
def DEFINE_enum(
    name: str, default: Any, enum_values: Sequence[str], help: str, **kwargs: Any
) -> Flag:
    """Defines a flag whose value is one of several strings.

    Args:
        enum_values: The valid strings.
        **kwargs: Accepted and without effect.
    """

    return FLAGS._add(Flag(name, default, _one_of(enum_values), help))


@documented_like(DEFINE_enum)
def DEFINE_multi_enum(
    name: str, default: Any, enum_values: Sequence[str], help: str, **kwargs: Any
) -> Flag:
    """Defines a flag that may be repeated, each value one of several strings.

    Args:
        default: Its default value, a list.
    """
    first = [default] if isinstance(default, str) else default
    return FLAGS._add(Flag(name, first, _one_of(enum_values), help, several=True))


@documented_like(DEFINE_enum)
def DEFINE_enum_class(
    name: str, default: Any, enum_class: type[enum.Enum], help: str, **kwargs: Any
) -> Flag:
    """Defines a flag whose value is a member of an enum, given by its name.

    Args:
        default: Its default value: a member, its name or None.
        enum_class: The enum.
    """
    members = enum_class.__members__
    choose = _one_of(tuple(members))
    first = members[choose(default)] if isinstance(default, str) else default
    return FLAGS._add(Flag(name, first, lambda text: members[choose(text)], help))


def DEFINE_alias(name: str, original_name: str) -> Flag:
    """Defines another name of a flag.

    Args:
        name: The other name.
        original_name: The name of the flag.
    """
    FLAGS._flags[name] = FLAGS[original_name]
    return FLAGS[name]


def _one_of(values: Sequence[str]) -> Callable[[str], str]:
    """Returns a function that returns its argument if that is one of some strings."""

    def choose(text: str) -> str:
        if text not in values:
            raise ValueError(f"value should be one of <{'|'.join(values)}>")
        return text

    return choose


def set_default(flag_holder: Flag, value: Any) -> None:
    """Sets the default value of a flag.

    Args:
        flag_holder: What a function such as ``DEFINE_string`` returned.
        value: The value.

    Raises:
        IllegalFlagValueError: The value is not valid.
    """
    flag_holder.set_default(value)


# ------------------------------------------------------------------ validators


def register_validator(
    flag_name: str,
    checker: Callable[[Any], bool],
    message: str = "Flag validation failed",
    flag_values: FlagValues = FLAGS,
) -> None:
    """Registers a condition that the value of a flag has to satisfy.

    Args:
        flag_name: The name of the flag.
        checker: Called with the value; returns True for a valid one, or raises ``ValidationError``.
        message: The text of the error.
        flag_values: The flags.

    Raises:
        KeyError: There is no such flag.
    """
    flag = flag_values[flag_name]
    _register([flag], lambda: checker(flag.value), message, "flag --{}={}")


@documented_like(register_validator)
def register_multi_flags_validator(
    flag_names: Sequence[str],
    multi_flags_checker: Callable[[dict[str, Any]], bool],
    message: str = "Flags validation failed",
    flag_values: FlagValues = FLAGS,
) -> None:
    """Registers a condition that the values of several flags have to satisfy.

    Args:
        flag_names: The names of the flags.
        multi_flags_checker: Called with a dictionary of the values.
    """
    flags = [flag_values[name] for name in flag_names]
    valid = lambda: multi_flags_checker({flag.name: flag.value for flag in flags})
    _register(flags, valid, message, "{}={}")


def _register(flags: list[Flag], valid: Callable[[], bool], message: str, shown: str) -> None:
    """Adds a validator to flags; an error shows their values."""

    def check() -> None:
        values = ", ".join(shown.format(flag.name, flag.value) for flag in flags)
        subject = values if len(flags) == 1 else f"flags {values}"
        try:
            reason = None if valid() else message
        except ValidationError as error:
            reason = str(error)
        if reason is not None:
            raise IllegalFlagValueError(f"{subject}: {reason}")

    for flag in flags:
        flag.checks.append(check)


def validator(
    flag_name: str, message: str = "Flag validation failed", flag_values: FlagValues = FLAGS
) -> Callable[[Callable[[Any], bool]], Callable[[Any], bool]]:
    """Decorator that registers a function as the validator of a flag.

    Args:
        flag_name: The name of the flag.
        message: The text of the error.
        flag_values: The flags.
    """

    def register(checker: Callable[[Any], bool]) -> Callable[[Any], bool]:
        register_validator(flag_name, checker, message, flag_values)
        return checker

    return register


@documented_like(register_validator)
def mark_flag_as_required(flag_name: str, flag_values: FlagValues = FLAGS) -> None:
    """Requires that a flag has a value other than None."""
    message = f"Flag --{flag_name} must have a value other than None."
    register_validator(flag_name, lambda value: value is not None, message, flag_values)


def mark_flags_as_required(flag_names: Sequence[str], flag_values: FlagValues = FLAGS) -> None:
    """Requires that several flags have values other than None.

    Args:
        flag_names: The names of the flags.
        flag_values: The flags.
    """
    for name in flag_names:
        mark_flag_as_required(name, flag_values)


def mark_flags_as_mutual_exclusive(
    flag_names: Sequence[str], required: bool = False, flag_values: FlagValues = FLAGS
) -> None:
    """Requires that at most one of several flags has a value other than None.

    Args:
        flag_names: The names of the flags.
        required: Whether exactly one must have one.
        flag_values: The flags.
    """

    def one(values: dict[str, Any]) -> bool:
        count = sum(value is not None for value in values.values())
        return count == 1 if required else count <= 1

    how_many = "Exactly" if required else "At most"
    message = f"{how_many} one of ({', '.join(flag_names)}) must have a value other than None."
    register_multi_flags_validator(flag_names, one, message, flag_values)


def run(main: Callable[[list[str]], Any] | None = None, argv: Sequence[str] | None = None) -> None:
    """Parses the flags and runs a program; exits with its return value.

    Args:
        main: Called with the program name and the remaining arguments; the function ``main`` of
            the main module if None.
        argv: The command line; ``sys.argv`` if None.
    """
    function = main or sys.modules["__main__"].main
    sys.exit(function(FLAGS(sys.argv if argv is None else argv, known_only=True)))
