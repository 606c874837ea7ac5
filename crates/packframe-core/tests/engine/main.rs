//! The engine, through its public API.

mod admission;
mod batches;
mod case;
mod chat;
mod conversations;
mod expressions;
mod frames;
mod framing;
mod groups;
mod hostile;
mod instants;
mod items;
mod joins;
mod manifests;
mod merged;
mod naive;
mod promises;
mod properties;
mod renderings;
mod requests;
mod required;
mod secret_lookalikes;
mod secrets;
mod sections;
mod selection;
mod support;
