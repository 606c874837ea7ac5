//! Passwords on command lines: `mysql -p…`, `curl -u ada:…`, `sshpass -p …`.

use super::ascii::{at, before, is_blank, is_line_end, is_quote, run, run_back, starts};
use super::found::Found;
use super::key_name::{self, Kind};
use super::literal::quoted;
use super::placeholder::is_placeholder;
use super::rule::Rule;
use super::shape::{Shape, is_jumbled};
use super::value::{Form, is_secret};

/// Bytes of a line that are read back to the command.
const LINE: usize = 240;

/// How the value of an option is written.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Style {
    /// Right behind the letter.
    Joined,
    /// The next word.
    Apart,
    /// Either.
    Both,
    /// A name, this byte, and the password; either way.
    Pair(u8),
}

/// An option of some commands whose value is a password.
struct Flag {
    /// The commands, with spaces between them.
    commands: &'static str,
    /// A word that has to stand on the line too, or nothing.
    verb: &'static str,
    letter: u8,
    style: Style,
}

/// The options, from the manual pages of the commands.
const OPTIONS: [Flag; 16] = [
    option("unrar rar", "", b'p', Style::Joined),
    option("ssh-keygen", "", b'N', Style::Apart),
    option(
        "mysql mysqldump mysqladmin mysqlimport mysqlshow mariadb mariadb-dump mycli 7z 7za 7zz",
        "",
        b'p',
        Style::Joined,
    ),
    option(
        "sshpass security twine poetry hydra beeline hdbsql evil-winrm steghide mongo mongosh mongodump mongorestore mongoexport mongoimport cqlsh rabbitmqadmin psexec crackmapexec nxc rdesktop winrs useradd usermod",
        "",
        b'p',
        Style::Both,
    ),
    option(
        "docker podman nerdctl buildah skopeo oras crane helm oc az",
        "login",
        b'p',
        Style::Both,
    ),
    option("curl", "", b'u', Style::Pair(b':')),
    option("curl", "", b'U', Style::Pair(b':')),
    option("http https xh", "", b'a', Style::Pair(b':')),
    option("ab", "", b'A', Style::Pair(b':')),
    option("lftp", "", b'u', Style::Pair(b',')),
    option(
        "smbclient rpcclient smbget net",
        "",
        b'U',
        Style::Pair(b'%'),
    ),
    option("redis-cli keydb-cli valkey-cli", "", b'a', Style::Both),
    option(
        "security kadmin ldapsearch ldapadd ldapmodify ldapdelete ldapwhoami ldappasswd ldapcompare",
        "",
        b'w',
        Style::Both,
    ),
    option(
        "mosquitto_pub mosquitto_sub sqlcmd bcp tsql isql osql freebcp ipmitool zip unzip",
        "",
        b'P',
        Style::Both,
    ),
    option(
        "snmpget snmpwalk snmpset snmpbulkwalk",
        "",
        b'A',
        Style::Apart,
    ),
    option("openssl", "", b'k', Style::Apart),
];

const fn option(commands: &'static str, verb: &'static str, letter: u8, style: Style) -> Flag {
    Flag {
        commands,
        verb,
        letter,
        style,
    }
}

/// Long options whose value is a name, a colon and a password.
const PAIRS: [&[u8]; 4] = [b"user", b"proxy-user", b"auth", b"creds"];

/// Reads the option of a command whose hyphen is at `mark`.
pub(super) fn at_flag(text: &[u8], mark: usize) -> Option<Found> {
    let last = before(text, mark);
    if !(is_blank(last) || is_quote(last)) {
        return None;
    }
    let letter = at(text, mark + 1);
    if !letter.is_ascii_alphabetic() {
        return None;
    }
    if !OPTIONS.iter().any(|option| option.letter == letter) {
        return long_flag(text, mark);
    }
    let line = command_line(text, mark);
    let words = || line.split(|byte| is_blank(*byte));
    let option = OPTIONS.iter().find(|option| {
        option.letter == letter
            && words().any(|word| is_command(word, option.commands))
            && (option.verb.is_empty() || words().any(|word| word == option.verb.as_bytes()))
    });
    let Some(Flag { style, .. }) = option else {
        return long_flag(text, mark);
    };
    let joined = mark + 2;
    let apart = run(text, joined, 8, is_blank);
    let is_apart = apart > joined;
    let from = match style {
        Style::Joined if is_apart => return None,
        Style::Apart if !is_apart => return None,
        _ => apart,
    };
    if at(text, from) == b'-' && is_apart {
        return None;
    }
    let (start, end) = word(text, from)?;
    match style {
        Style::Pair(between) => pair(text, (start, end), *between),
        _ => password(text, (start, end)),
    }
}

/// Reads a long option with one hyphen, as Java's tools have: `-storepass …`, `-passin pass:…`.
fn long_flag(text: &[u8], mark: usize) -> Option<Found> {
    let end = run(text, mark + 1, 32, |byte| {
        byte.is_ascii_alphanumeric() || byte == b'_'
    });
    let name = &text[mark + 1..end];
    // PuTTY's tools.
    if name == b"pw" {
        let (start, end) = word(text, run(text, end, 8, is_blank))?;
        return password(text, (start, end));
    }
    let opens = matches!(name, b"passin" | b"passout");
    let kind = key_name::kind(name);
    if name.len() < 4 || !(opens || kind.is_some_and(|kind| kind != Kind::Doubtful)) {
        return None;
    }
    let from = run(text, end, 8, is_blank);
    if from == end || at(text, from) == b'-' {
        return None;
    }
    let (start, end) = word(text, from)?;
    if opens {
        return starts(text, start, b"pass:").then(|| password(text, (start + 5, end)))?;
    }
    is_secret(kind?, &text[start..end], Form::Code)
        .then(|| Found::new(Rule::CommandLine, start, end))
        .or_else(|| password_with_digits(text, (start, end)))
}

fn password_with_digits(text: &[u8], (start, end): (usize, usize)) -> Option<Found> {
    let value = &text[start..end];
    (value.iter().any(u8::is_ascii_digit) || is_jumbled(value))
        .then(|| password(text, (start, end)))?
}

/// Reads a long option with a name and a password, whose name starts at `name`.
pub(super) fn at_long(text: &[u8], name: usize) -> Option<Found> {
    let end = run(text, name, 24, |byte| {
        byte.is_ascii_lowercase() || byte == b'-'
    });
    if !PAIRS.contains(&&text[name..end]) {
        return None;
    }
    let from = if at(text, end) == b'=' {
        end + 1
    } else {
        run(text, end, 8, is_blank)
    };
    (from > end).then(|| pair(text, word(text, from)?, b':'))?
}

/// Returns what stands on a command line before `mark`.
fn command_line(text: &[u8], mark: usize) -> &[u8] {
    let start = run_back(text, mark, LINE, |byte| {
        !is_line_end(byte) && !matches!(byte, b'|' | b';' | b'&' | b'(')
    });
    &text[start..mark]
}

/// Says whether a word calls one of some commands, by its name or its path.
fn is_command(word: &[u8], commands: &str) -> bool {
    let name = word
        .rsplit(|byte| matches!(byte, b'/' | b'`' | b'"' | b'\''))
        .next()
        .unwrap_or(word);
    let name = name.strip_suffix(b".exe").unwrap_or(name);
    commands
        .split(' ')
        .any(|command| command.as_bytes() == name)
}

/// Returns the word of a command that starts at `from`, without its quotes.
fn word(text: &[u8], from: usize) -> Option<(usize, usize)> {
    if let Some(range) = quoted(text, from) {
        return Some(range);
    }
    let end = run(text, from, LINE, |byte| {
        byte > b' ' && byte != 0x7f && !is_quote(byte) && !matches!(byte, b'|' | b';' | b'<' | b'>')
    });
    (end > from && end - from < LINE).then_some((from, end))
}

fn password(text: &[u8], (start, end): (usize, usize)) -> Option<Found> {
    let value = &text[start..end];
    let shape = Shape::of(value);
    (shape.len >= 4
        && (shape.digits + shape.symbols > 0 || is_jumbled(value))
        && shape.letters() > 0
        && shape.blanks == 0
        && value[0] != b'$'
        && !is_ports(value)
        && (is_secret(Kind::Password, value, Form::Literal)
            || is_secret(Kind::Key, value, Form::Literal)))
    .then(|| Found::new(Rule::CommandLine, start, end))
}

/// Says whether a value is two ports or two paths, as `-p` takes elsewhere.
fn is_ports(value: &[u8]) -> bool {
    value
        .iter()
        .all(|byte| byte.is_ascii_digit() || b":/.-tcpud".contains(byte))
}

fn pair(text: &[u8], (start, end): (usize, usize), between: u8) -> Option<Found> {
    let at = text[start..end].iter().position(|byte| *byte == between)?;
    let value = &text[start + at + 1..end];
    (at > 0
        && value.len() >= 4
        && !value.starts_with(b"//")
        && value[0] != b'$'
        && value.iter().any(|byte| !byte.is_ascii_digit())
        && !is_placeholder(value))
    .then(|| Found::new(Rule::CommandLine, start + at + 1, end))
}

/// Reads a name, a slash, a password and an `@` or the end of the word.
pub(super) fn slash_pair(text: &[u8], from: usize) -> Option<Found> {
    let (start, end) = word(text, from)?;
    let slash = text[start..end].iter().position(|byte| *byte == b'/')?;
    let from = start + slash + 1;
    let stop = text[from..end]
        .iter()
        .rposition(|byte| *byte == b'@')
        .map_or(end, |at| from + at);
    (slash > 0
        && !text[start..start + slash].contains(&b'@')
        && stop > from + 3
        && !is_placeholder(&text[from..stop]))
    .then(|| Found::new(Rule::CommandLine, from, stop))
}

/// Reads what `echo` or `printf` writes into the command whose word is at `start`.
pub(super) fn piped(text: &[u8], start: usize, paired: bool) -> Option<Found> {
    let line = run_back(text, start, LINE, |byte| !is_line_end(byte));
    let before = &text[line..start];
    let pipe = before.iter().rposition(|byte| *byte == b'|')?;
    let echo = before[..pipe]
        .windows(5)
        .rposition(|part| part == b"echo " || part == b"intf ")?;
    let mut from = line + echo + 5;
    while at(text, from) == b'-' {
        from = run(text, from, 4, |byte| !is_blank(byte));
        from = run(text, from, 4, is_blank);
    }
    let (mut start, end) = word(text, from)?;
    let colon = text[start..end].iter().position(|byte| *byte == b':');
    if let Some(colon) = colon.filter(|_| paired) {
        start += colon + 1;
    }
    password(text, (start, end)).filter(|_| end <= line + pipe)
}

/// Reads the password of a remote desktop, behind `/p:`.
pub(super) fn remote(text: &[u8], start: usize, from: usize) -> Option<Found> {
    let line = command_line(text, start);
    let known = line
        .split(|byte| is_blank(*byte))
        .any(|word| is_command(word, "xfreerdp xfreerdp3 wfreerdp sdl-freerdp"));
    known.then(|| password(text, word(text, from)?))?
}

/// Reads the word at a place, or the last one, of the command whose own words start at `from`.
pub(super) fn place(text: &[u8], start: usize, from: usize, place: Option<usize>) -> Option<Found> {
    if before(text, start).is_ascii_alphanumeric() {
        return None;
    }
    let mut words = Vec::new();
    let mut next = from;
    while words.len() < 8 {
        next = run(text, next, 8, is_blank);
        let Some((start, end)) = word(text, next) else {
            break;
        };
        next = end + usize::from(is_quote(at(text, end)));
        words.push((start, end));
    }
    let batch = words
        .first()
        .is_some_and(|&(start, end)| text[start] == b'-' && text[start..end].contains(&b'b'));
    let range = if let Some(place) = place {
        words.get(place).copied()?
    } else {
        words.pop().filter(|_| batch && words.len() >= 2)?
    };
    password(text, range)
}

/// Reads what a shell gives a command behind `<<<`, where the command's words end at `end`.
pub(super) fn here_string(text: &[u8], end: usize, paired: bool) -> Option<Found> {
    let from = run(text, end, 80, |byte| !is_line_end(byte) && byte != b'<');
    if !starts(text, from, b"<<<") {
        return None;
    }
    let (start, end) = word(text, run(text, from + 3, 8, is_blank))?;
    let colon = text[start..end]
        .iter()
        .position(|byte| *byte == b':')
        .filter(|_| paired);
    password(text, (start + colon.map_or(0, |colon| colon + 1), end))
}

/// Reads `user:password` before the `@` at `sign`.
pub(super) fn data_source(text: &[u8], sign: usize) -> Option<Found> {
    let start = run_back(text, sign, 96, |byte| byte > b' ' && !is_quote(byte));
    // A URI has its own rule.
    let colon = text[start..sign].iter().position(|byte| *byte == b':')?;
    if starts(text, start + colon, b"://") {
        return None;
    }
    pair(text, (start, sign), b':')
}

/// Reads the last field of `host:port:database:user:password`, whose database starts at `from`.
pub(super) fn password_file(text: &[u8], from: usize) -> Option<Found> {
    let end = run(text, from, LINE, |byte| byte > b' ');
    let mut colons = (from..end).filter(|place| text[*place] == b':');
    let start = colons.nth(1)? + 1;
    (at(text, end) == 0 || is_line_end(at(text, end))).then(|| password(text, (start, end)))?
}
