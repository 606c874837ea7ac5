//! Secrets: what each rule finds, what it leaves, and what redaction makes of it.
//!
//! The keys were made up for these tests. `¦` stands inside of them so that no scanner of
//! repositories takes them for real ones; it is taken out before use. What is a secret stands
//! between `⟦` and `⟧`.

use std::time::{Duration, Instant};

use packframe_core::{ErrorKind, Secret, SecretRules};

use crate::support::Random;

/// A rule, and a text with one secret of it.
const SECRETS: &[(&str, &str)] = &[
    (
        "private_key",
        "⟦-----BEGIN RSA PRIVATE¦ KEY-----\nMIIEowIBAAKCAQEAx7Gk2v9QmPzR4tYw1nLbJ8sDfHc3VuEoKi6Xa5MjTqZpWr0N\nBgUyCe2hOdSl8AvFk3JxIm7Q\n-----END RSA PRIVATE KEY-----⟧\n",
    ),
    (
        "private_key",
        "key:\n⟦-----BEGIN OPENSSH PRIVATE¦ KEY-----\nb3BlbnNzaC1rZXktdjEAAAAABG5vbmUAAAAEbm9uZQAAAAAAAAABAAAAMwAAAAtzc2gt\nZWQyNTUxOQAAACDk3mVq\n-----END OPENSSH PRIVATE KEY-----⟧",
    ),
    (
        "private_key",
        "⟦-----BEGIN EC PRIVATE¦ KEY-----\r\nMHcCAQEEIIrYSSNQFaA2Hwf1duRSxKtLYX5CB04fSeQ6tF1aY/PuoAoGCCqGSM49\r\n-----END EC PRIVATE KEY-----⟧",
    ),
    (
        "private_key",
        "⟦-----BEGIN PGP PRIVATE¦ KEY BLOCK-----\nVersion: GnuPG v2\n\nlQOYBF2x8m0BCADHq3kW0l9vZc7eRtYuIoPaSdFgHjKlZxCvBnMqWeRtYuIoPaSd\n=AbC1\n-----END PGP PRIVATE KEY BLOCK-----⟧",
    ),
    (
        "private_key",
        "⟦-----BEGIN RSA PRIVATE¦ KEY-----\nProc-Type: 4,ENCRYPTED\nDEK-Info: AES-128-CBC,0123456789ABCDEF0123456789ABCDEF\n\nMIIEowIBAAKCAQEAx7Gk2v9QmPzR4tYw1nLbJ8sDfHc3VuEoKi6Xa5MjTqZpWr0N\nMIIEowIBAAKCAQEAx7Gk2v9QmPzR4tYw1nLbJ8sDfHc3VuEoKi6Xa5MjTqZpWr0N\n-----END RSA PRIVATE KEY-----⟧",
    ),
    (
        "private_key",
        r#"{"private_key": "⟦-----BEGIN PRIVATE¦ KEY-----\nMIIEvQIBADANBgkqhkiG9w0BAQEFAASCBKcwggSjAgEAAoIBAQC7x9\nQmPzR4tYw1nLbJ8sDfHc3VuEoKi6Xa5MjTqZpWr0N\n-----END PRIVATE KEY-----⟧\n"}"#,
    ),
    (
        "private_key",
        "cut off: ⟦-----BEGIN PRIVATE¦ KEY-----\nMIIEvQIBADANBgkqhkiG9w0BAQEFAASCBKcwggSjAgEAAoIBAQC7x9QmPzR4tYw1\nnLbJ8sDfHc3VuEoKi6Xa5⟧",
    ),
    ("aws_access_key_id", "id ⟦AKI¦AQ3EGT7KZW5XJ2RLP⟧."),
    ("aws_access_key_id", "(⟦ASI¦AY34FZKBOKMUTVV7A⟧)"),
    (
        "aws_secret_key",
        "aws_secret_access_key = ⟦kR9vXw2LmQ8z/TbN4cYpJ6dHs0aGfEu3WiKo+5Vr⟧\n",
    ),
    (
        "aws_secret_key",
        "export AWS_SECRET_ACCESS_KEY=⟦kR9vXw2LmQ8z/TbN4cYpJ6dHs0aGfEu3WiKo+5Vr⟧",
    ),
    (
        "aws_secret_key",
        r#"{"SecretAccessKey":"⟦kR9vXw2LmQ8z/TbN4cYpJ6dHs0aGfEu3WiKo+5Vr⟧"}"#,
    ),
    (
        "github_token",
        "git clone with ⟦ghp¦_R4kVn8QzT2mXw7LbJ5cYpH9dGs3aFfEu6WiK⟧!",
    ),
    (
        "github_token",
        "⟦ghs¦_R4kVn8QzT2mXw7LbJ5cYpH9dGs3aFfEu6WiK⟧",
    ),
    (
        "github_token",
        "GITHUB_TOKEN=⟦gho¦_R4kVn8QzT2mXw7LbJ5cYpH9dGs3aFfEu6WiK⟧",
    ),
    (
        "github_token",
        "⟦github¦_pat_11ABCDEFG0aBcDeFgHiJkL_mNoPqRsTuVwXyZ0123456789aBcDeFgHiJkLmNoPqRsTuVwXyZ01234567⟧",
    ),
    (
        "slack_token",
        "SLACK: ⟦xox¦b-274918305512-4820193746521-Qw8zR4tYu1nLbJ6sDfHc3VkE⟧",
    ),
    (
        "slack_token",
        "⟦xox¦p-274918305512-274918305513-4820193746521-a4f0c2d98b7e61350fa2c4d6e8b09731⟧",
    ),
    (
        "slack_token",
        "⟦xap¦p-1-A012B3C4D5E-4820193746521-a4f0c2d98b7e61350fa2c4d6e8b09731a4f0c2d98b7e6135⟧",
    ),
    (
        "slack_token",
        "⟦xox¦e.xoxp-1-Mi0yLTI3NDkxODMwNTUxMi0yNzQ5MTgz⟧",
    ),
    (
        "slack_webhook",
        "https://hooks.slack.com/services/⟦T02¦QK8ZRV/B05LMW7XJ3N/h4Kq9ZtVw2RmX7cYpLbJ6dHs⟧",
    ),
    (
        "google_api_key",
        "key=⟦AIza¦SyB7kR9vXw2LmQ8zTbN4cYpJ6dHs0aGfEu3⟧",
    ),
    ("google_oauth", "⟦GOCSPX¦-kR9vXw2LmQ8zTbN4cYpJ6dHs0aGf⟧"),
    (
        "google_oauth",
        "⟦ya29¦.a0AfH6SMBkR9vXw2LmQ8zTbN4cYpJ6dHs0aGfEu3⟧",
    ),
    (
        "stripe_key",
        "stripe.api_key = '⟦sk_¦live_51H8xKqLmZ4vRtYw2nJbDcFgSp⟧'",
    ),
    ("stripe_key", "⟦rk_¦live_51H8xKqLmZ4vRtYw2nJbDcFgSp⟧"),
    ("stripe_key", "⟦whsec¦_kR9vXw2LmQ8zTbN4cYpJ6dHs0aGfEu3W⟧"),
    (
        "openai_key",
        "⟦sk-¦kR9vXw2LmQ8zTbN4cYpJT3BlbkFJ6dHs0aGfEu3WiKo5VrZq⟧",
    ),
    (
        "openai_key",
        "use ⟦sk-¦proj-kR9vXw2LmQ8zTbN4_cYpJT3BlbkFJ6dHs0a-GfEu3WiKo5VrZq⟧, please",
    ),
    (
        "openai_key",
        "⟦sk-¦svcacct-kR9vXw2LmQ8zTbN4_cYpJT3BlbkFJ6dHs0a-GfEu3WiKo5VrZq⟧",
    ),
    (
        "openai_key",
        "⟦sk-¦or-v1-4f0c2d98b7e61350fa2c4d6e8b09731a4f0c2d98b7e61350fa2c4d6e8b0973⟧",
    ),
    (
        "anthropic_key",
        "⟦sk-¦ant-api03-kR9vXw2LmQ8zTbN4_cYpJ6dHs0a-GfEu3WiKo5VrZqAA⟧",
    ),
    (
        "anthropic_key",
        "x-api-key: ⟦sk-¦ant-api03-kR9vXw2LmQ8zTbN4_cYpJ6dHs0a-GfEu3WiKo5VrZqAA⟧",
    ),
    ("gitlab_token", "⟦glpat¦-kR9vXw2LmQ8zTbN4cYpJ⟧"),
    (
        "npm_token",
        "//registry/:_authToken=⟦npm¦_kR9vXw2LmQ8zTbN4cYpJ6dHs0aGfEu3WiKo5⟧",
    ),
    (
        "pypi_token",
        "⟦pypi¦-AgEIcHlwaS5vcmcCJDRmMGMyZDk4LWI3ZTYtMTM1MC1mYTJjLTRkNmU4YjA5NzMxYQACKlszLCJh⟧",
    ),
    (
        "huggingface_token",
        "⟦hf¦_kRvXwLmQzTbNcYpJdHsaGfEuWiKoVrZq23⟧",
    ),
    (
        "jwt",
        "cookie ⟦eyJ¦hbGciOiJIUzI1NiJ9.eyJzdWIiOiI0MiIsImFkbWluIjp0cnVlfQ.kR9vXw2LmQ8zTbN4cYpJ6dHs0aGfEu3WiKo5⟧.",
    ),
    (
        "bearer_token",
        "curl -H 'Authorization: Bearer ⟦kR9vXw2LmQ8zTbN4cYpJ6dHs⟧' x",
    ),
    (
        "bearer_token",
        r#"{"Authorization": "Bearer ⟦7f3c9a1e5d2b8460⟧"}"#,
    ),
    (
        "bearer_token",
        "send bearer ⟦kR9vXw2LmQ8zTbN4cYpJ6dHs⟧ with it",
    ),
    ("basic_auth", "Authorization: Basic ⟦YWRhOjRuNGx5N2ljNGw=⟧"),
    (
        "uri_credentials",
        "postgresql://app:⟦h4rdT0Gu3ss⟧@db.internal:5432/main",
    ),
    ("uri_credentials", "redis://:⟦k9Xv2Lm⟧@cache:6379/0"),
    (
        "uri_credentials",
        "mongodb+srv://svc:⟦p%40ssw0rd!⟧@c0.mongodb.net/?retryWrites=true",
    ),
    ("uri_credentials", "amqp://mq:⟦swordfish⟧@rabbit//"),
    (
        "uri_credentials",
        "https://⟦kR9vXw2LmQ8zTbN4cYpJ6d⟧:x-oauth-basic@git.internal/a.git",
    ),
    ("assignment", "password=⟦hunter2⟧"),
    ("assignment", "DB_PASSWORD=⟦swordfish⟧\n"),
    ("assignment", "password: ⟦hunter2⟧\nuser: ada"),
    ("assignment", "  password: ⟦swordfish⟧\n"),
    ("assignment", "password = \"⟦hunter2⟧\""),
    ("assignment", "const dbPassword = '⟦Tr0ub4dor&3⟧';"),
    ("assignment", "let password: &str = \"⟦Tr0ub4dor&3⟧\";"),
    ("assignment", "password: str = '⟦Tr0ub4dor&3⟧'"),
    ("assignment", "PASSWD := \"⟦Tr0ub4dor&3⟧\""),
    ("assignment", "'password' => '⟦Tr0ub4dor&3⟧',"),
    ("assignment", "config[\"password\"] = \"⟦Tr0ub4dor&3⟧\""),
    (
        "assignment",
        r#"{"user": "ada", "password": "⟦Tr0ub4dor&3⟧"}"#,
    ),
    ("assignment", r#"{\"password\": \"⟦Tr0ub4dor&3⟧\"}"#),
    (
        "assignment",
        "Server=db;User Id=sa;Password=⟦Tr0ub4dor3⟧;Encrypt=yes",
    ),
    (
        "assignment",
        "https://api.internal/v1?api_key=⟦kR9vXw2LmQ8zTbN4⟧&page=2",
    ),
    ("assignment", "api_key: ⟦kR9vXw2LmQ8zTbN4⟧"),
    ("assignment", "API key: ⟦kR9vXw2LmQ8zTbN4⟧"),
    ("assignment", "X-Api-Key: ⟦kR9vXw2LmQ8zTbN4⟧"),
    (
        "assignment",
        "client_secret = \"⟦4f0c2d98b7e61350fa2c4d6e8b09731a⟧\"",
    ),
    (
        "assignment",
        "SECRET_KEY = '⟦django-insecure-k9$v+x2l@m8z#tb4cypj6dhs⟧'",
    ),
    (
        "assignment",
        "heroku_api_key=⟦4f0c2d98-b7e6-4350-fa2c-4d6e8b09731a⟧",
    ),
    (
        "assignment",
        "AccountKey=⟦kR9vXw2LmQ8zTbN4cYpJ6dHs0aGfEu3WiKo5Vr+kR9vXw2LmQ8zTbN4cYpJ6dHs0aGfEu3WiKo5Vr==⟧;",
    ),
    ("assignment", "mysqldump --password=⟦s3cr3tP4ss⟧ db"),
    ("assignment", "deploy --token ⟦kR9vXw2LmQ8zTbN4⟧ now"),
    ("assignment", "<password>⟦Tr0ub4dor3⟧</password>"),
    (
        "assignment",
        "<string name=\"api_key\">⟦kR9vXw2LmQ8zTbN4⟧</string>",
    ),
    ("assignment", "- name: DB_PASSWORD\n  value: ⟦Tr0ub4dor3⟧\n"),
    (
        "assignment",
        "<add key=\"ApiKey\" value=\"⟦kR9vXw2LmQ8zTbN4⟧\" />",
    ),
    (
        "assignment",
        "passphrase: \"⟦correct horse battery staple⟧\"",
    ),
    ("assignment", "**Password:** ⟦Tr0ub4dor3⟧"),
    ("assignment", "Passwort: ⟦geh3im!⟧"),
    ("assignment", "密码 password=⟦пароль7⟧"),
    ("assignment", "db_pass: \"⟦x7Kq9Zt⟧\""),
    ("assignment", "pwd=⟦Winter2024!⟧"),
    ("assignment", "PGPASSWORD=⟦Tr0ub4dor3⟧ psql -h db"),
    (
        "assignment",
        "docker run -e MYSQL_ROOT_PASSWORD=⟦Tr0ub4dor3⟧ mysql",
    ),
    (
        "assignment",
        "The password is password: ⟦Tr0ub4dor3⟧, keep it.",
    ),
    ("assignment", "password=⟦P@ss,w0rd!⟧"),
    ("assignment", "connect(user='ada', password='⟦s3cr3tP4ss⟧')"),
    ("assignment", "access_token=⟦4f0c2d98b7e61350⟧"),
    (
        "assignment",
        "OPENAI_KEY=⟦4f0c2d98b7e61350fa2c4d6e8b09731a⟧",
    ),
    ("assignment", "auth: { user: 'ada', pass: '⟦Tr0ub4dor&3⟧' }"),
    ("assignment", "token = \"⟦abc123def456ghi789⟧\""),
    (
        "assignment",
        "secret_key_base: ⟦4f0c2d98b7e61350fa2c4d6e8b09731a⟧",
    ),
    ("assignment", "the database password is: ⟦hunter2⟧"),
    ("assignment", "SECRET=\"⟦wJ8#kd92!lsP⟧\""),
    ("assignment", "host=db user=ada password=⟦qwertz⟧"),
    (
        "uri_credentials",
        "postgres://app:⟦Zx9#kLm2⟧@db.internal:5432/main",
    ),
    (
        "vendor_token",
        "⟦dop_¦v1_4f8a1c9e2b7d6053f1e8a9c2b4d6078153af9c1e7b2d4068a5c3f1e9b7d20846⟧",
    ),
    ("vendor_token", "⟦shpat¦_4f8a1c9e2b7d6053f1e8a9c2b4d60781⟧"),
    (
        "vendor_token",
        "https://api.telegram.org/bot⟦6479511344:AA¦H3kvTzQnbOiSjQi5rbiW6rc1kSaVLW77yQ⟧/getMe",
    ),
    (
        "vendor_token",
        "bot.run('⟦MTclTWsodtqHFyqiCrLYN4S¦Y.Gzux8H.FhqTaZBjeiDEcgxet3gVV7HAEbYel0kge7gV⟧')",
    ),
    ("argument", "define('DB_PASSWORD', '⟦Tr0ub4dor&3⟧');"),
    (
        "argument",
        "smtp.login('robot@corp.internal', '⟦Tr0ub4dor&3⟧')",
    ),
    ("argument", "jwt.encode(payload, '⟦4f8a1c9e2b7d6053f1e8⟧')"),
    (
        "argument",
        "getenv('API_SECRET') ?: '⟦4f8a1c9e2b7d6053f1e8⟧'",
    ),
    ("argument", "CREATE USER app IDENTIFIED BY '⟦Tr0ub4dor&3⟧';"),
    (
        "argument",
        "page.locator('#password').fill('⟦Tr0ub4dor&3⟧')",
    ),
    ("argument", "if (password.equals(\"⟦Tr0ub4dor&3⟧\")) {"),
    ("command_line", "mysql -uroot -p⟦Tr0ub4dor&3⟧ shop"),
    (
        "command_line",
        "curl -u ada:⟦Tr0ub4dor&3⟧ https://x.corp.internal",
    ),
    (
        "command_line",
        "docker login ghcr.io -u ada -p ⟦Tr0ub4dor&3⟧",
    ),
    ("command_line", "echo 'ada:⟦Tr0ub4dor&3⟧' | chpasswd"),
    ("command_line", "sqlplus scott/⟦Tr0ub4dor&3⟧@orcl"),
    (
        "sentence",
        "the password for the printer is ⟦Tr0ub4dor&3⟧, as ever",
    ),
    ("sentence", "Das Passwort lautet ⟦Tr0ub4dor&3⟧."),
    ("sentence", "密码是⟦Tr0ub4dor3⟧，不要外传"),
    ("sentence", "パスワード：⟦Tr0ub4dor3⟧"),
    ("sentence", "use ⟦Tr0ub4dor&3⟧ as the password"),
    ("sentence", "login: ada / ⟦Tr0ub4dor&3⟧"),
];

/// Texts without a secret.
const NONE: &[&str] = &[
    "",
    "The password must have at least 12 characters.",
    "Password: must be at least 8 characters long",
    "password=<your password>",
    "password: <password>",
    "password=${DB_PASSWORD}",
    "password: $DB_PASSWORD",
    "password = os.environ['DB_PASSWORD']",
    "password = os.getenv(\"DB_PASSWORD\")",
    "const token = process.env.API_TOKEN;",
    "token: ${{ secrets.GITHUB_TOKEN }}",
    "password: {{ vault_db_password }}",
    "password=xxxxxxxx",
    "password: ********",
    "password=changeme",
    "PASSWORD=password",
    "api_key = \"YOUR_API_KEY\"",
    "api_key: your-api-key-here",
    "apiKey: \"<insert key>\"",
    "secret=example",
    "token = \"...\"",
    "api_key=sk-...",
    "password: str",
    "password: Optional[str] = None",
    "password: string;",
    "def login(user: str, password: str) -> bool:",
    "password = get_password()",
    "password = input('Password: ')",
    "self.password = password",
    "this.token = token;",
    "login(user=user, password=password)",
    "connect(password=db_password)",
    "password = user.password",
    "password = None",
    "token = tokens[i + 1]",
    "token = next(tokens)",
    "if password == confirm_password:",
    "max_tokens=4096",
    "\"max_tokens\": 128000",
    "token_count: 1234567",
    "tokens: 5012, tokenizer: cl100k_base",
    "\"eos_token\": \"<|endoftext|>\"",
    "pad_token = \"[PAD]\"",
    "next_page_token=Cg0Q4f0c2d98b7e61350",
    "secretName: db-credentials-v2",
    "secret: db-credentials-v2",
    "password_file=/run/secrets/db_password",
    "password: /run/secrets/db_password",
    "PWD=/var/ada/projects/2024",
    "key: 4f0c2d98b7e61350fa2c4d6e8b09731a",
    "public_key=4f0c2d98b7e61350fa2c4d6e8b09731a",
    "cache_key = \"user:4f0c2d98b7e61350\"",
    "primary_key=True",
    "commit 4f0c2d98b7e61350fa2c4d6e8b09731a4f0c2d98",
    "id: 4f0c2d98-b7e6-4350-fa2c-4d6e8b09731a",
    "sha256:4f0c2d98b7e61350fa2c4d6e8b09731a4f0c2d98b7e61350fa2c4d6e8b09731a",
    "data:image/png;base64,iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk",
    "-----BEGIN CERTIFICATE-----\nMIIDdzCCAl+gAwIBAgIEAgAAuTANBgkqhkiG9w0BAQUFADBaMQswCQYDVQQGEwJJ\n-----END CERTIFICATE-----",
    "-----BEGIN PUBLIC KEY-----\nMIIBIjANBgkqhkiG9w0BAQEFAAOCAQ8AMIIBCgKCAQEAx7Gk2v9QmPzR4tYw1nLb\n-----END PUBLIC KEY-----",
    "-----BEGIN PGP PUBLIC KEY BLOCK-----\n\nmQENBF2x8m0BCADHq3kW0l9vZc7eRtYuIoPaSdFgHjKlZxCvBnMqWeRtYuIoPaSd\n-----END PGP PUBLIC KEY BLOCK-----",
    "A file starts with -----BEGIN RSA PRIVATE KEY----- and ends with -----END RSA PRIVATE KEY-----.",
    "-----BEGIN PRIVATE KEY-----\n...\n-----END PRIVATE KEY-----",
    "-----BEGIN PRIVATE KEY-----\n<your key here>\n-----END PRIVATE KEY-----",
    "ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAIOMqqnkVzrm0SdG6UOoqKLsabgH5C9okWi0dh2l9GKJl ada@host",
    "AKIAIOSFODNN7EXAMPLE",
    "wJalrXUtnFEMI/K7MDENG/bPxRfiCYEXAMPLEKEY",
    "aws_secret_access_key = wJalrXUtnFEMI/K7MDENG/bPxRfiCYEXAMPLEKEY",
    "AKIAXXXXXXXXXXXXXXXX",
    "AKIA1234",
    "XAKIAQ3EGT7KZW5XJ2RLP",
    "AROAQ3EGT7KZW5XJ2RLPA is a role",
    "ghp_xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx",
    "ghp_short and gho_ alone",
    "tokens start with ghp_, gho_ or github_pat_",
    "xoxb-your-token-here",
    "xoxb-xxxxxxxxxxxx-xxxxxxxxxxxx-xxxxxxxxxxxxxxxxxxxxxxxx",
    "https://hooks.slack.com/services/T00000000/B00000000/XXXXXXXXXXXXXXXXXXXXXXXX",
    "https://hooks.slack.com/services/...",
    "AIzaSy...",
    "AIzaXXXXXXXXXXXXXXXXXXXXXXXXXXXXXXXXXXX",
    "pk_live_51H8xKqLmZ4vRtYw2nJbDcFgSp",
    "sk_live_your_key_here",
    "sk_live_xxxxxxxxxxxxxxxxxxxxxxxx",
    "risk-assessment-2024-final-version-long-enough",
    "disk-4f0c2d98b7e61350fa2c4d6e8b09731a",
    "<div class=\"sk-circle-fade-dot sk-cube-grid-2\">",
    "sk-learn and sk-SK",
    "sk-your-openai-api-key-goes-here-please",
    "sk-ant-your-key-here",
    "sk-ant-api03-xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx",
    "eyJhbGciOiJIUzI1NiJ9",
    "eyJhbGciOiJIUzI1NiJ9.payload.signature",
    "eyJhbGciOi....",
    "Bearer authentication and bearer tokens",
    "Authorization: Bearer <token>",
    "Authorization: Bearer $TOKEN",
    "Authorization: Bearer YOUR_ACCESS_TOKEN",
    "\"Authorization\": f\"Bearer {token}\"",
    "Authorization: Basic <credentials>",
    "Authorization: Basic realm",
    "the bearer of this letter-of-recommendation-2024",
    "https://user:password@example.com/",
    "https://user:<password>@example.com/",
    "postgres://user:${PASSWORD}@db/main",
    "postgres://postgres:postgres@localhost/test",
    "https://example.com:8080/path@v2",
    "https://medium.com/@ada/a:b",
    "git@github.com:ada/engine.git",
    "ssh://git@github.com/ada/engine.git",
    "mailto:ada@example.com",
    "http://localhost:3000/?q=a:b@c",
    "12:30:45 level=info msg=\"token refreshed\"",
    "\"password\": \"Password\"",
    "\"password\": \"Passwort\"",
    "\"password\": \"Contraseña\"",
    "\"password\": \"Enter your password\"",
    "\"password_label\": \"Geheim123\"",
    "password: \"Password is required\"",
    "secret: \"The secret ingredient is love\"",
    "token: Identifier",
    "token: bearer",
    "token_type=bearer",
    "<input type=\"password\" name=\"password\" placeholder=\"Password\">",
    "<label for=\"password\">Password:</label>",
    "<password></password>",
    "password VARCHAR(255) NOT NULL",
    "--password <password>",
    "--password-file secrets.txt",
    "--token TOKEN",
    "password: !vault |",
    "password: &anchor",
    "token := parser.next2()",
    "token: 0xdAC17F958D2ee523a2206206994597C13D831ec7",
    "api_key: test",
    "\"secret\": false",
    "Keyboard key: Enter",
    "compare std::password::hash",
    "credentials: include",
    "credentials: 'same-origin'",
    "pass: 12, fail: 3",
    "secret santa: 2024-12-24",
    "password: validatePassword(value)",
    "password: yup.string().min(8).required()",
    "password: {type: String, required: true}",
    "author: ada, passed=true",
    "the token = the unit of text",
    "assert token == expected_token2",
    "resetPasswordToken: undefined",
    "forgot password? see: help",
    "api_key=abcdef123456",
    "token=1234567890",
    "secretKeyRef:\n  name: db\n  key: password",
    "password: [redacted]",
    "secret_arn = \"arn:aws:secretsmanager:us-east-1:123456789012:secret:Mine-a1b2c3\"",
    "secret: arn:aws:secretsmanager:us-east-1:123456789012:secret:Mine-a1b2c3",
    "password: vault:secret/data/app#password2",
    "password: !!binary |",
    "http://localhost:3000#a@b",
    "RegEnumKey = win32api.RegEnumKey",
    "HEX_PAT = \"[0-9A-Fa-f]{1,4}\"",
    "userpass = bytes('%s:%s', 'ascii')",
    "def hashed(password: str, method: str = \"scrypt\")",
    "password=[redacted:assignment]",
    "The password is hashed with bcrypt and 12 rounds",
    "password is sha256 of the salt",
    "The password must have 8-16 characters",
    "password reset link expires in 24h",
    "Change your password on 2024-05-01",
    "Update the password to v2.3.1 format",
    "the token is valid for 3600s",
    "Passwort ist erforderlich",
    "Das Passwort muss 12 Zeichen haben",
    "La contraseña es obligatoria",
    "mot de passe oublié ?",
    "Mot de passe : 8 caractères minimum",
    "пароль должен содержать 8 символов",
    "密码长度至少8位",
    "パスワードは8文字以上で入力してください",
    "비밀번호는 8자 이상",
    "login(username, password2)",
    r#"login("ada", password)"#,
    r#"auth("read:user", "write:user")"#,
    r#"jwt.decode(token, key, algorithms=["HS256"])"#,
    r#"t("password", "Passwort eingeben")"#,
    r#"["client_id", "client_secret", "redirect_uri"]"#,
    r#"get("password", "field1")"#,
    r#"curl -u "$USER:$PASS" https://x"#,
    "docker run -p 8080:80 nginx",
    "docker run -p 127.0.0.1:8080:80/tcp nginx",
    "mkdir -p src/app1",
    "ssh -p 2222 root@h",
    "docker compose -p shop2 up",
    "curl -u user:password https://x",
    "mysql -u root -p shop",
    r#"az login -p "$PASS""#,
    "token count is 4096",
    "the token is 0x3f",
    "secret manager in us-east-1",
    "access token expires in 3600 seconds",
    "passwd: all authentication tokens updated successfully",
    "user/password combination",
    "login at https://x.corp.internal/login2",
    "log in to web-01.prod",
    "login with GitHub / Google2",
    "Login: POST /api/v1/login",
    "sign in with oauth2",
    "token 3f2504e0-4f89-11d3-9a0c-0305e82c3301 expired",
    "secret/data/db-prod-01",
    "password in db-prod-01",
    "reset password for user ada1990",
    "the password for ada@corp.internal was reset",
    "Password for user1: ask Lena",
    "password rotation job rotate-pw-2024 finished",
    "password is in 1Password",
    "The password is P4 in the table",
    "passwords: see KB0012345",
    "password policy PCI-DSS-4",
    "passphrase of at least 5 words",
    "version 1.2 of password-store",
    "set password = $2",
    r#"const PASSWORD_FIELD = "user_password1";"#,
    "test_password_reset_v2 passed",
    "API key is required (error 401)",
    "API key id AKIA",
    "the api key header is X-Api-Key",
    "key-value",
    r#"hmac.new(key, msg, "sha256")"#,
    "crypto.createHmac('sha256', key)",
    "IDENTIFIED BY 'password'",
    r#"ERROR: secret "db-credentials-7f9c" not found"#,
    "secret/db-credentials-v2 created",
    "kubectl get secret db-credentials-7f9c6d5b4 -o yaml",
    "token usage: 1234 prompt, 567 completion",
    "Secret Santa 2024",
    "the secret to 10x growth",
    "parola 2",
    "clave primaria: id_cliente2",
    "clave: valor1",
    "la clave 12 del catálogo",
    "la parole du jour: n°42",
    "docker://alpine:3.19@sha256:2d7f9e",
    "ftp://anonymous:ada@example.org@ftp.corp.internal/",
    "Basic authentication is used",
    "Basic YWJjZGVmZ2hpamtsbW5vcA==",
    "password:\n  minLength: 8",
    "token:\n  abc123",
    "https://x.corp.internal/list?key=users_by_name&code=utf8",
    "https://x.corp.internal/callback?code=200",
    "wifi: 5GHz / 2.4GHz",
    r#"encoder.encode("some text 123")"#,
    "make -p dir2",
    "https://login.microsoftonline.com/3f2504e0-4f89-11d3-9a0c-0305e82c3301/oauth2/v2.0/token",
    "密码：至少8位",
    "パスワード：8文字以上",
    "https://id.corp.internal/login/v2/auth3?next=/a/b1c2",
    "the password is stored in web-prod-01",
    "the password is hashed with PBKDF2-HMAC-SHA256",
    "the token is valid for 15m",
];

/// Takes the marks out of a text, and returns where its secret is.
fn unmark(marked: &str) -> (String, usize, usize) {
    let marked = marked.replace('¦', "");
    let (before, rest) = marked.split_once('⟦').expect("a secret starts");
    let (secret, after) = rest.split_once('⟧').expect("a secret ends");
    let end = before.len() + secret.len();
    (format!("{before}{secret}{after}"), before.len(), end)
}

#[test]
fn each_rule_finds_its_secrets() {
    let rules = SecretRules::all();
    let mut wrong = Vec::new();
    for (rule, marked) in SECRETS {
        let (text, start, end) = unmark(marked);
        let found = rules.find(&text);
        let wanted = [Secret { rule, start, end }];
        if found != wanted {
            let shown: Vec<_> = found
                .iter()
                .map(|s| (s.rule, &text[s.start..s.end]))
                .collect();
            wrong.push(format!("{rule} in {text:?}: {shown:?}"));
        }
    }
    assert!(
        wrong.is_empty(),
        "{} wrong\n{}",
        wrong.len(),
        wrong.join("\n")
    );
}

#[test]
fn what_is_no_secret_is_left() {
    let rules = SecretRules::all();
    let mut wrong = Vec::new();
    for text in NONE {
        for found in rules.find(text) {
            wrong.push(format!(
                "{} in {text:?}: {:?}",
                found.rule,
                &text[found.start..found.end]
            ));
        }
    }
    assert!(
        wrong.is_empty(),
        "{} wrong\n{}",
        wrong.len(),
        wrong.join("\n")
    );
}

#[test]
fn secrets_are_found_between_any_text() {
    let rules = SecretRules::all();
    for (rule, marked) in SECRETS {
        let (text, start, end) = unmark(marked);
        for (before, after) in [
            ("日本語。\n", "\nΩ"),
            ("naïve café\n\n", "\n🙂"),
            ("\u{feff}\n", "\n"),
        ] {
            let found = rules.find(&format!("{before}{text}{after}"));
            let at = before.len();
            let wanted = Secret {
                rule,
                start: start + at,
                end: end + at,
            };
            assert_eq!(found, [wanted], "{before:?} {text:?} {after:?}");
        }
    }
}

#[test]
fn a_prefix_inside_of_a_word_is_none() {
    let rules = SecretRules::all();
    let keys = [
        "private_key",
        "uri_credentials",
        "assignment",
        "bearer_token",
        "basic_auth",
    ];
    for (rule, marked) in SECRETS.iter().filter(|(rule, _)| !keys.contains(rule)) {
        let (text, start, end) = unmark(marked);
        let glued = format!("abc{}", &text[start..end]);
        if *rule != "aws_secret_key" && *rule != "slack_webhook" {
            assert_eq!(rules.first(&glued), None, "{glued:?}");
        }
    }
}

#[test]
fn a_rule_that_is_off_finds_nothing() {
    let all = SecretRules::all();
    for (rule, marked) in SECRETS {
        let (text, ..) = unmark(marked);
        let rules = all.without(&[rule]).expect("the rule is known");
        assert!(
            rules.find(&text).iter().all(|found| found.rule != *rule),
            "{text:?}"
        );
        assert_eq!(rules.off().collect::<Vec<_>>(), [*rule]);
        assert_eq!(rules.on().count() + 1, SecretRules::known().count());
    }
}

#[test]
fn every_rule_has_a_secret_in_the_table() {
    for rule in SecretRules::known() {
        assert!(SECRETS.iter().any(|(known, _)| *known == rule), "{rule}");
    }
}

#[test]
fn an_unknown_rule_is_refused_with_the_nearest() {
    let error = SecretRules::all()
        .without(&["jwt", "github_tokn"])
        .expect_err("no such rule");
    let ErrorKind::InvalidOption {
        option, suggestion, ..
    } = error.kind()
    else {
        panic!("{error}");
    };
    assert_eq!(
        (option.as_str(), suggestion.as_deref()),
        ("without", Some("'github_token'"))
    );
    assert_eq!(
        error.to_string(),
        "without 'github_tokn' is no rule for secrets; use 'github_token'",
    );
}

#[test]
fn redaction_replaces_the_secret_and_nothing_else() {
    let rules = SecretRules::all();
    for (rule, marked) in SECRETS {
        let (text, start, end) = unmark(marked);
        let wanted = format!("{}[redacted:{rule}]{}", &text[..start], &text[end..]);
        assert_eq!(rules.redact(&text, None).as_deref(), Some(wanted.as_str()));
        assert_eq!(rules.redact(&wanted, None), None, "{wanted:?}");
        let gone = format!("{}***{}", &text[..start], &text[end..]);
        assert_eq!(rules.redact(&text, Some("***")), Some(gone));
    }
    for text in NONE {
        assert_eq!(rules.redact(text, None), None, "{text:?}");
    }
}

#[test]
fn secrets_one_behind_the_other_are_all_found() {
    let rules = SecretRules::all();
    let (mut text, mut wanted) = (String::new(), Vec::new());
    for (rule, marked) in SECRETS {
        let (part, start, end) = unmark(marked);
        wanted.push(Secret {
            rule,
            start: start + text.len(),
            end: end + text.len(),
        });
        text.push_str(&part);
        text.push_str("\n\n");
    }
    assert_eq!(rules.find(&text), wanted);
    assert_eq!(rules.first(&text), wanted.first().copied());
}

/// JSON, and what is to become of it.
const JSON: &[(&str, Option<&str>)] = &[
    (
        r#"{"user":"ada","n":1.50,"password":"4naly7ical"}"#,
        Some(r#"{"user":"ada","n":1.50,"password":"[redacted:assignment]"}"#),
    ),
    (
        r#"{"z":1,"a":{"api_key":"kR9vXw2LmQ8zTbN4"},"b":[]}"#,
        Some(r#"{"z":1,"a":{"api_key":"[redacted:assignment]"},"b":[]}"#),
    ),
    (
        r#"{"p\u0061ssword":"4naly7ical"}"#,
        Some(r#"{"p\u0061ssword":"[redacted:assignment]"}"#),
    ),
    (
        r#"{"password":"4naly\"7ical\n"}"#,
        Some(r#"{"password":"[redacted:assignment]"}"#),
    ),
    (
        r#"{"password":["4naly7ical","","x7Kq9Zt!"]}"#,
        Some(r#"{"password":["[redacted:assignment]","","[redacted:assignment]"]}"#),
    ),
    (
        r#"{"password":{"value":"4naly7ical","hint":"a note"}}"#,
        Some(r#"{"password":{"value":"[redacted:assignment]","hint":"a note"}}"#),
    ),
    (
        r#"{"password":12345678}"#,
        Some(r#"{"password":"[redacted:assignment]"}"#),
    ),
    (
        r#"{"password":null,"token":true,"secret":{},"max_tokens":12345678}"#,
        None,
    ),
    (r#"{"password":{"type":"string","minLength":8}}"#, None),
    (
        r#"{"text":"see \"password\": \"4naly7ical\" there"}"#,
        Some(r#"{"text":"see \"password\": \"[redacted:assignment]\" there"}"#),
    ),
    (
        r#"{"url":"redis://:k9Xv2Lm@cache/0"}"#,
        Some(r#"{"url":"redis://:[redacted:uri_credentials]@cache/0"}"#),
    ),
    (
        r#"["ghp¦_R4kVn8QzT2mXw7LbJ5cYpH9dGs3aFfEu6WiK"]"#,
        Some(r#"["[redacted:github_token]"]"#),
    ),
    (
        r#"{"ghp¦_R4kVn8QzT2mXw7LbJ5cYpH9dGs3aFfEu6WiK":1,"ghp¦_A4kVn8QzT2mXw7LbJ5cYpH9dGs3aFfEu6WiK":2}"#,
        Some(r#"{"[redacted:github_token]":1,"[redacted:github_token] 2":2}"#),
    ),
    (
        r#"{"token":"ghp¦_R4kVn8QzT2mXw7LbJ5cYpH9dGs3aFfEu6WiK"}"#,
        Some(r#"{"token":"[redacted:github_token]"}"#),
    ),
    (
        r#"{"token":"\u0067hp¦_R4kVn8QzT2mXw7LbJ5cYpH9dGs3aFfEu6WiK"}"#,
        Some(r#"{"token":"[redacted:github_token]"}"#),
    ),
    (
        r#"{"headers":{"Authorization":"Bearer kR9vXw2LmQ8zTbN4cYpJ6dHs"}}"#,
        Some(r#"{"headers":{"Authorization":"Bearer [redacted:bearer_token]"}}"#),
    ),
    (
        r#""password=hunter2""#,
        Some(r#""password=[redacted:assignment]""#),
    ),
    (
        r#"{"name":"DB_PASSWORD","value":"4naly7ical"}"#,
        Some(r#"{"name":"DB_PASSWORD","value":"[redacted:assignment]"}"#),
    ),
    (r"12345678", None),
    (
        r#"{"id":"4f0c2d98-b7e6-4350-fa2c-4d6e8b09731a","key":"4f0c2d98b7e61350"}"#,
        None,
    ),
];

#[test]
fn json_is_redacted_and_stays_json() {
    let rules = SecretRules::all();
    for (json, wanted) in JSON {
        let json = json.replace('¦', "");
        let redacted = rules.redact_json(&json, None);
        assert_eq!(redacted.as_deref(), *wanted, "{json}");
        assert_eq!(
            rules.first_json(&json).is_some(),
            wanted.is_some(),
            "{json}"
        );
        if let Some(redacted) = redacted {
            serde_json::from_str::<serde_json::Value>(&redacted).expect("JSON");
            assert_eq!(rules.redact_json(&redacted, None), None, "{redacted}");
        }
        for found in rules.find_json(&json) {
            assert!(json.get(found.start..found.end).is_some(), "{json}");
        }
    }
}

#[test]
fn the_range_in_json_is_that_of_the_secret() {
    let rules = SecretRules::all();
    let json = r#"{"n":1,"url":"redis://:k9Xv2Lm@cache/0","password":"a\"b7c"}"#;
    let found: Vec<_> = rules
        .find_json(json)
        .into_iter()
        .map(|found| (found.rule, &json[found.start..found.end]))
        .collect();
    assert_eq!(
        found,
        [("uri_credentials", "k9Xv2Lm"), ("assignment", r#"a\"b7c"#)]
    );
}

/// Pieces that rules start to read at, and what may stand around them.
const PIECES: &[&str] = &[
    "password=hunter2 ",
    "\"token\":\"4f0c2d98b7e61350\"",
    "ghp_R4kVn8QzT2mXw7LbJ5cYpH9dGs3aFfEu6WiK",
    "redis://:k9Xv2Lm@host",
    "Passwort ",
    "密码",
    "是",
    "。",
    " is ",
    "login(",
    "login / ",
    " | chpasswd",
    ".toCharArray()",
    "curl -u ",
    " -p ",
    "IDENTIFIED BY ",
    " as the password",
    ":AA",
    "@tcp(",
    ":5432:",
    "values (",
    "Tr0ub4dor&3",
    "éééééééééééééééééééééééé",
    "password",
    "=",
    ":",
    " ",
    "\n",
    "\"",
    "'",
    "\\",
    "\\\"",
    "hunter2",
    "Tr0ub4dor&3",
    "://",
    "a:b7c8",
    "@",
    "host",
    "/",
    "-----",
    "BEGIN ",
    "END ",
    "RSA PRIVATE KEY",
    "MIIEowIBAAKCAQEAx7Gk2v9QmPzR4tYw",
    "AKIA",
    "Q3EGT7KZW5XJ2RLP",
    "sk-",
    "ant-",
    "proj-",
    "ghp_",
    "github_pat_",
    "xoxb-",
    "eyJ",
    ".",
    "Bearer ",
    "R4kVn8QzT2mXw7LbJ5cYpH9dGs3aFfEu6WiK",
    "Authorization",
    "Basic ",
    "YWRhOjRuNGx5N2ljNGw=",
    "é",
    "日本",
    "🙂",
    "“",
    "”",
    "<",
    ">",
    "</",
    "token",
    "api_key",
    "--",
    "[",
    "]",
    "{",
    "}",
    ",",
    "$",
    "name",
    "value",
    "hooks.slack.com/",
    "services/",
    "whsec_",
    "glpat-",
    "\u{0}",
    "\u{301}",
    "&",
    "?",
    ";",
    "[redacted:",
    "4f0c2d98b7e61350",
    "AIza",
    "\t",
    "\r",
    "1",
    "[redacted:jwt]",
    "*",
];

#[test]
fn random_texts_hold_what_is_promised() {
    let mut random = Random::new(41);
    let rules = SecretRules::all();
    let mut secrets = 0;
    for _ in 0..20_000 {
        let mut text = String::new();
        for _ in 0..random.below(24) {
            text.push_str(random.pick(PIECES));
        }
        if random.one_in(4) {
            text.push_str(&random.hostile(6));
        }
        let found = rules.find(&text);
        secrets += found.len();
        let mut last = 0;
        for one in &found {
            assert!(last <= one.start && one.start < one.end, "{text:?}");
            assert!(text.get(one.start..one.end).is_some(), "{text:?}");
            last = one.end;
        }
        assert_eq!(rules.first(&text), found.first().copied());
        let redacted = rules.redact(&text, None);
        assert_eq!(redacted.is_some(), !found.is_empty());
        for replacement in [None, Some(""), Some("***"), Some("gone"), Some("R4kVn8Qz")] {
            let once = rules
                .redact(&text, replacement)
                .unwrap_or_else(|| text.clone());
            let twice = rules
                .redact(&once, replacement)
                .unwrap_or_else(|| once.clone());
            assert_eq!(once, twice, "{text:?} with {replacement:?}");
        }
        let json =
            serde_json::json!({"a": text, text.clone(): [1, text.clone()], "password": text});
        for json in [json.to_string(), text.clone()] {
            for one in rules.find_json(&json) {
                assert!(json.get(one.start..one.end).is_some(), "{json:?}");
            }
            let once = rules
                .redact_json(&json, None)
                .unwrap_or_else(|| json.clone());
            if serde_json::from_str::<serde_json::Value>(&json).is_ok() {
                let twice = rules
                    .redact_json(&once, None)
                    .unwrap_or_else(|| once.clone());
                assert_eq!(once, twice, "{json:?}");
                serde_json::from_str::<serde_json::Value>(&once).expect("JSON");
            }
        }
    }
    assert!(
        secrets > 2_000,
        "{secrets} secrets are too few to say anything"
    );
}

#[test]
fn hostile_text_takes_linear_time() {
    let rules = SecretRules::all();
    let hostile = [
        "password=",
        "token=",
        "token1=example",
        "password=\"",
        "password=\\\"",
        "password='password=\"",
        "-",
        "-----BEGIN PRIVATE KEY-----",
        "-----BEGIN PRIVATE KEY-----\nMIIEowIBAAKCAQEAx7Gk2v9QmPzR4tYw\n",
        "eyJ",
        "eyJ.",
        "eyJa",
        "a://",
        "a:b@",
        "://a:",
        " ",
        "password:          ",
        "A",
        "AKIA",
        "Bearer ",
        "sk-",
        "ghp_",
        "_",
        "=",
        ":",
        "value=",
        "“",
        "password=“",
        ">",
        "name=\"token\">",
        "--token ",
        "[",
        "{\"a\":",
        "\\",
        "\"",
        "é",
        "xoxb-1",
        "Authorization: Basic ",
        "password ",
        "Passwort ist ",
        "the password x1y2z3! is ",
        "login / ",
        "define('PASSWORD', ",
        "login(\"a\", ",
        "curl -u a:b -p ",
        "-p",
        ":AA",
        "密码是",
        "%3A%2F%2F",
        "%3A%2F%2Fa%3A",
        "variable \"token\" default=\"",
        "{password:1,",
        "$password=$_POST[",
        "password=$a[a]",
        "password=ENC[AES,",
        "password=^1.",
        "passwort=hier-",
        "ghp_a1/",
    ];
    for piece in hostile {
        let time = |bytes: usize| {
            let text = piece.repeat(bytes / piece.len());
            let start = Instant::now();
            let found = rules.find(&text).len() + rules.find_json(&text).len();
            (start.elapsed(), found)
        };
        let (small, _) = time(1_000_000);
        let (large, found) = time(10_000_000);
        // A square would take a hundred times as long, and minutes.
        let limit = small.max(Duration::from_millis(5)) * 40;
        assert!(
            large < limit,
            "{piece:?}: {small:?} for 1 MB, {large:?} for 10 MB, {found} found"
        );
    }
}
