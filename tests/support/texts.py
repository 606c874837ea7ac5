"""Hostile text: joins that cost, scripts that mix, bytes that surprise."""

from __future__ import annotations

from hypothesis import strategies as st

FRAGMENTS = [
    "",
    " ",
    "\n",
    "\n\n",
    "\n\n\n \n",
    "\r\n",
    "\r\n\t\r\n",
    "/*\r\n",
    "Item done.\r\n\n",
    "a1_.",
    ".s-  ",
    "a1_..s-  ",
    "e\u0301",
    "\u0301\u0300",
    "o\u0308\u0323",
    "שלום עולם",
    "יתท",
    "สวัสดีชาวโลก",
    "👩‍🚀",
    "👨‍👩‍👧‍👦🦊",
    "🏳️‍🌈",
    "今日は会議の予定を確認します。",
    "予算",
    "ſ'K it's I'ſ DON'T",
    "def f(x): return x\n",
    "    if a == b:\n        return c[0] + {}\n",
    "aGVsbG8gd29ybGQhIQ==",
    "TWFuIGlzIGRpc3Rpbmd1aXNoZWQ",
    "\x00",
    "a\x00b",
    "1234567890123",
    "3.14, 2,718",
    "<|endoftext|>",
    "<|im_start|>user",
    "<|endofprompt|>[CLS]",
    "<|endof",
    "text|> <unk>",
    "the quick brown fox ",
    "jumps over the lazy dog. ",
    "internationalisation",
    "ẞtraße ǅ Ω",
    "\u200b\u200d\ufeff",
    "\U0010ffff\ue000",
    "!!!???...",
    "\t\t  \t",
    "x" * 30,
]

JOINING = [
    "/*\r\n",
    "\r\n\t\r\n",
    "\r\n",
    "Item done.\r\n\n",
    "a1_.",
    ".s-  ",
    "\n\n\n \n",
    "\u0301\u0300",
    " \t",
    "יתท",
    "12",
    "'s",
    "I'",
    "  ",
    "tion",
    "interna",
    "<|endof",
    "text|>",
]
"""Texts that count otherwise beside each other than alone."""

texts: st.SearchStrategy[str] = st.one_of(
    st.lists(st.sampled_from(FRAGMENTS), max_size=4).map("".join),
    st.lists(st.sampled_from(FRAGMENTS), max_size=2).map("".join),
    st.text(st.characters(exclude_categories=["Cs"]), max_size=12),
)

short_texts: st.SearchStrategy[str] = st.sampled_from(FRAGMENTS)

json_values: st.SearchStrategy[object] = st.recursive(
    st.none()
    | st.booleans()
    | st.integers(-(2**53), 2**53)
    | st.sampled_from([0.5, -1.25, 1000.0])
    | short_texts,
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(short_texts, inner, max_size=3),
    max_leaves=6,
)
