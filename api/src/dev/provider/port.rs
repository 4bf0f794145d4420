//! Where a dev instance's provider listens, kept in its folder: a buyer's open challenge is below that
//! address, so it is taken again at the next start, however the last one ended.

use std::fs;
use std::io;
use std::net::{Ipv4Addr, TcpListener};
use std::path::{Path, PathBuf};

/// The port of before, if it is free; 0, which stands for any that is, where there was none or it has
/// gone to somebody else.
pub(super) fn kept(folder: &Path) -> u16 {
    let Some(port) = fs::read_to_string(file(folder)).ok().and_then(|text| read(&text)) else {
        return 0;
    };
    if let Err(error) = TcpListener::bind((Ipv4Addr::LOCALHOST, port)) {
        tracing::warn!(
            port,
            %error,
            "the simulated provider takes another port, for that of before cannot be had: \
             challenges that are open lead nowhere"
        );
        return 0;
    }
    port
}

/// Keeps it for the next start.
pub(super) fn keep(folder: &Path, port: u16) -> io::Result<()> {
    let (path, text) = (file(folder), format!("{port}\n"));
    if fs::read_to_string(&path).is_ok_and(|kept| kept == text) {
        return Ok(());
    }
    let next = path.with_extension("next");
    fs::write(&next, text)?;
    fs::rename(next, path)
}

fn file(folder: &Path) -> PathBuf {
    folder.join("port")
}

fn read(text: &str) -> Option<u16> {
    text.trim().parse().ok().filter(|port| *port > 0)
}

#[cfg(test)]
mod tests {
    use std::time::{Duration, Instant};

    use super::*;

    #[test]
    fn the_port_of_before_is_taken_again_if_it_is_free() {
        let folder = tempfile::tempdir().expect("a folder");
        assert_eq!(kept(folder.path()), 0, "there was none");
        // Not one that the system gives to whoever asks for any: others do, meanwhile.
        let take = |port| TcpListener::bind((Ipv4Addr::LOCALHOST, port)).ok();
        let taken = (20_011..30_000).step_by(37).find_map(take).expect("one of them is free");
        let port = taken.local_addr().expect("an address").port();
        for _ in 0..2 {
            keep(folder.path(), port).expect("it is kept");
        }
        assert_eq!(kept(folder.path()), 0, "it is somebody else's");
        drop(taken);
        // A child that another test is just starting has a copy of it, until it is another program.
        let deadline = Instant::now() + Duration::from_secs(10);
        while kept(folder.path()) != port {
            assert!(Instant::now() < deadline, "it is free again");
            std::thread::yield_now();
        }
        for nonsense in ["", "0", "-1", "65536", "http"] {
            fs::write(file(folder.path()), nonsense).expect("it is written");
            assert_eq!(kept(folder.path()), 0, "{nonsense}");
        }
    }
}
