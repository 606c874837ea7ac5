//! Names of accounts, as they are told beside passwords.

use super::ascii::{is_line_end, run_back};

/// Words for the name of an account, as it is told beside a password. In lower case.
const ACCOUNTS: [&str; 24] = [
    "account",
    "admin",
    "benutzer",
    "benutzername",
    "email",
    "gebruiker",
    "gebruikersnaam",
    "identifiant",
    "kullanıcı",
    "login",
    "user",
    "userid",
    "username",
    "usuario",
    "usuária",
    "usuário",
    "utente",
    "utilisateur",
    "uid",
    "логин",
    "пользователь",
    "用户名",
    "ユーザー",
    "użytkownik",
];

/// Says whether an account is told before a place, on its line or on the one above it:
/// `login: ada, pass: …`.
///
/// In code, where users and passwords are names, it is not told; `prose` says that this is none.
pub(super) fn is_accompanied(text: &[u8], place: usize, prose: bool) -> bool {
    let mut from = run_back(text, place, 80, |byte| !is_line_end(byte));
    if text[from..place].trim_ascii().is_empty() && from > 0 {
        from = run_back(text, from - 1, 80, |byte| !is_line_end(byte));
    }
    let before = String::from_utf8_lossy(&text[from..place]).to_lowercase();
    let code = before.contains(['(', '{', '=', '?', '&']) || !prose && before.contains('.');
    let mut words = before.split(|c: char| !c.is_alphanumeric() && !matches!(c, '_' | '@' | '-'));
    !code && words.any(|word| ACCOUNTS.contains(&word.trim_matches('_')))
}
