"""Where the text of each corpus comes from: packages, paths in them, and how much to take."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from corpora_text import (
    from_catalogue,
    from_html,
    from_json,
    from_plain,
    from_source,
    from_troff,
)

if TYPE_CHECKING:
    from collections.abc import Callable


class Source(NamedTuple):
    """Files of a package, and at most how many bytes of text to take from them."""

    package: str
    paths: str
    read: Callable[[bytes], list[str]]
    most: float = 4e6
    kind: str = "debian"
    inner: str = ""


class Language(NamedTuple):
    """A language: its share in the mix, where its text lies, and its script for those that ask."""

    name: str
    share: float
    tags: str
    script: tuple[int, int] | None = None


_PAGES = r"\.html?$"

ENGLISH = (
    Source("anarchism", r"/markdown/.*\.md\.gz$", from_plain, 9e6),
    Source(
        "linux-doc-6.1", r"/Documentation/(?!translations|devicetree).*\.rst\.gz$", from_plain, 6e6
    ),
    Source("debian-handbook", r"/html/en-US/.*\.html$", from_html),
    Source("debian-reference-en", _PAGES, from_html),
    Source("developers-reference", r"/developers-reference/[^/]*\.html$", from_html),
    Source("debian-policy", r"/policy\.html/.*\.html$", from_html),
    Source("debian-history", r"/docs/.*en\.html$", from_html),
    Source("harden-doc", r"/en/.*\.html$|en\.html$", from_html),
    Source("installation-guide-amd64", r"/en/.*\.html$", from_html),
    Source("postgresql-doc-15", _PAGES, from_html),
    Source("python3.11-doc", _PAGES, from_html),
    Source("python-django-doc", _PAGES, from_html),
    Source("python-sqlalchemy-doc", _PAGES, from_html),
    Source("libreoffice-help-en-us", r"/text/.*\.html$", from_html),
    Source("gnome-user-docs", r"/help/C/.*\.page$", from_html),
    Source("octave-doc", _PAGES, from_html),
    Source("sqlite3-doc", _PAGES, from_html),
    Source("apache2-doc", r"\.html\.en$|/en/.*\.html$", from_html),
    Source("git-doc", r"\.txt(\.gz)?$", from_plain),
    Source("perl-doc", r"\.pod(\.gz)?$", from_plain),
    Source("racket-doc", _PAGES, from_html),
    Source("erlang-doc", r"/html/.*\.html$", from_html),
    Source("ghc-doc", r"/users_guide/.*\.html$", from_html),
    Source("libboost1.74-doc", _PAGES, from_html),
    Source("qtbase5-doc-html", _PAGES, from_html),
    Source(
        "rust-doc", r"/html/(book|cargo|rustc|reference|nomicon|embedded-book)/.*\.html$", from_html
    ),
    Source("swi-prolog-doc", _PAGES, from_html),
    Source("bind9-doc", _PAGES, from_html),
    Source("nodejs-doc", _PAGES, from_html),
    Source("exim4-doc-html", _PAGES, from_html),
    Source("vim-doc", _PAGES, from_html),
    Source("manpages", r"/man/man\d/.*\.gz$", from_troff),
    Source("manpages-dev", r"/man/man\d/.*\.gz$", from_troff),
)

CODE = (
    Source("libpython3.11-stdlib", r"\.py$", from_source),
    Source("python3-django", r"\.py$", from_source, 3e6),
    Source("linux-headers-6.1.0-55-common", r"\.h$", from_source, 4e6),
    Source("libboost1.74-dev", r"\.hpp$|\.ipp$", from_source, 4e6),
    Source("golang-1.19-src", r"\.go$", from_source, 5e6),
    Source("rust-src", r"\.rs$", from_source, 5e6),
    Source("openjdk-17-source", r"/src\.zip$", from_source, 5e6, inner=r"^java\.base/.*\.java$"),
    Source("node-typescript", r"\.d\.ts$", from_source, 2e6),
    Source("node-babel7", r"\.js$", from_source, 2e6),
    Source("node-undici", r"\.js$", from_source, 1e6),
    Source("libruby3.1", r"\.rb$", from_source, 2e6),
    Source("perl-modules-5.36", r"\.p[lm]$", from_source, 2e6),
    Source("emacs-el", r"\.el\.gz$", from_source, 2e6),
    Source("git", r"/usr/lib/git-core/git-[a-z-]+$|\.(sh|bash|tcl)$", from_source, 5e5),
)

JSON = (
    Source("google-api-python-client", r"/documents/.*\.json$", from_json, 12e6, "pypi"),
    Source("python3-botocore", r"/data/.*\.json$", from_json, 12e6),
    Source("node-caniuse-db", r"\.json$", from_json, 1.5e6),
    Source("iso-codes", r"/json/.*\.json$", from_json, 4e6),
    Source("vega-datasets", r"\.json$", from_json, 4e6, "pypi"),
    Source("plotly", r"\.json$", from_json, 4e6, "pypi"),
    Source("node-typescript", r"\.json$", from_json, 2e6),
    Source("node-babel7", r"\.json$", from_json, 2e6),
)

LANGUAGES = (
    Language("Chinese, simplified", 12, "zh_CN|zh-CN|zh", (0x4E00, 0x9FFF)),
    Language("Chinese, traditional", 4, "zh_TW|zh-TW", (0x4E00, 0x9FFF)),
    Language("Japanese", 11, "ja|ja-JP", (0x3040, 0x9FFF)),
    Language("Russian", 11, "ru|ru-RU", (0x400, 0x4FF)),
    Language("Korean", 8, "ko|ko-KR", (0xAC00, 0xD7AF)),
    Language("German", 7, "de|de-DE"),
    Language("French", 7, "fr|fr-FR"),
    Language("Spanish", 7, "es|es-ES"),
    Language("Portuguese", 4, "pt|pt-BR|pt_BR"),
    Language("Arabic", 5, "ar|ar-MA", (0x600, 0x6FF)),
    Language("Hindi", 4, "hi", (0x900, 0x97F)),
    Language("Greek", 3, "el|el-GR", (0x370, 0x3FF)),
    Language("Hebrew", 3, "he", (0x590, 0x5FF)),
    Language("Thai", 3, "th", (0xE00, 0xE7F)),
    Language("Vietnamese", 3, "vi|vi-VN"),
    Language("Ukrainian", 3, "uk", (0x400, 0x4FF)),
    Language("Polish", 3, "pl|pl-PL"),
    Language("Turkish", 3, "tr|tr-TR"),
    Language("Persian", 2, "fa|fa-IR", (0x600, 0x6FF)),
    Language("Bengali", 1.5, "bn", (0x980, 0x9FF)),
    Language("Tamil", 1.5, "ta", (0xB80, 0xBFF)),
    Language("Georgian", 1, "ka", (0x10A0, 0x10FF)),
)

# In a path of these, `TAG` stands for the tags of a language.
TRANSLATED = (
    Source("debian-handbook", r"/html/(?:TAG)/.*\.html$", from_html),
    Source("gnome-user-docs", r"/help/(?:TAG)/.*\.page$", from_html),
    Source("installation-guide-amd64", r"-amd64/(?:TAG)/.*\.html$", from_html),
    *(
        Source(f"libreoffice-help-{tag}", r"/help/(?:TAG)/text/.*\.html$", from_html)
        for tag in (
            *("de", "el", "es", "fr", "hi", "ja", "ko"),
            *("pl", "pt-br", "ru", "tr", "vi", "zh-cn", "zh-tw"),
        )
    ),
    *(
        Source(f"manpages-{tag}", r"/man/(?:TAG)(?:\.UTF-8)?/man\d/.*\.gz$", from_troff)
        for tag in ("de", "el", "es", "fr", "ja", "ja-dev", "pl", "pt-br", "ru", "uk", "zh")
    ),
    *(
        Source(f"libreoffice-l10n-{tag}", r"/(?:TAG)/LC_MESSAGES/.*\.mo$", from_catalogue)
        for tag in ("ar", "bn", "el", "fa", "he", "hi", "ka", "ko", "ta", "th", "uk")
    ),
    *(
        Source(name, r"/locale/(?:TAG)/LC_MESSAGES/.*\.mo$", from_catalogue)
        for name in ("gnucash-common", "evolution-common", "inkscape", "vlc-l10n")
    ),
)
