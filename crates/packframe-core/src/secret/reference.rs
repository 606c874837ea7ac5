//! Values that are taken from elsewhere: variables, templates, formats.

use super::ascii::{contains, run};

/// Bytes of a name that are read at most.
const LONGEST_NAME: usize = 64;

/// Says whether a value is taken from elsewhere: `$NAME`, `${NAME}`, `{{ name }}`, `%s`, `#{x}`,
/// `$_POST['name']`.
pub(super) fn is_reference(value: &[u8]) -> bool {
    if is_indexed(value) {
        return true;
    }
    match value {
        [b'$' | b'%', b'{' | b'(', ..] | [b'{' | b'#', b'{', ..] => true,
        [b'$', rest @ ..] => {
            let plain = rest
                .iter()
                .all(|byte| byte.is_ascii_alphanumeric() || matches!(byte, b'_' | b':' | b'.'));
            let named = rest
                .first()
                .is_some_and(|byte| byte.is_ascii_alphabetic() || *byte == b'_');
            plain && named
        }
        [b'%', conversion] => conversion.is_ascii_alphabetic(),
        _ => {
            contains(value, b"${")
                || contains(value, b"{{")
                || contains(value, b"$(")
                || contains(value, b"<%")
                || is_conversion(value)
                || (contains(value, b"{") && contains(value, b"}") && is_format(value))
        }
    }
}

/// Says whether a value is a variable with a sign before its name and an index behind it, as
/// requests are read: `$_POST[`, `$ENV{NAME}`, `@params[:user][:name]`, `$Request.Form[`.
///
/// A bare value ends at a quote, so an index may end where it starts.
fn is_indexed(value: &[u8]) -> bool {
    let value = value.strip_prefix(b"@$").unwrap_or(match value {
        [b'$' | b'@', rest @ ..] => rest,
        _ => return false,
    });
    let name = run(value, 0, LONGEST_NAME, |byte| {
        byte.is_ascii_alphanumeric() || matches!(byte, b'_' | b'.' | b':' | b'-' | b'>')
    });
    if name == 0 || value[0].is_ascii_digit() {
        return false;
    }
    let mut place = name;
    while place < value.len() {
        let close = match value[place] {
            b'[' => b']',
            b'{' => b'}',
            b'(' => b')',
            _ => return false,
        };
        place = run(value, place + 1, LONGEST_NAME, |byte| {
            byte.is_ascii_alphanumeric() || matches!(byte, b'_' | b'.' | b':' | b'-' | b'$' | b'>')
        });
        if place == value.len() {
            return place == name + 1;
        }
        if value[place] != close {
            return false;
        }
        place += 1;
        // Perl: $form->{user}->{name}.
        place = run(value, place, 2, |byte| matches!(byte, b'-' | b'>'));
    }
    place > name
}

/// Says whether a value has a `%s` that no letter or digit follows.
fn is_conversion(value: &[u8]) -> bool {
    value
        .windows(2)
        .position(|pair| pair == b"%s")
        .is_some_and(|at| {
            value
                .get(at + 2)
                .is_none_or(|byte| !byte.is_ascii_alphanumeric())
        })
}

/// Says whether braces of a value hold a name, as in a format string.
fn is_format(value: &[u8]) -> bool {
    let open = value.iter().position(|byte| *byte == b'{').unwrap_or(0);
    let close = value.iter().rposition(|byte| *byte == b'}').unwrap_or(0);
    open < close
        && value[open + 1..close]
            .iter()
            .all(|byte| byte.is_ascii_alphanumeric() || matches!(byte, b'_' | b'.' | b'!' | b':'))
}
