//! The tokenizers, through the public API, against the libraries that they must equal.

mod approximate;
mod conservative;
mod cuts;
mod fuzz;
mod huggingface;
mod ids;
mod opaque;
mod openai;
mod oracle;
mod running;
mod seams;
mod trained;
