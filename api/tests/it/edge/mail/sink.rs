//! A mail server for tests: takes what it is given over SMTP, or does what a bad one does.

use std::net::SocketAddr;
use std::sync::Arc;

use parking_lot::Mutex;
use tokio::io::{AsyncBufReadExt, AsyncWriteExt, BufReader};
use tokio::net::{TcpListener, TcpStream};
use tokio::sync::mpsc;
use tokio::task::JoinHandle;

/// What the server does with the mails to come; the last one stays.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Mood {
    /// Takes a mail.
    Takes,
    /// Takes it, and goes away before it says so.
    TakesWithoutAWord,
    /// Says that it may be tried later.
    Defers,
    /// Says that there is nobody of this name.
    Refuses,
}

/// A mail as it came.
#[derive(Clone, Debug)]
pub(crate) struct Received {
    pub(crate) to: String,
    pub(crate) text: String,
}

/// A server on a port of its own. It ends with its handle.
pub(crate) struct Sink {
    pub(crate) address: SocketAddr,
    pub(crate) moods: Arc<Mutex<Vec<Mood>>>,
    received: mpsc::UnboundedReceiver<Received>,
    serving: JoinHandle<()>,
}

impl Sink {
    pub(crate) async fn start(moods: &[Mood]) -> Self {
        Self::at("127.0.0.1:0".parse().expect("an address"), moods).await
    }

    pub(crate) async fn at(address: SocketAddr, moods: &[Mood]) -> Self {
        let listener = TcpListener::bind(address).await.expect("a port");
        let address = listener.local_addr().expect("an address");
        let moods = Arc::new(Mutex::new(moods.to_vec()));
        let (sender, received) = mpsc::unbounded_channel();
        let served = Arc::clone(&moods);
        let serving = tokio::spawn(async move {
            while let Ok((stream, _)) = listener.accept().await {
                tokio::spawn(serve(stream, Arc::clone(&served), sender.clone()));
            }
        });
        Self { address, moods, received, serving }
    }

    /// The next mail that comes.
    pub(crate) async fn next(&mut self) -> Received {
        let next = tokio::time::timeout(std::time::Duration::from_secs(20), self.received.recv());
        next.await.expect("a mail comes in time").expect("the server is there")
    }

    /// A mail that has come already.
    pub(crate) fn unasked(&mut self) -> Option<Received> {
        self.received.try_recv().ok()
    }
}

impl Drop for Sink {
    fn drop(&mut self) {
        self.serving.abort();
    }
}

impl Received {
    /// A header's value, unfolded.
    pub(crate) fn header(&self, name: &str) -> String {
        let unfolded = self.text.replace("\r\n ", " ").replace("\r\n\t", " ");
        let (head, _) = unfolded.split_once("\r\n\r\n").expect("a head");
        let start = format!("{name}: ");
        let line = head.lines().find_map(|line| line.strip_prefix(&start));
        line.unwrap_or_else(|| panic!("no {name} in {head}")).to_owned()
    }
}

/// One client (RFC 5321, as far as mail needs it).
async fn serve(
    stream: TcpStream,
    moods: Arc<Mutex<Vec<Mood>>>,
    received: mpsc::UnboundedSender<Received>,
) -> Option<()> {
    let mut stream = BufReader::new(stream);
    let mut to = String::new();
    say(&mut stream, "220 sink").await?;
    loop {
        let line = hear(&mut stream).await?;
        let word = line.trim_end().split([' ', ':']).next().unwrap_or_default().to_uppercase();
        match word.as_str() {
            "EHLO" | "HELO" => say(&mut stream, "250 sink").await?,
            "RCPT" => {
                to = line.split(['<', '>']).nth(1).unwrap_or_default().to_owned();
                say(&mut stream, "250 ok").await?;
            }
            "DATA" => {
                say(&mut stream, "354 go on").await?;
                let text = hear_mail(&mut stream).await?;
                let mood = next(&moods);
                if matches!(mood, Mood::Takes | Mood::TakesWithoutAWord) {
                    received.send(Received { to: to.clone(), text }).ok()?;
                }
                match mood {
                    Mood::Takes => say(&mut stream, "250 taken").await?,
                    Mood::TakesWithoutAWord => return None,
                    Mood::Defers => say(&mut stream, "451 later").await?,
                    Mood::Refuses => say(&mut stream, "550 nobody of this name").await?,
                }
            }
            "QUIT" => return say(&mut stream, "221 bye").await,
            _ => say(&mut stream, "250 ok").await?,
        }
    }
}

fn next(moods: &Mutex<Vec<Mood>>) -> Mood {
    let mut moods = moods.lock();
    if moods.len() > 1 { moods.remove(0) } else { moods[0] }
}

async fn say(stream: &mut BufReader<TcpStream>, line: &str) -> Option<()> {
    stream.get_mut().write_all(format!("{line}\r\n").as_bytes()).await.ok()
}

async fn hear(stream: &mut BufReader<TcpStream>) -> Option<String> {
    let mut line = String::new();
    let heard = stream.read_line(&mut line).await.ok()?;
    (heard > 0).then_some(line)
}

async fn hear_mail(stream: &mut BufReader<TcpStream>) -> Option<String> {
    let mut text = String::new();
    loop {
        let line = hear(stream).await?;
        if line == ".\r\n" {
            return Some(text);
        }
        text.push_str(line.strip_prefix('.').unwrap_or(&line));
    }
}
