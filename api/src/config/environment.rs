//! The environment's part of the configuration. Variables of others are none of our business, whatever
//! is in them.

use std::ffi::OsString;

use super::ConfigError;
use super::layer::PREFIX;

/// Our variables, names and values.
///
/// # Errors
/// [`ConfigError`] for one of ours that is not UTF-8, by its name.
pub fn environment() -> Result<Vec<(String, String)>, ConfigError> {
    ours(std::env::vars_os())
}

fn ours(
    variables: impl Iterator<Item = (OsString, OsString)>,
) -> Result<Vec<(String, String)>, ConfigError> {
    let is_ours = |name: &OsString| name.as_encoded_bytes().starts_with(PREFIX.as_bytes());
    variables
        .filter(|(name, _)| is_ours(name))
        .map(|(name, value)| {
            let shown = name.to_string_lossy().into_owned();
            let read = name.into_string().ok().zip(value.into_string().ok());
            read.ok_or_else(|| ConfigError::value(&shown, "is UTF-8, name and value"))
        })
        .collect()
}

#[cfg(test)]
mod tests {
    use std::os::unix::ffi::OsStringExt;

    use super::*;

    #[test]
    fn only_variables_of_ours_must_be_text() {
        let broken = || OsString::from_vec(vec![b'a', 0xff]);
        let others = [("HOME".into(), broken()), (broken(), "x".into())];
        assert_eq!(ours(others.into_iter()).expect("none of ours"), []);
        let name = OsString::from("TAQUILLA__HTTP__LISTEN");
        let read = ours([(name.clone(), "127.0.0.1:1".into())].into_iter()).expect("text");
        assert_eq!(read, [("TAQUILLA__HTTP__LISTEN".into(), "127.0.0.1:1".into())]);
        let said = ours([(name, broken())].into_iter()).expect_err("not text").to_string();
        assert!(said.starts_with("TAQUILLA__HTTP__LISTEN is UTF-8"), "{said}");
    }
}
