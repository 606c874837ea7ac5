"""Strings that a token estimate is likely to get wrong, seeded.

`strings` yields random strings of many alphabets, encodings of random bytes, shuffled and mangled
prose; `repetitions` short units said again and again. Same seed, same strings.
"""

from __future__ import annotations

import base64
import codecs
import json
import random
import string
import unicodedata
from collections import defaultdict
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from pathlib import Path

LOWER, UPPER, DIGITS, SIGNS = (
    string.ascii_lowercase,
    string.ascii_uppercase,
    string.digits,
    string.punctuation,
)
CONTROL = "".join(map(chr, [*range(9), 11, 12, *range(14, 32), 127]))

SCRIPTS = {
    "latin-1": (0xA0, 0xFF),
    "latin a": (0x100, 0x17F),
    "latin b": (0x180, 0x24F),
    "ipa": (0x250, 0x2FF),
    "marks": (0x300, 0x36F),
    "greek": (0x370, 0x3FF),
    "greek letters": (0x3B1, 0x3C9),
    "cyrillic": (0x400, 0x52F),
    "russian letters": (0x430, 0x44F),
    "russian capitals": (0x410, 0x42F),
    "armenian": (0x531, 0x586),
    "hebrew letters": (0x5D0, 0x5EA),
    "hebrew": (0x591, 0x5F4),
    "arabic letters": (0x621, 0x64A),
    "arabic": (0x600, 0x6FF),
    "syriac": (0x700, 0x74F),
    "thaana": (0x780, 0x7B1),
    "nko": (0x7C0, 0x7FA),
    "devanagari": (0x900, 0x97F),
    "bengali": (0x980, 0x9FF),
    "gurmukhi": (0xA00, 0xA7F),
    "gujarati": (0xA80, 0xAFF),
    "oriya": (0xB00, 0xB7F),
    "tamil": (0xB80, 0xBFF),
    "telugu": (0xC00, 0xC7F),
    "kannada": (0xC80, 0xCFF),
    "malayalam": (0xD00, 0xD7F),
    "sinhala": (0xD80, 0xDFF),
    "thai": (0xE01, 0xE5B),
    "lao": (0xE81, 0xEDF),
    "tibetan": (0xF00, 0xFDA),
    "burmese": (0x1000, 0x109F),
    "georgian": (0x10D0, 0x10FF),
    "jamo": (0x1100, 0x11FF),
    "ethiopic": (0x1200, 0x137F),
    "cherokee": (0x13A0, 0x13FF),
    "syllabics": (0x1400, 0x167F),
    "khmer": (0x1780, 0x17F9),
    "mongolian": (0x1800, 0x18AA),
    "phonetic": (0x1D00, 0x1DBF),
    "vietnamese": (0x1E00, 0x1EFF),
    "greek extended": (0x1F00, 0x1FFF),
    "punctuation": (0x2000, 0x206F),
    "letterlike": (0x2100, 0x218F),
    "arrows": (0x2190, 0x21FF),
    "mathematics": (0x2200, 0x22FF),
    "technical": (0x2300, 0x23FF),
    "enclosed": (0x2460, 0x24FF),
    "boxes": (0x2500, 0x259F),
    "shapes": (0x25A0, 0x25FF),
    "symbols": (0x2600, 0x26FF),
    "dingbats": (0x2700, 0x27BF),
    "braille": (0x2800, 0x28FF),
    "radicals": (0x2E80, 0x2FDF),
    "cjk punctuation": (0x3000, 0x303F),
    "hiragana": (0x3041, 0x3096),
    "katakana": (0x30A1, 0x30FA),
    "bopomofo": (0x3105, 0x312F),
    "hangul letters": (0x3131, 0x318E),
    "rare han": (0x3400, 0x4DBF),
    "han": (0x4E00, 0x9FFF),
    "yi": (0xA000, 0xA4C6),
    "latin d": (0xA720, 0xA7FF),
    "small scripts": (0xA800, 0xABFF),
    "hangul": (0xAC00, 0xD7A3),
    "private": (0xE000, 0xF8FF),
    "compatibility": (0xF900, 0xFAFF),
    "presentation": (0xFB00, 0xFDFF),
    "variation": (0xFE00, 0xFE6F),
    "full width": (0xFF01, 0xFF5E),
    "half width": (0xFF61, 0xFFDC),
    "specials": (0xFFE0, 0xFFFF),
    "ancient": (0x10000, 0x10FFF),
    "brahmi": (0x11000, 0x11FFF),
    "cuneiform": (0x12000, 0x1254F),
    "hieroglyphs": (0x13000, 0x1345F),
    "tangut": (0x17000, 0x18AFF),
    "kana extended": (0x1B000, 0x1B2FF),
    "music": (0x1D000, 0x1D2FF),
    "mathematical letters": (0x1D400, 0x1D7FF),
    "games": (0x1F000, 0x1F1FF),
    "emoji": (0x1F300, 0x1F5FF),
    "faces": (0x1F600, 0x1F64F),
    "transport": (0x1F680, 0x1F6FF),
    "more emoji": (0x1F900, 0x1F9FF),
    "new emoji": (0x1FA70, 0x1FAFF),
    "legacy": (0x1FB00, 0x1FBFF),
    "han b": (0x20000, 0x2A6DF),
    "han g": (0x30000, 0x323AF),
    "tags": (0xE0000, 0xE01EF),
    "private 15": (0xF0000, 0xFFFFD),
    "private 16": (0x100000, 0x10FFFD),
    "two bytes": (0x80, 0x7FF),
    "three bytes": (0x800, 0xFFFF),
    "four bytes": (0x10000, 0x3FFFF),
    "any": (0, 0x10FFFF),
}
"""Ranges of code points, and what they hold."""

ALPHABETS = {
    "lower": LOWER,
    "upper": UPPER,
    "letters": LOWER + UPPER,
    "digits": DIGITS,
    "hex": DIGITS + "abcdef",
    "HEX": DIGITS + "ABCDEF",
    "base64": LOWER + UPPER + DIGITS + "+/",
    "base64url": LOWER + UPPER + DIGITS + "-_",
    "base32": UPPER + "234567",
    "lower digits": LOWER + DIGITS,
    "letters digits": LOWER + UPPER + DIGITS,
    "signs": SIGNS,
    "printable": LOWER + UPPER + DIGITS + SIGNS + " ",
    "ascii": "".join(map(chr, range(128))),
    "control": CONTROL,
    "white": " \t\r\n",
    "wide white": " \t\n\v\f\u00a0\u2003\u3000\u2028",
    "breaks": "\r\n",
    "spaces tabs": " \t",
    "vowels": "aeiou",
    "consonants": "bcdfghjklmnpqrstvwxz",
    "dna": "ACGT",
    "rna": "acgu",
    "protein": "ACDEFGHIKLMNPQRSTVWY",
    "morse": ".- /",
    "binary": "01",
    "binary words": "01 ",
    "brackets": "()[]{}<>",
    "quotes": "'\"`",
    "apostrophes": "'",
    "operators": "+-*/=<>!&|^~%",
    "dashes": "-_",
    "stops": ".,;:",
    "brain": "+-<>[].,",
    "lower signs": LOWER + SIGNS,
    "digits signs": DIGITS + SIGNS,
    "upper signs": UPPER + SIGNS,
    "numbers": DIGITS + ".,- ",
    "rare letters": "qzxjkvw",
    "home row": "asdfghjkl;",
    "roman": "IVXLCDM ",
    "accents": LOWER + "äöüßéèñçøåæ",
    "identifier": LOWER + DIGITS + "_",
    "letters apostrophe": LOWER + "'",
    "letters breaks": LOWER + "\n",
    "digits breaks": DIGITS + "\n",
    "letters tabs": LOWER + "\t",
    "signs spaces": SIGNS + "   ",
    "signs breaks": SIGNS + "\n",
    "slashes": "/\\|",
    "hex spaces": DIGITS + "abcdef ",
}

BROKEN = (
    "lower",
    "upper",
    "letters",
    "digits",
    "hex",
    "letters digits",
    "consonants",
    "signs",
    "printable",
    "rare letters",
    "vowels",
    "accents",
    "base64",
    "HEX",
)
"""Alphabets that are also cut into words, lines and fields."""

JOINS = {
    "of one": (1, 1, " "),
    "of two": (1, 3, " "),
    "of five": (3, 8, " "),
    "in lines": (3, 8, "\n"),
    "in long lines": (60, 76, "\n"),
    "in snakes": (2, 6, "_"),
    "in fields": (2, 6, ","),
    "in columns": (2, 6, "\t"),
    "in paths": (1, 6, "/"),
    "in dots": (1, 4, "."),
}

Maker = "Callable[[random.Random, int], str]"


def between(first: int, last: int) -> str:
    """Return the code points of a range that are characters."""
    return "".join(chr(c) for c in range(first, last + 1) if not 0xD800 <= c < 0xE000)


def draw(alphabet: str) -> Callable[[random.Random, int], str]:
    """Return a maker of random strings."""
    return lambda rng, size: "".join(rng.choices(alphabet, k=size))


def broken(
    alphabet: str, shortest: int, longest: int, join: str
) -> Callable[[random.Random, int], str]:
    """Return a maker of random words."""

    def make(rng: random.Random, size: int) -> str:
        words = []
        while size > 0:
            words.append("".join(rng.choices(alphabet, k=rng.randint(shortest, longest))))
            size -= len(words[-1]) + len(join)
        return join.join(words)

    return make


def many(
    word: Callable[[random.Random], str], join: str = ""
) -> Callable[[random.Random, int], str]:
    """Return a maker of so many words that the size is reached."""

    def make(rng: random.Random, size: int) -> str:
        words: list[str] = []
        while size > 0:
            words.append(word(rng))
            size -= len(words[-1]) + len(join)
        return join.join(words)

    return make


def some(
    alphabet: str, shortest: int, longest: int | None = None
) -> Callable[[random.Random], str]:
    """Return a maker of one random word."""
    return lambda rng: "".join(rng.choices(alphabet, k=rng.randint(shortest, longest or shortest)))


def moment(rng: random.Random) -> str:
    """Return a time."""
    day = f"{rng.randint(1900, 2100)}-{rng.randint(1, 12):02}-{rng.randint(1, 28):02}"
    clock = f"{rng.randint(0, 23):02}:{rng.randint(0, 59):02}:{rng.randint(0, 59):02}"
    return f"{day}T{clock}.{rng.randint(0, 999_999):06}Z"


def hex_dump(rng: random.Random) -> str:
    """Return a line of a hex dump."""
    data = rng.randbytes(16)
    shown = "".join(chr(x) if 32 <= x < 127 else "." for x in data)
    return f"{rng.getrandbits(16) * 16:08x}  {data.hex(' ')}  |{shown}|"


def syllables(rng: random.Random) -> str:
    """Return a word that could be one."""
    heads = [
        "b",
        "br",
        "ch",
        "d",
        "f",
        "gr",
        "k",
        "l",
        "m",
        "n",
        "p",
        "qu",
        "r",
        "s",
        "sh",
        "st",
        "t",
        "th",
        "v",
    ]
    tails = ["", "", "n", "r", "s", "t", "ng", "ck"]
    parts = (
        rng.choice(heads) + rng.choice(["a", "e", "i", "o", "u", "ee", "ou"]) + rng.choice(tails)
        for _ in range(rng.randint(1, 3))
    )
    return "".join(parts)


def family(rng: random.Random) -> str:
    """Return people that are joined."""
    tones = ["", *between(0x1F3FB, 0x1F3FF)]
    people = between(0x1F466, 0x1F478)
    return "\u200d".join(
        rng.choice(people) + rng.choice(tones) for _ in range(rng.randint(2, 4))
    ) + rng.choice(["", " ", "\ufe0f"])


MARKS = between(0x300, 0x36F)
HIDDEN = "\u200b\u200c\u200d\u2060\ufeff\u00ad\u200e\u200f"

WORDS: dict[str, tuple[Callable[[random.Random], str], str]] = {
    "camel case": (lambda r: r.choice(UPPER) + some(LOWER, 1, 4)(r), ""),
    "identifiers": (
        lambda r: r.choice(LOWER + UPPER + "_") + some(LOWER + UPPER + DIGITS + "_", 1, 10)(r),
        " ",
    ),
    "uuids": (lambda r: "-".join(f"{r.getrandbits(4 * n):0{n}x}" for n in (8, 4, 4, 4, 12)), "\n"),
    "UUIDS": (lambda r: "-".join(f"{r.getrandbits(4 * n):0{n}X}" for n in (8, 4, 4, 4, 12)), ", "),
    "ipv4": (lambda r: ".".join(str(r.randint(0, 255)) for _ in range(4)), " "),
    "ipv6": (lambda r: ":".join(f"{r.getrandbits(16):x}" for _ in range(8)), " "),
    "floats": (lambda r: repr(r.random() * 10 ** r.randint(-8, 8)), ", "),
    "scientific": (lambda r: f"{r.gauss(0, 1):.3e}", " "),
    "times": (moment, "\n"),
    "pem": (lambda r: base64.b64encode(r.randbytes(48)).decode(), "\n"),
    "base85": (lambda r: base64.b85encode(r.randbytes(40)).decode(), ""),
    "ascii85": (lambda r: base64.a85encode(r.randbytes(40)).decode(), ""),
    "hex dump": (hex_dump, "\n"),
    "percent": (lambda r: f"%{r.getrandbits(8):02X}", ""),
    "percent lower": (lambda r: f"%{r.getrandbits(8):02x}", ""),
    "escapes x": (lambda r: f"\\x{r.getrandbits(8):02x}", ""),
    "escapes u": (lambda r: f"\\u{r.getrandbits(16):04x}", ""),
    "escapes octal": (lambda r: f"\\{r.getrandbits(8):03o}", ""),
    "entities": (lambda r: f"&#{r.getrandbits(15)};", ""),
    "entities hex": (lambda r: f"&#x{r.getrandbits(16):X};", ""),
    "bytes in C": (lambda r: f"0x{r.getrandbits(8):02x}", ", "),
    "bytes in C, dense": (lambda r: f"0x{r.getrandbits(8):02X}", ","),
    "words in C": (lambda r: f"0x{r.getrandbits(32):08X}u", ", "),
    "bytes, decimal": (lambda r: str(r.getrandbits(8)), ","),
    "integers": (lambda r: str(r.randint(-999, 999)), " "),
    "digits apart": (lambda r: r.choice(DIGITS), " "),
    "digits in fields": (lambda r: r.choice(DIGITS), ","),
    "numbers in lines": (lambda r: str(r.randint(0, 99)), "\n"),
    "letter digit": (lambda r: r.choice(LOWER) + r.choice(DIGITS), ""),
    "letter sign": (lambda r: r.choice(LOWER) + r.choice(SIGNS), ""),
    "lower upper": (lambda r: r.choice(LOWER) + r.choice(UPPER), ""),
    "zalgo": (lambda r: r.choice(LOWER + " ") + some(MARKS, 1, 8)(r), ""),
    "marked letters": (lambda r: r.choice(LOWER) + r.choice(MARKS), ""),
    "families": (family, ""),
    "flags": (lambda r: chr(0x1F1E6 + r.randint(0, 25)), ""),
    "keycaps": (lambda r: r.choice(DIGITS + "#*") + "\ufe0f\u20e3", ""),
    "tones": (lambda r: r.choice("👍👋✋🖐🙏") + chr(r.randint(0x1F3FB, 0x1F3FF)), ""),
    "hidden": (lambda r: r.choice(HIDDEN), ""),
    "hidden between": (lambda r: r.choice(LOWER) + r.choice(HIDDEN), ""),
    "bytes as latin-1": (lambda r: r.randbytes(8).decode("latin-1"), ""),
    "bytes as cp1252": (lambda r: r.randbytes(8).decode("cp1252", "replace"), ""),
    "bytes as utf-8": (lambda r: r.randbytes(40).decode("utf-8", "replace"), ""),
    "crlf": (lambda _: "\r\n", ""),
    "indented": (lambda r: " " * r.randint(0, 40) + r.choice(LOWER), "\n"),
    "tabbed": (lambda r: "\t" * r.randint(0, 12) + r.choice(LOWER + "}{"), "\n"),
    "tokens": (lambda r: base64.urlsafe_b64encode(r.randbytes(30)).decode().rstrip("="), "."),
    "json": (
        lambda r: json.dumps(
            {r.choice(LOWER): r.choice([None, True, 1, "x", []]) for _ in range(4)},
            separators=(",", ":"),
        ),
        ",",
    ),
    "json numbers": (lambda r: json.dumps({some(LOWER, 3)(r): r.random()}), ", "),
    "contractions": (
        lambda r: (
            r.choice(["I", "you", "it", "x"])
            + "'"
            + r.choice(["s", "t", "re", "ve", "m", "ll", "d", "S", "LL", "ſ"])
        ),
        " ",
    ),
    "minified": (
        lambda r: (
            r.choice(LOWER)
            + r.choice(
                [".", "(", ")", "=", ";", "&&", "||", "?", ":", ",", "[", "]", "{", "}", "!"]
            )
        ),
        "",
    ),
    "addresses": (
        lambda r: (
            "https://"
            + some(LOWER, 8)(r)
            + "."
            + r.choice(["com", "io", "xyz"])
            + "/"
            + some(LOWER + UPPER + DIGITS + "-_", 14)(r)
        ),
        " ",
    ),
    "mail": (lambda r: some(LOWER + DIGITS + ".", 9)(r) + "@" + some(LOWER, 6)(r) + ".com", "\n"),
    "syllables": (syllables, " "),
    "SYLLABLES": (lambda r: syllables(r).upper(), " "),
    "passwords": (some(LOWER + UPPER + DIGITS + "!@#$%^&*", 8, 16), "\n"),
    "versions": (
        lambda r: f"{some(LOWER, 2)(r)}-{r.randint(0, 20)}.{r.randint(0, 20)}.{r.randint(0, 20)}",
        "\n",
    ),
    "formulas": (
        lambda r: f"{r.choice(LOWER)}_{{{r.choice(LOWER)}}}^{r.randint(1, 9)}{r.choice('+-=<>')}",
        " ",
    ),
    "runs of spaces": (lambda r: r.choice(" \t\n") * r.randint(1, 30), ""),
    "runs of dashes": (lambda r: r.choice("-=_*#~.") * r.randint(1, 30), ""),
    "runs of letters": (lambda r: r.choice(LOWER) * r.randint(1, 30), ""),
    "runs of signs": (lambda r: r.choice(SIGNS) * r.randint(1, 30), ""),
    "scripts mixed": (
        lambda r: (
            some(between(*r.choice(list(SCRIPTS.values())[:-4])), 1, 6)(r)
            + r.choice(["", "", " ", "\n", ","])
        ),
        "",
    ),
}


POOLS = {
    "lower": LOWER,
    "letters": LOWER + UPPER,
    "digits": DIGITS,
    "signs": SIGNS,
    "any": LOWER + UPPER + DIGITS + SIGNS + " \n\t",
    "lower and spaces": LOWER + "  ",
    "control": CONTROL,
    "russian": between(0x430, 0x44F),
    "two bytes": between(0x80, 0x7FF),
    "three bytes": between(0x800, 0xFFFF),
    "four bytes": between(0x10000, 0x3FFFF),
    "latin": LOWER + between(0xC0, 0x24F),
}
"""What repeated units are drawn from."""


def repeated(pool: str, unit: int) -> Callable[[random.Random, int], str]:
    """Return a maker of one random unit, said again and again."""
    return lambda rng, size: some(pool, unit)(rng) * (size // unit)


def mangled(text: str) -> dict[str, Callable[[random.Random, int], str]]:
    """Return ways to make a text of the same letters that is written by nobody."""
    followers: dict[int, dict[str, list[str]]] = {}

    def taken(rng: random.Random, size: int) -> str:
        at = rng.randrange(max(1, len(text) - size))
        return text[at : at + size]

    def babble(order: int) -> Callable[[random.Random, int], str]:
        """Letters drawn by those before them."""

        def make(rng: random.Random, size: int) -> str:
            if order not in followers:
                table: dict[str, list[str]] = defaultdict(list)
                for at in range(min(len(text), 300_000) - order):
                    table[text[at : at + order]].append(text[at + order])
                followers[order] = table
            table = followers[order]
            start = taken(rng, order)
            made = start
            while len(made) < size:
                made += rng.choice(table.get(made[-order:]) or start)
            return made

        return make

    def words(change: Callable[[random.Random, str], str]) -> Callable[[random.Random, int], str]:
        return lambda rng, size: " ".join(change(rng, word) for word in taken(rng, size).split(" "))

    def shuffled(rng: random.Random, word: str) -> str:
        return "".join(rng.sample(word, len(word)))

    def inner(rng: random.Random, word: str) -> str:
        return word if len(word) < 4 else word[0] + shuffled(rng, word[1:-1]) + word[-1]

    def slip(rng: random.Random, word: str) -> str:
        at = rng.randrange(len(word) + 1)
        return word[:at] + rng.choice(LOWER) + word[at:]

    def reordered(rng: random.Random, size: int) -> str:
        found = taken(rng, size).split()
        return " ".join(rng.sample(found, len(found)))

    plain: dict[str, Callable[[str], str]] = {
        "in capitals": str.upper,
        "in titles": str.title,
        "in swapped case": str.swapcase,
        "backwards": lambda s: s[::-1],
        "in rot13": lambda s: codecs.encode(s, "rot13"),
        "without spaces": lambda s: s.replace(" ", ""),
        "without spaces, lower": lambda s: s.replace(" ", "").lower(),
        "spelled": lambda s: " ".join(s[: len(s) // 2]),
        "spelled with dashes": lambda s: "-".join(s[: len(s) // 2]),
        "spelled with dots": lambda s: ".".join(s[: len(s) // 2]),
        "spelled wide": lambda s: "  ".join(s[: len(s) // 3]),
        "without vowels": lambda s: "".join(c for c in s if c not in "aeiou"),
        "vowels only": lambda s: "".join(c for c in s if c in "aeiou "),
        "in leet": lambda s: s.translate(str.maketrans("aeiost", "431057")),
        "in lines": lambda s: "\n".join(s.split()),
        "in snakes": lambda s: "_".join(s.split()),
        "in pascal": lambda s: s.title().replace(" ", ""),
        "every other": lambda s: s[::2],
        "doubled": lambda s: "".join(c + c for c in s[: len(s) // 2]),
        "full width": lambda s: "".join(chr(ord(c) + 0xFEE0) if "!" <= c <= "~" else c for c in s),
        "bold": lambda s: "".join(chr(0x1D41A + ord(c) - 97) if "a" <= c <= "z" else c for c in s),
        "decomposed": lambda s: unicodedata.normalize("NFD", s),
        "quoted": lambda s: "".join(f"={b:02X}" for b in s.encode()[: len(s) // 2]),
        "in hex": lambda s: s.encode()[: len(s) // 2].hex(),
        "in base64": lambda s: base64.b64encode(s.encode()).decode(),
        "escaped": lambda s: s.encode("ascii", "backslashreplace").decode(),
    }

    def after(change: Callable[[str], str]) -> Callable[[random.Random, int], str]:
        return lambda rng, size: change(taken(rng, size))

    made = {name: after(change) for name, change in plain.items()}
    made |= {f"babble of order {order}": babble(order) for order in (1, 2, 3)}
    made |= {
        "random case": lambda rng, size: "".join(
            rng.choice((c.upper(), c.lower())) for c in taken(rng, size)
        ),
        "letters shuffled": lambda rng, size: shuffled(rng, taken(rng, size)),
        "words shuffled": words(shuffled),
        "inner letters shuffled": words(inner),
        "misspelled": words(slip),
        "words reordered": reordered,
    }
    return made


SOURCES = (
    "prose_en",
    "code_py",
    "lang_de",
    "lang_fr",
    "lang_fi",
    "lang_pl",
    "lang_tr",
    "lang_vi",
    "lang_ru",
    "lang_uk",
    "lang_el",
    "lang_ar",
    "lang_he",
    "lang_hi",
    "lang_ta",
    "lang_th",
    "lang_ka",
    "lang_hy",
    "lang_ja",
    "lang_ko",
    "lang_zh_CN",
    "lang_my",
)
"""Corpora that are mangled, where the folder has them."""


def makers(folder: Path | None = None) -> Iterator[tuple[str, Callable[[random.Random, int], str]]]:
    """Yield every kind of string and how it is made; mangled texts of a folder, if given."""
    for name, (first, last) in SCRIPTS.items():
        yield name, draw(between(first, last))
        yield f"{name} in words", broken(between(first, last), 1, 8, " ")
    for name, alphabet in ALPHABETS.items():
        yield name, draw(alphabet)
    for name in BROKEN:
        for how, (shortest, longest, join) in JOINS.items():
            yield f"{name} {how}", broken(ALPHABETS[name], shortest, longest, join)
    for name, (word, join) in WORDS.items():
        yield name, many(word, join)
    for name, pool in POOLS.items():
        for size in range(1, 7):
            yield f"{name} repeated by {size}", repeated(pool, size)
    for source in SOURCES if folder else ():
        path = folder / f"{source}.txt" if folder else None
        if path and path.exists():
            for name, maker in mangled(
                path.read_text(encoding="utf-8", errors="ignore")[:1_000_000]
            ).items():
                yield f"{source} {name}", maker


def strings(seed: int, folder: Path | None = None) -> Iterator[tuple[str, str]]:
    """Yield the kind and the text of each hostile string: long, short and very short ones."""
    for kind, make in makers(folder):
        rng = random.Random(f"{seed} {kind}")
        for size in (1400, 1400, 1400, 300, 300, 60, 60, 20, 8):
            text = make(rng, size)
            if text:
                yield kind, text


def repetitions(rng: random.Random) -> Iterator[str]:
    """Yield units of one to six characters said again and again: all of one, all ASCII of two."""
    every = POOLS["any"]
    yield from (chr(c) * 48 for c in range(128))
    yield from ((a + b) * 24 for a in every for b in every)
    for pool in POOLS.values():
        for size in range(1, 7):
            make = repeated(pool, size)
            yield from (make(rng, 48) for _ in range(1000))
