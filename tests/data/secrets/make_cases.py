"""Makes labelled cases for the search for secrets, from lists of texts.

A source has ``== kind`` headings; every other line is one case, and a block between ``<<<`` and
``>>>`` is one case of several lines. Words behind the kind say more: ``x2`` draws two cases of each
text, ``json`` has texts that are JSON, ``arguable`` cases that may be labelled either way.
``‹name:arguments›`` stands for a body that is drawn when the cases are made, seeded by kind and
text, so that nothing that looks like a key is in a file, and one case changed leaves the others as
they were. ``¦`` is taken out: it stands in what a scanner of repositories would take for a key.
Nothing here is or was a credential of anybody.
"""

from __future__ import annotations

import base64
import json
import random
import re
import string
import uuid
import zlib
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

HERE = Path(__file__).resolve().parent
LETTERS = string.ascii_letters + string.digits
BASE64 = LETTERS + "+/"
URL_SAFE = LETTERS + "-_"
HEX = "0123456789abcdef"
DIGITS = "123456789"
CAPITALS = string.ascii_uppercase + string.digits
WORDS = [
    "kestrel",
    "marsh",
    "copper",
    "velvet",
    "harbor",
    "cactus",
    "ember",
    "tundra",
    "pepper",
    "walnut",
    "orbit",
    "lantern",
    "mosaic",
    "quartz",
    "saffron",
    "thistle",
    "zephyr",
    "bramble",
    "falcon",
    "glacier",
    "juniper",
    "nimbus",
    "otter",
    "pebble",
    "raven",
    "sable",
    "topaz",
    "umber",
    "willow",
    "yarrow",
]
ALPHABETS = {
    "hex": HEX,
    "HEX": HEX.upper(),
    "b62": LETTERS,
    "b64": BASE64,
    "b64u": URL_SAFE,
    "dig": DIGITS,
    "AN": string.ascii_uppercase + "234567",
    "ANUP": CAPITALS,
    "lown": string.ascii_lowercase + string.digits,
    "alpha": string.ascii_letters,
    "bech": "qpzry9x8gf2tvdw0s3jn54khce6mua7l",
}
PEM_STARTS = {
    "rsa": "MIIEpAIBAAKCAQEA",
    "pkcs8": "MIIEvQIBADANBgkqhkiG9w0BAQEFAASCBKcwggSjAgEAAoIBAQC",
    "ed25519": "MC4CAQAwBQYDK2VwBCIEI",
    "ec": "MHcCAQEEI",
    "dsa": "MIIBuwIBAAKBgQC",
    "ossh": "b3BlbnNzaC1rZXktdjEAAAAABG5vbmUAAAAEbm9uZQAAAAAAAAABAAAAMwAAAAtzc2gtZW",
    "osshrsa": "b3BlbnNzaC1rZXktdjEAAAAABG5vbmUAAAAEbm9uZQAAAAAAAAABAAABlwAAAAdzc2gtcn",
    "pgpsec": "lQOYBGX",
    "pgppub": "mQENBGX",
    "pgpsig": "iQEzBAEBCAAdFiEE",
    "spki": "MIIBIjANBgkqhkiG9w0BAQEFAAOCAQ8AMIIBCgKCAQEA",
    "rsapub": "MIIBCgKCAQEA",
    "ecpub": "MFkwEwYHKoZIzj0CAQYIKoZIzj0DAQcDQgAE",
    "cert": "MIIDdzCCAl+gAwIBAgIE",
    "dh": "MIIBCAKCAQEA",
    "rsashort": "MIICXAIBAAKBgQC",
    "pkcs8ec": "MIGHAgEAMBMGByqGSM49AgEGCCqGSM49AwEHBG0wawIBAQQg",
    "sealed": "MIIFHDBOBgkqhkiG9w0BBQ0wQTApBgkqhkiG9w0BBQwwHAQI",
    "csr": "MIICijCCAXICAQAwRTELMAkGA1UEBhMCQVUxEzARBgNVBAgMClNvbWUtU3RhdGUx",
    "sshpub": "AAAAB3NzaC1yc2EAAAADAQABAAABAQ",
}


@dataclass(frozen=True)
class Case:
    """A text, whether a secret is in it, and what kind of text it is."""

    text: str
    secret: bool
    kind: str
    arguable: bool = False
    is_json: bool = False


def encoded(text: str, *, url: bool = False) -> str:
    """Write a text in base64."""
    encode = base64.urlsafe_b64encode if url else base64.b64encode
    return encode(text.encode()).decode()


class Bodies:
    """Draws the bodies of one case."""

    def __init__(self, seed: str) -> None:
        """Seed the generator."""
        self.random = random.Random(seed)

    def pick(self, alphabet: str, length: int) -> str:
        """Draw characters; long bodies have letters and digits, and a letter at either end."""
        while True:
            body = "".join(self.random.choice(alphabet) for _ in range(length))
            if length >= 16 and alphabet in {LETTERS, BASE64, URL_SAFE, HEX}:
                mixed = re.search(r"[a-zA-Z]", body) and re.search(r"\d", body)
                if not (mixed and body[0].isalnum() and body[-1].isalnum()):
                    continue
            return body

    def word(self) -> str:
        """Draw a word."""
        return self.random.choice(WORDS)

    def capital(self) -> str:
        """Draw a word with a capital."""
        return self.word().capitalize()

    def password(self) -> str:
        """Draw a password as a person makes them."""
        number = self.random.randint(10, 9999)
        forms: list[Callable[[], str]] = [
            lambda: f"{self.capital()}{number}!{self.word()}",
            lambda: f"{self.word()}.{self.capital()}_{number}",
            lambda: f"{self.capital()}-{self.word()}-{number}",
            lambda: f"{self.capital()}{self.capital()}{number}!",
            lambda: f"{self.pick(LETTERS, 6)}{number}{self.pick(LETTERS, 4)}",
            lambda: f"{self.pick(LETTERS, 12)}",
            lambda: f"{self.word()[:3].upper()}{number}_{self.pick(LETTERS, 5)}",
            lambda: (
                self.capital().replace("a", "4").replace("e", "3").replace("o", "0")
                + f"{number}+{self.pick(LETTERS, 3)}"
            ),
        ]
        return self.random.choice(forms)()

    def strong(self, symbols: str, length: int) -> str:
        """Draw a password of every kind of character."""
        while True:
            body = "".join(self.random.choice(LETTERS + symbols * 2) for _ in range(length))
            if (
                body[0] in LETTERS
                and body[-1] in LETTERS
                and any(character in symbols for character in body)
                and re.search(r"\d", body)
                and re.search("[a-z]", body)
                and re.search("[A-Z]", body)
            ):
                return body

    def in_uri(self) -> str:
        """Draw a password that a URI may hold as it is."""
        forms: list[Callable[[], str]] = [
            lambda: self.strong("-_.!", 14),
            lambda: self.pick(LETTERS, 16),
            lambda: f"{self.capital()}{self.random.randint(100, 999)}{self.word()}",
            lambda: self.pick(LETTERS, 24),
        ]
        return self.random.choice(forms)()

    def pem(self, kind: str, lines: int, between: str, indent: str = "") -> str:
        """Draw the body of a key: noise behind the first bytes of a real one."""
        start = PEM_STARTS[kind]
        width = 70 if kind.startswith("ossh") else 64
        total = width * lines
        if lines > 1:
            total = width * (lines - 1) + 4 * self.random.randint(3, 14)
        noise = "".join(self.random.choice(BASE64) for _ in range(max(0, total - len(start) - 1)))
        body = f"{start}{noise}="
        rows = [body[place : place + width] for place in range(0, len(body), width)]
        return between.join([rows[0], *(indent + row for row in rows[1:])])

    def jwt(self, algorithm: str) -> str:
        """Draw a JSON Web Token with claims."""
        header = {"alg": algorithm, "typ": "JWT"}
        if algorithm != "HS256":
            header["kid"] = self.pick(HEX, 8)
        claims: dict[str, object] = {
            "sub": str(self.random.randint(1000, 99999)),
            "iss": "https://id.corp.internal",
            "iat": 1700000000 + self.random.randint(0, 10**7),
        }
        if self.random.random() < 0.5:
            claims["scope"] = "read write"
        parts = [
            encoded(json.dumps(part, separators=(",", ":")), url=True).rstrip("=")
            for part in (header, claims)
        ]
        lengths = {"HS256": 43, "RS256": 342, "ES256": 86}
        return ".".join([*parts, self.pick(URL_SAFE, lengths[algorithm])])

    def github(self, prefix: str) -> str:
        """Draw a GitHub token; half of them end with the right checksum."""
        body = self.pick(LETTERS, 30)
        right = self.random.random() < 0.5
        return f"{prefix}_{body}{checksum(body) if right else self.pick(LETTERS, 6)}"

    def openai(self) -> str:
        """Draw an OpenAI-like key of the first form."""
        if self.random.random() < 0.6:
            return f"sk-{self.pick(LETTERS, 20)}T3BlbkFJ{self.pick(LETTERS, 20)}"
        return "sk-" + self.pick(LETTERS, 48)

    def openai_project(self) -> str:
        """Draw an OpenAI-like key of a project."""
        if self.random.random() < 0.6:
            return f"sk-proj-{self.pick(URL_SAFE, 74)}T3BlbkFJ{self.pick(URL_SAFE, 74)}"
        return "sk-proj-" + self.pick(URL_SAFE, 48)

    def basic(self) -> str:
        """Draw the credentials of basic authentication."""
        names = ["admin", "svc_build", "lena", "deploy", "jenkins"]
        return encoded(self.random.choice(names) + ":" + self.password())

    def slack_hook(self) -> str:
        """Draw the address of a Slack webhook."""
        team, bot = self.pick(CAPITALS, 9), self.pick(CAPITALS, 9)
        return f"https://hooks.slack.com/services/T0{team}/B0{bot}/{self.pick(LETTERS, 24)}"

    def symbols(self) -> str:
        """Draw a password with symbols, one of them and a digit at its end."""
        length = self.random.randint(8, 14)
        body = "".join(self.random.choice(LETTERS * 2 + "!@#%^*_-+=?") for _ in range(length))
        return (
            self.pick(string.ascii_letters, 1) + body + self.pick("!?^@", 1) + self.pick(DIGITS, 1)
        )

    def plain(self) -> str:
        """Draw a password of letters and digits."""
        body = self.pick(LETTERS, self.random.randint(11, 19))
        return self.pick(string.ascii_letters, 1) + body + self.pick(string.digits, 1)

    def words(self) -> str:
        """Draw a password of two words and a number."""
        between, end = (
            self.random.choice(["", "-", "_"]),
            self.random.choice(["!", "", "#", "!!", "?"]),
        )
        return f"{self.capital()}{between}{self.capital()}{self.random.randint(10, 9999)}{end}"

    def user(self) -> str:
        """Draw the name of an account."""
        return self.random.choice(["deploy", "svc_app", "reporting", "ci-bot", "etl_user", "admin"])

    def escaped_in_uri(self) -> str:
        """Draw the end of a password, with an escape as a URI holds it."""
        escape = self.random.choice(["40", "23", "21", "2F"])
        return f"%{escape}{self.random.randint(100, 9999)}{self.pick(LETTERS, 4)}"

    def slack(self, kind: str, *parts: tuple[str, int]) -> str:
        """Draw a Slack token."""
        return "-".join([kind, *(self.pick(alphabet, length) for alphabet, length in parts)])

    def makers(self) -> dict[str, Callable[..., str]]:
        """Return what draws the body of each name."""
        pick, some = self.pick, self.random.randint
        return {
            "pww": self.password,
            "pwp": lambda: f"{self.word()}-{self.word()}-{self.word()}-{some(10, 99)}",
            "pwu": self.in_uri,
            "pwe": lambda: f"{self.capital()}{self.escaped_in_uri()}",
            "pws": lambda: self.strong("!%^*_+-=?.", some(12, 20)),
            "pws1": lambda: self.strong("!%^&*()_+-=?.,:@", some(12, 20)),
            "pwx": self.symbols,
            "pwa": self.plain,
            "pwh": self.words,
            "user": self.user,
            "crlf": lambda: "\r\n",
            "tab": lambda: "\t",
            "sp": lambda: " ",
            "akia": lambda: "AKIA" + pick(ALPHABETS["AN"], 16),
            "asia": lambda: "ASIA" + pick(ALPHABETS["AN"], 16),
            "awssec": lambda: pick(BASE64, 40),
            "ghpat": lambda: (
                f"github_pat_11{pick(CAPITALS, 9)}0{pick(LETTERS, 10)}_{pick(LETTERS, 59)}"
            ),
            "gh": self.github,
            "xoxb": lambda: self.slack("xoxb", (DIGITS, 12), (DIGITS, 13), (LETTERS, 24)),
            "xoxp": lambda: self.slack("xoxp", (DIGITS, 12), (DIGITS, 12), (DIGITS, 13), (HEX, 32)),
            "xoxa": lambda: self.slack(
                "xoxa-2", (DIGITS, 12), (DIGITS, 12), (DIGITS, 12), (HEX, 32)
            ),
            "xapp": lambda: f"xapp-1-A{pick(CAPITALS, 10)}-{pick(DIGITS, 13)}-{pick(HEX, 64)}",
            "slackhook": self.slack_hook,
            "aiza": lambda: "AIzaSy" + pick(URL_SAFE, 33),
            "gocspx": lambda: "GOCSPX" + "-" + pick(URL_SAFE, 28),
            "oai": self.openai,
            "oaiproj": self.openai_project,
            "ant": lambda: f"sk-ant-api03-{pick(URL_SAFE, 86)}-{pick(LETTERS, 6)}AA",
            "jwt": self.jwt,
            "basic": self.basic,
            "b64sec": lambda: encoded(pick(LETTERS, 32)),
            "uuid": lambda: str(uuid.UUID(int=self.random.getrandbits(128), version=4)),
            "pem": lambda kind, lines: self.pem(kind, int(lines), "\n"),
            "peme": lambda kind, lines: self.pem(kind, int(lines), "\\n"),
            "pemc": lambda kind, lines: self.pem(kind, int(lines), "\r\n"),
            "pemi": lambda kind, lines, indent: self.pem(
                kind, int(lines), "\n", " " * int(indent) if indent.isdigit() else indent
            ),
        }

    def expand(self, text: str) -> str:
        """Put bodies in the place of their names."""
        makers = self.makers()

        def body(mark: re.Match[str]) -> str:
            name, *arguments = mark.group(1).split(":")
            if name in makers:
                return makers[name](*arguments)
            return self.pick(ALPHABETS[name], int(arguments[0]))

        return re.sub("‹([^›]*)›", body, text)


def checksum(body: str) -> str:
    """Return six characters of a CRC-32, as GitHub's tokens end."""
    alphabet = string.digits + string.ascii_uppercase + string.ascii_lowercase
    number, text = zlib.crc32(body.encode()), ""
    for _ in range(6):
        number, rest = divmod(number, 62)
        text = alphabet[rest] + text
    return text


def read(path: Path) -> Iterator[tuple[str, str]]:
    """Read the kind and the text of each case of a source."""
    kind = ""
    block: list[str] | None = None
    for line in path.read_text(encoding="utf-8").replace("¦", "").split("\n"):
        if block is not None:
            if line == ">>>":
                yield kind, "\n".join(block)
                block = None
            else:
                block.append(line)
        elif line == "<<<":
            block = []
        elif line.startswith("== "):
            kind = line[3:].strip()
        elif line.strip():
            yield kind, line


def cases() -> list[Case]:
    """Return all cases of the first set, in the order of the sources."""
    return [
        Case(Bodies(f"secret-cases-1|{kind}|{text}").expand(text), secret, kind)
        for name, secret in (("true_src.txt", True), ("false_src.txt", False))
        for kind, text in read(HERE / name)
    ]


def second_cases() -> list[Case]:
    """Return all cases of the second set, in the order of the sources."""
    made = []
    for name, secret in (("true_src_2.txt", True), ("false_src_2.txt", False)):
        for heading, text in read(HERE / name):
            kind, *words = heading.split()
            times = next((int(word[1:]) for word in words if word[0] == "x"), 1)
            for number in range(times):
                body = Bodies(f"secret-cases-2|{kind}|{text}|{number}").expand(text)
                made.append(Case(body, secret, kind, "arguable" in words, "json" in words))
    return made


def third_cases() -> list[Case]:
    """Return all cases of the third set, as they were scored."""
    stored = zlib.decompress((HERE / "set_3.json.zlib").read_bytes())
    return [
        Case(text, secret, kind, is_json=is_json)
        for kind, secret, is_json, text in json.loads(stored)
    ]
