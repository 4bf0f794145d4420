//! Codes and rules are on the page that explains them.

use std::fs;
use std::path::Path;

use taquilla_api::plans::repair::rules;

fn page() -> String {
    let page = Path::new(env!("CARGO_MANIFEST_DIR")).join("../docs/plans.md");
    fs::read_to_string(page).expect("the page")
}

/// What stands between quotation marks in the folder's files and is made of words and hyphens.
fn codes(folder: &Path) -> Vec<String> {
    let mut codes = Vec::new();
    for entry in fs::read_dir(folder).expect("a folder").flatten() {
        if entry.path().is_dir() {
            codes.extend(self::codes(&entry.path()));
        } else {
            let text = fs::read_to_string(entry.path()).expect("a source");
            let literals = text.split('"').skip(1).step_by(2);
            let is_code = |it: &&str| {
                it.contains('-')
                    && !it.starts_with('-')
                    && it.bytes().all(|byte| byte.is_ascii_lowercase() || byte == b'-')
            };
            codes.extend(literals.filter(is_code).map(str::to_owned));
        }
    }
    codes
}

#[test]
fn every_code_of_a_defect_is_on_the_page() {
    let (page, folder) = (page(), Path::new(env!("CARGO_MANIFEST_DIR")).join("src/plans"));
    let codes = codes(&folder);
    assert!(codes.len() > 40, "{} codes were found", codes.len());
    for code in codes {
        assert!(page.contains(&format!("`{code}`")), "{code}");
    }
}

#[test]
fn every_rule_has_its_line_on_the_page() {
    let page = page();
    for rule in rules() {
        assert!(page.contains(&format!("| `{rule}` |")), "{rule}");
    }
}
