//! Where webhooks go, and the secret that signs them: kept in a file that only its owner reads.

use std::fs::{self, File, OpenOptions};
use std::io::{self, Write as _};
use std::os::unix::fs::OpenOptionsExt as _;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use reqwest::Url;
use secrecy::{ExposeSecret as _, SecretString};
use serde::{Deserialize, Serialize};
use tokio::sync::Mutex;

use crate::turns::apart;

const FILE_NAME: &str = "webhook-endpoint.json";
const URL_BYTES_MAX: usize = 2_048;
const SECRET_BYTES_MAX: usize = 255;

/// An endpoint. Its secret is neither shown nor logged.
#[derive(Debug, Clone)]
pub(in crate::simulated_provider) struct Endpoint {
    pub(super) url: Url,
    pub(super) secret: SecretString,
}

/// The body of `PUT /webhook-endpoint`, and the file's content.
#[derive(Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct Words {
    url: String,
    secret: String,
}

impl Endpoint {
    fn parse(words: Words) -> Result<Self, &'static str> {
        let url = Url::parse(&words.url).ok().filter(|url| {
            matches!(url.scheme(), "http" | "https") && words.url.len() <= URL_BYTES_MAX
        });
        let url = url.ok_or("url is an absolute http or https URL of at most 2048 bytes")?;
        let visible = words.secret.bytes().all(|byte| byte.is_ascii_graphic());
        if !visible || !(1..=SECRET_BYTES_MAX).contains(&words.secret.len()) {
            return Err("secret is 1 to 255 visible ASCII characters");
        }
        Ok(Self { url, secret: words.secret.into() })
    }
}

impl<'de> Deserialize<'de> for Endpoint {
    fn deserialize<D: serde::Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        Self::parse(Words::deserialize(deserializer)?).map_err(serde::de::Error::custom)
    }
}

/// The file, in the directory of the books. Its writes follow one another.
#[derive(Debug)]
pub(in crate::simulated_provider) struct EndpointFile {
    dir: PathBuf,
    writing: Arc<Mutex<()>>,
}

impl EndpointFile {
    pub(in crate::simulated_provider) fn in_dir(dir: &Path) -> Self {
        Self { dir: dir.to_owned(), writing: Arc::default() }
    }

    /// The endpoint that was set last, if any was.
    pub(in crate::simulated_provider) fn read(&self) -> io::Result<Option<Endpoint>> {
        match fs::read(self.dir.join(FILE_NAME)) {
            Ok(bytes) => Ok(Some(serde_json::from_slice(&bytes)?)),
            Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(None),
            Err(error) => Err(error),
        }
    }

    /// Replaces it as a whole, and durably, and does `then` before any other is written; both even if
    /// the caller stops waiting.
    pub(in crate::simulated_provider) async fn write(
        &self,
        endpoint: Endpoint,
        then: impl FnOnce(Endpoint) + Send + 'static,
    ) -> io::Result<()> {
        let turn = Arc::clone(&self.writing).lock_owned().await;
        let dir = self.dir.clone();
        let work = move || {
            replace(&dir, &endpoint)?;
            then(endpoint);
            Ok(())
        };
        let (written, _turn) = apart(turn, work).await?;
        written
    }
}

fn replace(dir: &Path, endpoint: &Endpoint) -> io::Result<()> {
    let secret = endpoint.secret.expose_secret().to_owned();
    let words = Words { url: endpoint.url.to_string(), secret };
    let next = dir.join("webhook-endpoint.json.next");
    let mut options = OpenOptions::new();
    options.write(true).create(true).truncate(true).mode(0o600);
    let mut file = options.open(&next)?;
    file.write_all(&serde_json::to_vec(&words)?)?;
    file.sync_all()?;
    fs::rename(&next, dir.join(FILE_NAME))?;
    File::open(dir)?.sync_all()
}
