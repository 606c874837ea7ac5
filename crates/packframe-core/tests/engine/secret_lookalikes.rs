//! What looks like a secret and is none, kind by kind, beside secrets that look much like it.
//!
//! The keys were made up for these tests, but for the samples that standards print. `¦` stands
//! inside of keys so that no scanner of repositories takes them for real ones; it is taken out
//! before use.

use packframe_core::SecretRules;

/// Asserts that nothing is found in some texts, and something in others.
fn assert_told_apart(none: &[&str], secrets: &[&str]) {
    let rules = SecretRules::all();
    let found = |text: &str| {
        let text = text.replace('¦', "");
        let secret = rules.first(&text);
        secret.map(|secret| (secret.rule, text[secret.start..secret.end].to_owned()))
    };
    let taken: Vec<_> = none
        .iter()
        .filter_map(|text| found(text).map(|found| (text, found)))
        .collect();
    let missed: Vec<_> = secrets
        .iter()
        .filter(|text| found(text).is_none())
        .collect();
    assert!(
        taken.is_empty() && missed.is_empty(),
        "taken for secrets: {taken:#?}\nmissed: {missed:#?}"
    );
}

#[test]
fn what_is_read_from_a_request_is_none() {
    assert_told_apart(
        &[
            // PHP.
            "$password = $_POST['password'];",
            "$pw=$_SERVER['PHP_AUTH_PW'];",
            "$password = @$_POST[\"password\"];",
            "$password=md5($_POST['password1']);",
            "$password = $_POST[password];",
            "$user_pass = $_POST['user']['password'];",
            "'password' => $request['password'],",
            "$password = $request->input('password1');",
            "$token = $matches[1];",
            // Perl.
            "my $password = $ENV{DB_PASSWORD};",
            "$password = $FORM{'password'};",
            "my $pass = $cfg->{db1}{password};",
            // Ruby.
            "password = params[:user][:password1]",
            "@password = @params[:password]",
            // Python, JavaScript, Java, Go.
            "password = request.form['password1']",
            "let token = req.headers['x-access-token'];",
            "const password = formData.get('password1');",
            "String password = request.getParameter(\"password1\");",
            "password := r.FormValue(\"password1\")",
            "Password: r.PostForm[\"password1\"][0],",
            // PowerShell, ColdFusion, Tcl, SQL.
            "$Password = $Request.Form[\"password1\"]",
            "$password = $args[0]",
            "<cfset password = form.password1>",
            "password=$form(password1)",
            "WHERE password = @NewPassword1",
            "password = :password1",
        ],
        &[
            "$password = 'Tr0ub4dor&3';",
            "$_POST['password'] = 'Tr0ub4dor&3';",
            "$pass = \"h4rdT0Gu3ss\";",
            "password=\"$_tr0ng[Pass]9\"",
            "DB_PASSWORD=$w0rdf1sh!",
            "password: @Velvet5054x",
        ],
    );
}

#[test]
fn a_small_number_of_an_object_is_none() {
    assert_told_apart(
        &[
            "var e={password:1,token:2,secret:3};",
            "{password:!0,token:!1}",
            "({email:1,password:-1,token:0})",
            "{password:1.5,token:2}",
            "{password:1|2,token:4}",
            "{password:1<<2,token:1<<3}",
            "{password:a1,token:b2}",
            "{password:100,hash:200,token:300}",
            "{password:1,\"token\":2}",
            "enum Scope{Password=1,Token=2,Secret=4}",
            "enum F { PASSWORD = 0x00000010, TOKEN = 0x00000020 }",
            "PASSWORD=1,TOKEN=2",
        ],
        &[
            "{password:'h4rdT0Gu3ss',token:2}",
            "{password:h4rdT0Gu3ss,token:2}",
            "{user:1,password:\"48213977\"}",
            "password=P@ss,w0rd!",
            "password: 1,2Kq9!zT",
        ],
    );
}

#[test]
fn a_range_of_versions_is_none() {
    assert_told_apart(
        &[
            "\"generate-password\": \"~1.7.1\"",
            "'passport-password': '^4.0.1'",
            "\"node-password\": \">= 1.2.3 < 2.0.0\"",
            "\"x-password\": \"1.x || >=2.5.0\"",
            "\"x-password\": \"^1.0.0-beta.12\"",
            "\"x-password\": \"workspace:^1.2.3\"",
            "\"x-password\": \"npm:@acme/password@^1.2.3\"",
            "\"acme/password\": \"^7.0|^8.0\"",
            "\"acme/password\": \"~2.0@dev\"",
            "password: ^1.2.0",
            "  flutter_password: ^0.3.1+2",
            "x-password = \"=0.4.2\"",
            "gem \"secure_token\", \"~> 1.0.0\"",
            "implementation(\"x.password\", \"2.0.1-RELEASE\")",
            "password: v2.3.4-rc.1",
            "\"x-password\": \"[1.0,2.0)\"",
            "\"x-token\": \"^10.20.31-alpha.1\"",
        ],
        &[
            "password: ^4.0.1Secret99!",
            "password=\"1.7.1-Velvet99!\"",
            "\"password\": \"^Tr0ub4dor3\"",
            "password=\"v1nt4ge.99\"",
        ],
    );
}

#[test]
fn names_with_the_prefix_of_a_key_are_none() {
    assert_told_apart(
        &[
            "feature/ghp_migration_of_all_the_project_boards_2024",
            "gho_oauth_login_rework_for_the_mobile_app_v2",
            "refs/heads/ghu_user_import_from_the_old_directory_104233",
            "ghr_release_notes_generator_with_templates_v12_final",
            "github_pat_rotation_job_for_all_repositories_and_all_service_accounts_2024",
            "ghp_MigrationOfAllTheProjectBoards2024Final",
            "xoxb-migration-notes-for-the-bots-2024-06",
            "xapp-1-rollout-of-the-socket-mode-2024-07",
            "feature/glpat-rotation-of-all-the-tokens-2024",
            "sk_live_migration_of_all_customers_2024",
            "sk-proj-migration-of-all-the-boards-2024",
            "hf_hub_download_with_retries_and_resume_2024",
            "pypi-AgEnts-of-change-and-how-they-work-with-packages-2024-and-more",
        ],
        &[
            "feature/ghp¦_R4kVn8QzT2mXw7LbJ5cYpH9dGs3aFfEu6WiK",
            "gho¦_r4kvn8qzt2mxw7lbj5cyph9dgs3affeu6wik",
            "xox¦b-274918305512-4820193746521-Qw8zR4tYu1nLbJ6sDfHc3VkE",
            "pypi¦-AgEIcHlwaS5vcmcCJDRmMGMyZDk4LWI3ZTYtMTM1MC1mYTJjLTRkNmU4YjA5NzMxYQAC",
        ],
    );
}

#[test]
fn what_is_sealed_is_none() {
    let body = "kR9vXw2LmQ8z/TbN4cYpJ6dHs0aGfEu3WiKo+5Vr".repeat(8);
    let sealed = [
        format!("kind: SealedSecret\nspec:\n  encryptedData:\n    password: AgB{body}"),
        format!(r#"{{"encryptedData":{{"token":"AgA{body}=="}}}}"#),
        format!("db_password: AQICAHh{body}"),
        format!("password: ENC[AES256_GCM,data:{body},iv:{body},tag:{body},type:str]"),
        format!("\"password\": \"ENC[AES256_GCM,data:{body},iv:x=,tag:y==,type:str]\""),
        format!("db_password: ENC[PKCS7,MIIBiQYJKoZIhvcNAQcDoIIB{body}]"),
        format!("DB_PASSWORD=\"encrypted:BGRkRk{body}\""),
        format!("encrypted_password: \"{body}\""),
    ];
    let mut none: Vec<&str> = sealed.iter().map(String::as_str).collect();
    none.extend([
        "password: \"ENC(nrmZtkF7T0kjG/VodDvBw93Ct8EgjCA+)\"",
        "spring.datasource.password=ENC(G6N718UuyPE5bHyWKyuLQSm02auQPUtm)",
        "password: '{cipher}682bc583f4641835fa2db009355293665d2647dade3375c0ee201de2a49f7bda'",
        "db_password: !vault |\n  $ANSIBLE_VAULT;1.1;AES256\n  62313365396662343061393464336163383764",
        "vault_password: \"$ANSIBLE_VAULT;1.1;AES256\\n62313365396662343061393464336163383764\"",
        "\"api_key\": \"EJ[1:WGj2t4znULHT1IRveMEdvvNXqZzNBNMsJ5iZVy6Dvxs=:kA6ekF8ViYR5ZLeS]\"",
        "password: vault:v1:8SDd3WHDOjf7mq69CyCqYjBXAiQQAVZRkFM13ok481zoCmHnSeDX9vyf7w==",
        "<password>{AQAAABAAAAAQsBLat88AQ5iZ07iQOsFzu8VrbXdcpmkps5C}</password>",
    ]);
    let open = format!("token: Ago{body}");
    assert_told_apart(
        &none,
        &[
            &open,
            "password: \"AgBHSN84eWMaYaQFksJ9glOb38Vw\"",
            "password: AgBx7Kq9Zt!",
            "password=\"ENC0de!99x\"",
            "password=\"ENC[x7Kq9Zt!\"",
            "encrypted_data_bag_secret=\"kR9vXw2LmQ8zTbN4cYpJ6dHs\"",
        ],
    );
}

#[test]
fn placeholders_of_other_languages_are_none() {
    assert_told_apart(
        &[
            "passwort = \"hier-passwort-eintragen\"",
            "password: bitte-hier-eingeben",
            "DB_PASSWORD=mein-geheimes-passwort",
            "password=\"PasswortHierEintragen\"",
            "password=\"deinpasswort\"",
            "password=\"tu-contrasena-aqui\"",
            "password: \"cambia-esta-contrasena\"",
            "password=\"su-clave-aqui\"",
            "password=\"saisissez-votre-mot-de-passe\"",
            "password=\"changez-moi-svp\"",
            "password=\"inserisci-qui-la-password\"",
            "senha=\"coloque-sua-senha-aqui\"",
            "password=\"vul-hier-je-wachtwoord-in\"",
            "password=\"tutaj-wpisz-haslo\"",
            "password=\"ange-ditt-losenord\"",
            "password=\"din-adgangskode-her\"",
            "password=\"buraya-sifrenizi-yazin\"",
            "password=\"zadejte-vase-heslo\"",
            "password=\"vvedite-parol-syuda\"",
            "password=\"masukkan-kata-sandi-anda\"",
            "пароль: \"введите-пароль-сюда\"",
            "password=\"在此输入密码\"",
            "Passwort: vergessen?",
        ],
        &[
            "password=\"marsch-kupfer-samt-hafen\"",
            "passwort=\"schwalbe-kaktus-lampe\"",
            "password=\"hier-ist-das-k9Xv2Lm!\"",
            "passwort=\"geh3im!\"",
            "password=\"passwort4711\"",
            // Small words alone tell nothing.
            "password=\"delamisu\"",
            "password=\"mon-ton-son-lune\"",
        ],
    );
}

#[test]
fn samples_that_standards_print_are_none() {
    assert_told_apart(
        &[
            "Authorization: Basic QWxhZGRpbjpvcGVuIHNlc2FtZQ==",
            "curl -H \"Authorization: Basic QWxhZGRpbjpPcGVuU2VzYW1l\"",
            "Authorization: Basic dGVzdDoxMjPCow==",
            "Authorization: Bearer mF_9.B5f-4.1JqM",
            "\"access_token\":\"2YotnFZFEjr1zCsicMWpAA\"",
            "client_id=s6BhdRkqt3&client_secret=7Fjfp0ZBr1KtDRbnfVdmIw",
            "api_key = \"AIza¦SyDaGmWKa4JsXZ-HjGw7ISLn_3namBGewQe\"",
            "eyJ¦hbGciOiJIUzI1NiIsInR5cCI6IkpXVCJ9.eyJzdWIiOiIxMjM0NTY3ODkwIiwibmFtZSI6IkpvaG4gRG9lIiwiaWF0IjoxNTE2MjM5MDIyfQ.SflKxwRJSMeKKF2QT4fwpMeJf36POk6yJV_adQssw5c",
            "eyJ¦0eXAiOiJKV1QiLA0KICJhbGciOiJIUzI1NiJ9.eyJpc3MiOiJqb2UiLA0KICJleHAiOjEzMDA4MTkzODAsDQogImh0dHA6Ly9leGFtcGxlLmNvbS9pc19yb290Ijp0cnVlfQ.dBjftJeZ4CVP-mB92K27uhbUJU1p1r_wW1gFWFOEjXk",
        ],
        &[
            "Authorization: Basic YWRhOjRuNGx5N2ljNGw=",
            // Other claims, with the same header and subject.
            "eyJ¦hbGciOiJIUzI1NiIsInR5cCI6IkpXVCJ9.eyJzdWIiOiIxMjM0NTY3ODkwIiwibmFtZSI6IkphbmUgUm9lIn0.kR9vXw2LmQ8zTbN4cYpJ6dHs0aGfEu3WiKo5",
        ],
    );
}

#[test]
fn an_encoded_uri_is_read_for_its_password() {
    assert_told_apart(
        &[
            "next=https%3A%2F%2Fuser%40corp.internal%2Fhook",
            "u=https%3A%2F%2Fh%3A8443%2Fa%40b",
            "r=https%3A%2F%2Fuser%3Apassword%40host%2F",
            "r=https%3A%2F%2Fapp%3A%24%7BPW%7D%40h",
            "r=https%3A%2F%2Fapp%3A***%40h",
        ],
        &[
            "?next=https%3A%2F%2Fsvc%3Ah4rdT0Gu3ss%40h%2Fhook",
            "u=postgres%3a%2f%2fapp%3ah4rdT0Gu3ss%40db%2fmain",
        ],
    );
}

#[test]
fn a_default_belongs_to_the_variable_above_it() {
    assert_told_apart(
        &[
            "variable \"db_user\" {\n  default = \"k9Xv2LmQ8z\"\n}",
            "variable \"db_password\" {\n  type = string\n}\nvariable \"a\" {\n  default = \"k9Xv2LmQ8z\"\n}",
            "variable \"db_password\" {\n  default = var.password2\n}",
        ],
        &["variable \"db_password\" {\n  type    = string\n  default = \"k9Xv2LmQ8z\"\n}"],
    );
}
