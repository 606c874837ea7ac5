//! Scores.
use std::io::BufRead;
fn main() {
    let rules = packframe_core::SecretRules::all();
    for line in std::io::stdin().lock().lines() {
        let text: String = serde_json::from_str(&line.unwrap()).unwrap();
        let found = rules.find(&text);
        let out: Vec<_> = found
            .iter()
            .map(|f| (f.rule, &text[f.start..f.end]))
            .collect();
        println!("{}", serde_json::to_string(&out).unwrap());
    }
}
