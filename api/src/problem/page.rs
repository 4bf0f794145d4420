//! The page of a problem, for whoever follows its `type`.

use super::ProblemType;

/// A small HTML page. All it shows is our own text, so nothing is escaped but quotation in code.
#[must_use]
pub fn render(kind: &ProblemType) -> String {
    let ProblemType { slug, status, title, meaning, .. } = kind;
    let meaning = in_code(meaning);
    format!(
        "<!doctype html>\n<html lang=\"en\">\n<meta charset=\"utf-8\">\n<title>{slug}</title>\n\
         <h1>{title}</h1>\n<p><code>{slug}</code>, status {status}</p>\n<p>{meaning}</p>\n</html>\n"
    )
}

/// Backquoted words become code; angle brackets in them are shown as they are.
fn in_code(text: &str) -> String {
    let parts = text.split('`').enumerate().map(|(place, part)| {
        let part = part.replace('&', "&amp;").replace('<', "&lt;").replace('>', "&gt;");
        if place % 2 == 1 { format!("<code>{part}</code>") } else { part }
    });
    parts.collect()
}
