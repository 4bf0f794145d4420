//! Origins that a browser may call from, as browsers write them: a header that differs by a slash
//! never matches.

use reqwest::Url;

use super::ConfigError;

/// All of them, or `*` alone.
pub(super) fn check(origins: &[String]) -> Result<(), ConfigError> {
    if origins == ["*"] {
        return Ok(());
    }
    origins.iter().try_for_each(|origin| {
        let rule = match written(origin) {
            Some(right) if right == *origin => return Ok(()),
            Some(right) => format!("holds {origin:?}, which browsers write {right:?}"),
            None if origin == "*" => "names origins, or is \"*\" alone".into(),
            None => format!("holds {origin:?}, which is no origin such as https://shop.example"),
        };
        Err(ConfigError::value("http.cors_origins", &rule))
    })
}

/// As a browser writes it, if it is the origin of a web page.
fn written(text: &str) -> Option<String> {
    let url = Url::parse(text).ok()?;
    let is_alone = url.path() == "/"
        && url.query().is_none()
        && url.fragment().is_none()
        && url.username().is_empty()
        && url.password().is_none();
    let is_web = matches!(url.scheme(), "http" | "https");
    (is_alone && is_web).then(|| url.origin().ascii_serialization())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_origin_is_written_as_browsers_write_it() {
        let said = |origin: &str| check(&[origin.into()]).map_err(|error| error.to_string());
        for right in ["*", "https://shop.example", "http://127.0.0.1:3000"] {
            assert_eq!(said(right), Ok(()), "{right}");
        }
        for (wrong, says) in [
            ("https://shop.example/", "https://shop.example\""),
            ("https://Shop.example:443", "https://shop.example\""),
            ("https://shop.example/buy", "no origin"),
            ("https://ana@shop.example", "no origin"),
            ("shop.example", "no origin"),
            ("ftp://shop.example", "no origin"),
            ("null", "no origin"),
            ("", "no origin"),
        ] {
            let said = said(wrong).expect_err(wrong);
            assert!(said.contains("http.cors_origins") && said.contains(says), "{said}");
        }
        let several = ["https://shop.example".into(), "*".into()];
        let said = check(&several).expect_err("any beside one").to_string();
        assert!(said.contains("\"*\" alone"), "{said}");
    }
}
