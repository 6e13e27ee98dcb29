"""``tf.app``: command line flags and ``run``."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator, Sequence
from typing import Any


class Error(Exception):
    """Base class of flag errors."""


class UnrecognizedFlagError(Error):
    """Unknown flag."""


class IllegalFlagValueError(Error):
    """Invalid value of a flag."""


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

    def take(self, text: str) -> None:
        """Sets the value from a string of the command line.

        Raises:
            IllegalFlagValueError: The string is not a valid value.
        """
        try:
            value = self._parse(text)
        except ValueError as error:
            raise IllegalFlagValueError(f"flag --{self.name}={text}: {error}") from error
        self.value = (
            [*self.value, value]
            if self.several and self.present
            else [value]
            if self.several
            else value
        )
        self.present += 1


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
        return [*left, *words]

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
        self._flags[name].value = value

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


DEFINE_string, DEFINE_integer, DEFINE_float = (
    _defining(str),
    _defining(lambda text: int(text, 0)),
    _defining(float),
)
DEFINE_boolean = DEFINE_bool = _defining(_truth, plain=False)
DEFINE_list, DEFINE_spaceseplist = _defining(_words), _defining(str.split)
DEFINE_multi_string = _defining(str, several=True)
DEFINE_multi_integer, DEFINE_multi_float = (
    _defining(int, several=True),
    _defining(float, several=True),
)


def DEFINE_enum(
    name: str, default: Any, enum_values: Sequence[str], help: str, **kwargs: Any
) -> Flag:
    """Defines a flag whose value is one of several strings.

    Args:
        name: Its name.
        default: Its default value.
        enum_values: The valid strings.
        help: Its description.
        **kwargs: Accepted and without effect.
    """

    def one_of(text: str) -> str:
        if text not in enum_values:
            raise ValueError(f"value should be one of <{'|'.join(enum_values)}>")
        return text

    return FLAGS._add(Flag(name, default, one_of, help))


def run(main: Callable[[list[str]], Any] | None = None, argv: Sequence[str] | None = None) -> None:
    """Parses the flags and runs a program; exits with its return value.

    Args:
        main: Called with the program name and the remaining arguments; the function ``main`` of
            the main module if None.
        argv: The command line; ``sys.argv`` if None.
    """
    function = main or sys.modules["__main__"].main
    sys.exit(function(FLAGS(sys.argv if argv is None else argv, known_only=True)))
