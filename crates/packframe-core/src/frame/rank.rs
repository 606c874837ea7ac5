//! Scores for the rows: from a query, or given.

use std::sync::Arc;

use super::Frame;
use super::bm25::bm25;
use crate::error::Error;

impl Frame {
    /// Returns the frame with each row scored by how well its text answers a query, from 0 on.
    ///
    /// BM25 over the rows, by what a text rendering shows of each. Linear in the text of the frame.
    #[must_use]
    pub fn rank(&self, query: &str) -> Self {
        let texts = self.contents.iter().map(|content| content.rendered());
        Self {
            scores: Arc::new(bm25(texts, query)),
            ..self.clone()
        }
    }

    /// Returns the frame with other scores, one a row.
    ///
    /// # Errors
    ///
    /// `InvalidOption` for another number of them, and for one that is not finite.
    pub fn with_scores(&self, mut scores: Vec<f64>) -> Result<Self, Error> {
        if scores.len() != self.len() {
            let value = format!("{} scores", scores.len());
            let problem = format!("are not one for each of {} rows", self.len());
            let remedy = "a score for each row, in order";
            return Err(Error::invalid_option("by", value, problem, Some(remedy)));
        }
        for (row, score) in scores.iter_mut().enumerate() {
            if !score.is_finite() {
                let option = format!("by[{row}]");
                let remedy = Some("a finite number");
                return Err(Error::invalid_option(
                    option,
                    score.to_string(),
                    "is not finite",
                    remedy,
                ));
            }
            // Adding zero turns a negative zero into a positive one, so that they sort as equal.
            *score += 0.0;
        }
        Ok(Self {
            scores: Arc::new(scores),
            ..self.clone()
        })
    }
}
