#!/bin/sh
# Prints one line that says what to install if a needed tool is missing or too old, else nothing.
# Usage: missing.sh PYTHON TOOL..., where TOOL is one of python, rust, lints, cc.
python=$1
shift

rust_needed=$(sed -n 's/^rust-version = "\([0-9.]*\)"$/\1/p' Cargo.toml)

# at_least HAVE WANT: compares the first two numbers of two versions.
at_least() {
    have_major=${1%%.*}; have_rest=${1#*.}; have_minor=${have_rest%%.*}
    want_major=${2%%.*}; want_rest=${2#*.}; want_minor=${want_rest%%.*}
    [ "$have_major" -gt "$want_major" ] ||
        { [ "$have_major" -eq "$want_major" ] && [ "$have_minor" -ge "$want_minor" ]; }
}

say() {
    echo "$1"
    exit 0
}

for tool in "$@"; do
    case $tool in
    python)
        command -v "$python" >/dev/null 2>&1 ||
            say "'$python' was not found: install Python 3.10 or newer, or name one with 'make PYTHON=...'"
        "$python" -c 'import sys; sys.exit(sys.version_info < (3, 10))' >/dev/null 2>&1 ||
            say "'$python' is too old: install Python 3.10 or newer, or name one with 'make PYTHON=...'"
        "$python" -c 'import venv, ensurepip' >/dev/null 2>&1 ||
            say "'$python' cannot make virtual environments: install its venv package (python3-venv on Debian)"
        ;;
    rust)
        command -v cargo >/dev/null 2>&1 && command -v rustc >/dev/null 2>&1 ||
            say "cargo was not found: install Rust $rust_needed or newer with rustup"
        rust_found=$(rustc --version 2>/dev/null | sed -n 's/^rustc \([0-9]*\.[0-9]*\).*/\1/p')
        [ -n "$rust_found" ] && at_least "$rust_found" "$rust_needed" ||
            say "Rust ${rust_found:-that runs} is not enough: install $rust_needed or newer with 'rustup update stable'"
        ;;
    lints)
        cargo clippy --version >/dev/null 2>&1 && cargo fmt --version >/dev/null 2>&1 ||
            say "clippy or rustfmt was not found: install both with 'rustup component add clippy rustfmt'"
        ;;
    cc)
        command -v "${CC:-cc}" >/dev/null 2>&1 ||
            say "'${CC:-cc}' was not found: install a C compiler (gcc or clang)"
        ;;
    esac
done
