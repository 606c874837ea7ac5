//! Words that a secret may follow, in any case: one automaton finds them, and says what to read.

use std::sync::LazyLock;

use aho_corasick::{AhoCorasick, MatchKind};

use super::call;
use super::command;
use super::found::Found;
use super::sentence::{self, Noun};

/// What is read behind a word.
#[derive(Debug, Clone, Copy)]
enum Reader {
    /// A sentence, or the arguments of a call, about a password or a key.
    Noun(Noun),
    /// The arguments of a call of which the last is a password.
    Login,
    /// The same of a call that is told other things too.
    Connect,
    /// The arguments of a call of which one is a key.
    Signer,
    /// The first argument of a call that hashes a password.
    Hasher,
    /// A string in quotes.
    Statement,
    /// `user:password` before the protocol of a data source.
    DataSource,
    /// The rest of a line of a password file.
    PasswordFile,
    /// `user/password@`.
    SlashPair,
    /// What `echo` wrote on the same line; `paired` with a name before a colon.
    Piped { paired: bool },
    /// Words of a command, of which the one at this place is a secret.
    Place(usize),
    /// The password of a remote desktop.
    Remote,
    /// Words of a command, of which the last is a secret.
    LastPlace,
}

/// Words of English that name fields too.
const PASSWORD: Reader = Reader::Noun(Noun::Password);
/// Words of other languages.
const FOREIGN: Reader = Reader::Noun(Noun::Foreign);
const FOREIGN_KEY: Reader = Reader::Noun(Noun::ForeignKey);
const KEY: Reader = Reader::Noun(Noun::Key);
const ACCOUNT: Reader = Reader::Noun(Noun::Account);

/// The words, in lower case; of those that start at one place, the longest counts.
///
/// Words with letters beyond ASCII are there as they are written in the middle, at the start and
/// in a line of capitals, since only ASCII is compared in any case.
const WORDS: &[(&str, Reader)] = &[
    ("password", PASSWORD),
    ("passwd", PASSWORD),
    ("passphrase", PASSWORD),
    ("passcode", PASSWORD),
    ("passkey", PASSWORD),
    ("pwd", PASSWORD),
    ("pass", Reader::Noun(Noun::Pass)),
    ("pw", Reader::Noun(Noun::Pass)),
    ("psk", PASSWORD),
    ("requirepass", PASSWORD),
    ("bindpw", PASSWORD),
    ("rootpw", PASSWORD),
    ("masterauth", PASSWORD),
    // German, Dutch, Scandinavian.
    ("passwort", FOREIGN),
    ("kennwort", FOREIGN),
    ("zugangscode", FOREIGN),
    ("wachtwoord", FOREIGN),
    ("wagwoord", FOREIGN),
    ("lösenord", FOREIGN),
    ("LÖSENORD", FOREIGN),
    ("passord", FOREIGN),
    ("adgangskode", FOREIGN),
    ("kodeord", FOREIGN),
    ("salasana", FOREIGN),
    ("tunnussana", FOREIGN),
    ("salasõna", FOREIGN),
    ("lykilorð", FOREIGN),
    // Romance languages.
    ("mot de passe", FOREIGN),
    ("mots de passe", FOREIGN),
    ("mdp", FOREIGN),
    ("code d'accès", FOREIGN),
    ("contraseña", FOREIGN),
    ("CONTRASEÑA", FOREIGN),
    ("contrasena", FOREIGN),
    ("clave", FOREIGN),
    ("contrasenya", FOREIGN),
    ("senha", FOREIGN),
    ("palavra-passe", FOREIGN),
    ("palavra passe", FOREIGN),
    ("contrasinal", FOREIGN),
    ("pasahitza", FOREIGN),
    ("pasvorto", FOREIGN),
    ("cyfrinair", FOREIGN),
    ("pasfhocal", FOREIGN),
    ("parola", FOREIGN),
    ("parolă", FOREIGN),
    ("parole", FOREIGN),
    // Slavic and Baltic languages, Hungarian, Estonian.
    ("hasło", FOREIGN),
    ("HASŁO", FOREIGN),
    ("hasła", FOREIGN),
    ("heslo", FOREIGN),
    ("geslo", FOREIGN),
    ("lozinka", FOREIGN),
    ("šifra", FOREIGN),
    ("slaptažodis", FOREIGN),
    ("jelszó", FOREIGN),
    ("jelszav", FOREIGN),
    ("JELSZÓ", FOREIGN),
    ("parool", FOREIGN),
    ("парол", FOREIGN),
    ("Парол", FOREIGN),
    ("ПАРОЛ", FOREIGN),
    ("құпия сөз", FOREIGN),
    ("құпиясөз", FOREIGN),
    ("нууц үг", FOREIGN),
    ("პაროლი", FOREIGN),
    ("գաղտնաբառ", FOREIGN),
    ("лозинка", FOREIGN),
    ("Лозинка", FOREIGN),
    // Turkish, Greek, Semitic languages, Persian, Urdu.
    ("şifre", FOREIGN),
    ("Şifre", FOREIGN),
    ("ŞİFRE", FOREIGN),
    ("sifre", FOREIGN),
    ("şifrə", FOREIGN),
    ("parol", FOREIGN),
    ("κωδικ", FOREIGN),
    ("Κωδικ", FOREIGN),
    ("ΚΩΔΙΚ", FOREIGN),
    ("συνθηματικ", FOREIGN),
    ("Συνθηματικ", FOREIGN),
    ("كلمة المرور", FOREIGN),
    ("كلمة السر", FOREIGN),
    ("كلمة مرور", FOREIGN),
    ("סיסמ", FOREIGN),
    ("رمز عبور", FOREIGN),
    ("گذرواژه", FOREIGN),
    ("پاس ورڈ", FOREIGN),
    ("پاسورد", FOREIGN),
    // South and east Asia.
    ("पासवर्ड", FOREIGN),
    ("পাসওয়ার্ড", FOREIGN),
    ("கடவுச்சொல்", FOREIGN),
    ("รหัสผ่าน", FOREIGN),
    ("mật khẩu", FOREIGN),
    ("Mật khẩu", FOREIGN),
    ("kata sandi", FOREIGN),
    ("sandi", FOREIGN),
    ("kata laluan", FOREIGN),
    ("nenosiri", FOREIGN),
    ("密码", FOREIGN),
    ("密碼", FOREIGN),
    ("口令", FOREIGN),
    ("パスワード", FOREIGN),
    ("暗証番号", FOREIGN),
    ("合言葉", FOREIGN),
    ("비밀번호", FOREIGN),
    ("암호", FOREIGN),
    ("비번", FOREIGN),
    ("패스워드", FOREIGN),
    // Keys and tokens.
    ("api key", KEY),
    ("api-key", KEY),
    ("api_key", KEY),
    ("apikey", KEY),
    ("access key", KEY),
    ("access_key", KEY),
    ("license key", KEY),
    ("signing key", KEY),
    ("encryption key", KEY),
    ("token", KEY),
    ("secret", KEY),
    ("authtoken", KEY),
    ("key", Reader::Noun(Noun::LoneKey)),
    ("schlüssel", FOREIGN_KEY),
    ("clé api", FOREIGN_KEY),
    ("clé d'api", FOREIGN_KEY),
    ("clave api", FOREIGN_KEY),
    ("clave de api", FOREIGN_KEY),
    ("api密钥", FOREIGN_KEY),
    ("密钥", FOREIGN_KEY),
    ("apiキー", FOREIGN_KEY),
    ("api ключ", FOREIGN_KEY),
    ("токен", FOREIGN_KEY),
    ("Токен", FOREIGN_KEY),
    ("clé secrète", FOREIGN_KEY),
    ("chave api", FOREIGN_KEY),
    ("chave de api", FOREIGN_KEY),
    ("chiave api", FOREIGN_KEY),
    ("ключ api", FOREIGN_KEY),
    ("api-ключ", FOREIGN_KEY),
    ("klucz api", FOREIGN_KEY),
    ("jeton", FOREIGN_KEY),
    ("geheimnis", FOREIGN_KEY),
    ("geheim", FOREIGN_KEY),
    // Accounts.
    ("credentials", ACCOUNT),
    ("creds", ACCOUNT),
    ("login", ACCOUNT),
    ("wifi", ACCOUNT),
    ("wi-fi", ACCOUNT),
    ("wlan", ACCOUNT),
    ("log in", ACCOUNT),
    ("sign in", ACCOUNT),
    ("zugangsdaten", ACCOUNT),
    ("identifiants", ACCOUNT),
    ("credenciales", ACCOUNT),
    ("credenziali", ACCOUNT),
    // Calls.
    ("login(", Reader::Login),
    ("auth(", Reader::Login),
    ("auth=(", Reader::Login),
    ("auth = (", Reader::Login),
    ("auth: [", Reader::Login),
    ("basic_auth(", Reader::Login),
    ("authenticate(", Reader::Login),
    ("authentication(", Reader::Login),
    ("authenticator(", Reader::Login),
    ("credential(", Reader::Login),
    ("credentials(", Reader::Login),
    ("signin(", Reader::Login),
    ("sign_in(", Reader::Login),
    ("getconnection(", Reader::Login),
    ("connect(", Reader::Connect),
    ("mysqli(", Reader::Connect),
    ("pdo(", Reader::Connect),
    ("ftp(", Reader::Connect),
    ("ldap_bind(", Reader::Connect),
    ("bind_s(", Reader::Connect),
    ("simple_bind(", Reader::Connect),
    ("httpbasic(", Reader::Login),
    ("wifi.begin(", Reader::Connect),
    ("create_user(", Reader::Connect),
    ("createuser(", Reader::Connect),
    ("create_superuser(", Reader::Connect),
    ("client(", Reader::Signer),
    ("bot(", Reader::Signer),
    ("aes.new(", Reader::Signer),
    ("aesgcm(", Reader::Signer),
    ("openssl_encrypt(", Reader::Signer),
    ("openssl_decrypt(", Reader::Signer),
    ("aes.encrypt(", Reader::Signer),
    ("aes.decrypt(", Reader::Signer),
    ("createcipheriv(", Reader::Signer),
    ("createdecipheriv(", Reader::Signer),
    ("hash_hmac(", Reader::Signer),
    ("hmac256(", Reader::Signer),
    ("hmac512(", Reader::Signer),
    ("hmacshakeyfor(", Reader::Signer),
    ("cookieparser(", Reader::Signer),
    ("password_hash(", Reader::Hasher),
    ("password_verify(", Reader::Hasher),
    ("make_password(", Reader::Hasher),
    ("bcrypt.hash(", Reader::Hasher),
    ("bcrypt.hashsync(", Reader::Hasher),
    ("bcrypt.compare(", Reader::Hasher),
    ("hashpw(", Reader::Hasher),
    ("encoder.encode(", Reader::Hasher),
    ("signwith(", Reader::Signer),
    ("setsigningkey(", Reader::Signer),
    ("secretkeyspec(", Reader::Signer),
    ("jwt.encode(", Reader::Signer),
    ("jwt.decode(", Reader::Signer),
    ("jwt.sign(", Reader::Signer),
    ("jwt.verify(", Reader::Signer),
    ("hmac.new(", Reader::Signer),
    ("createhmac(", Reader::Signer),
    ("fernet(", Reader::Signer),
    // Statements.
    ("identified by", Reader::Statement),
    ("native_password by", Reader::Statement),
    ("sha2_password by", Reader::Statement),
    ("securestring", Reader::Statement),
    // Oracle.
    (":thin:", Reader::SlashPair),
    ("sqlplus ", Reader::SlashPair),
    ("expdp ", Reader::SlashPair),
    ("impdp ", Reader::SlashPair),
    ("sqlldr ", Reader::SlashPair),
    ("rman target ", Reader::SlashPair),
    // Data sources of Go, password files of PostgreSQL.
    ("@tcp(", Reader::DataSource),
    ("@unix(", Reader::DataSource),
    (":5432:", Reader::PasswordFile),
    // Commands.
    ("chpasswd", Reader::Piped { paired: true }),
    ("password-stdin", Reader::Piped { paired: false }),
    ("passwd --stdin", Reader::Piped { paired: false }),
    ("sudo -s", Reader::Piped { paired: false }),
    ("mc alias set ", Reader::Place(3)),
    ("mc config host add ", Reader::Place(3)),
    ("net user ", Reader::Place(1)),
    ("net use ", Reader::Place(2)),
    ("vault login ", Reader::Place(0)),
    ("cargo login ", Reader::Place(0)),
    ("bw login ", Reader::Place(1)),
    ("add_user ", Reader::Place(1)),
    ("change_password ", Reader::Place(1)),
    ("http-basic.", Reader::Place(2)),
    (" /p:", Reader::Remote),
    ("wpa_passphrase ", Reader::Place(1)),
    ("htpasswd ", Reader::LastPlace),
];

static AUTOMATON: LazyLock<AhoCorasick> = LazyLock::new(|| {
    AhoCorasick::builder()
        .match_kind(MatchKind::LeftmostLongest)
        .ascii_case_insensitive(true)
        .build(WORDS.iter().map(|(word, _)| word))
        .expect("some short words make an automaton")
});

/// Finds the secrets behind the words of a text.
pub(super) fn scan(text: &str, found: &mut Vec<Found>) {
    let bytes = text.as_bytes();
    for mark in AUTOMATON.find_iter(text) {
        let (start, end) = (mark.start(), mark.end());
        let claim = match WORDS[mark.pattern().as_usize()].1 {
            Reader::Noun(noun) => call::behind_name(bytes, start, end)
                .or_else(|| sentence::read(bytes, start, end, noun)),
            Reader::Login => call::login(bytes, end, true),
            Reader::Connect => call::login(bytes, end, false),
            Reader::Signer => call::signer(bytes, end),
            Reader::Hasher => call::hasher(bytes, end),
            Reader::DataSource => command::data_source(bytes, start),
            Reader::PasswordFile => command::password_file(bytes, end),
            Reader::Statement => call::statement(bytes, end),
            Reader::SlashPair => command::slash_pair(bytes, end),
            Reader::Piped { paired } => command::piped(bytes, start, paired)
                .or_else(|| command::here_string(bytes, end, paired)),
            Reader::Place(place) => command::place(bytes, start, end, Some(place)),
            Reader::Remote => command::remote(bytes, start, end),
            Reader::LastPlace => command::place(bytes, start, end, None),
        };
        found.extend(claim);
    }
}
