//! Makes the tables that are baked into the library: vocabularies, from the ones that
//! `tiktoken-rs` carries, and the classes of characters, from `regex-syntax` and from the crate
//! that `tokenizers` normalizes with.

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
    classes::write(&out.join("deepseek"), classes::DEEPSEEK);
    classes::write_steady(&out.join("steady"));
    let encodings = [
        ("cl100k_base", tiktoken_rs::cl100k_base(), 0..100_256),
        ("o200k_base", tiktoken_rs::o200k_base(), 0..199_998),
        ("p50k_base", tiktoken_rs::p50k_base(), 0..50_281),
    ];
    for (name, core, ids) in encodings {
        let core = core.expect("tiktoken-rs carries its vocabularies");
        // The end of a text is a special token in the midst of the others.
        let special = (name == "p50k_base").then_some(50_256);
        let ids = ids.filter(|&id| Some(id) != special);
        vocabulary::write(&core, ids, &out.join(name));
    }
}
