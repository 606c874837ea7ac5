//! The tokenizers, through the public API, against the libraries that they must equal.

mod approximate;
mod fuzz;
mod huggingface;
mod openai;
mod oracle;
mod seams;
mod trained;
