"""The language of sentences for people."""

from __future__ import annotations

from packframe import _core


def set_language(language: str) -> str:
    """Choose the language of the sentences of reasons and errors, and return the one before.

    `"en"` is the default, `"ru"` and `"ja"` are known too. The choice is one for the whole process
    and for what is asked afterwards; a message that was made stays as it is. Codes and stored
    manifests have no language; what is wrong with a single value is told in English. Raises
    `InvalidOption` for another language.

    >>> import packframe as pf
    >>> manifest = pf.Frame([pf.Item("a b", id="kb")]).pack(0, token_profile=len).manifest
    >>> before = pf.set_language("ru")
    >>> manifest.why("kb").reason, manifest.why("kb").message
    ('budget', '«kb» не входит в упаковку: не поместился в оставшееся место; лишних токенов: 3')
    >>> pf.set_language(before)
    'ru'
    """
    return _core.set_language(language)
