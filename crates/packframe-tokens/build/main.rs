//! Makes the tables that are baked into the library: vocabularies, from the ones that
//! `tiktoken-rs` carries, and the classes of characters, from `regex-syntax`.

mod classes;
mod sentences;
mod vocabulary;

use std::env;
use std::path::PathBuf;

fn main() {
    println!("cargo::rerun-if-changed=build");
    sentences::write();
    let out = PathBuf::from(env::var_os("OUT_DIR").expect("cargo sets OUT_DIR"));
    classes::write(&out.join("classes"), classes::GENERAL);
    let encodings = [
        ("cl100k_base", tiktoken_rs::cl100k_base()),
        ("o200k_base", tiktoken_rs::o200k_base()),
    ];
    for (name, core) in encodings {
        let core = core.expect("tiktoken-rs carries its vocabularies");
        vocabulary::write(&core, &out.join(name));
    }
}
