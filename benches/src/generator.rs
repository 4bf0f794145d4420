//! The load of the benches over HTTP as a process of its own, so that its processor time is told apart.
//! It is this very program, started again; one line in for each slice, one line out.

use std::pin::Pin;
use std::process::Stdio;
use std::sync::Arc;
use std::time::Duration;

use taquilla_api::auth::{Grant, TokenSettings, VerificationKey, mint};
use taquilla_persistence::wall_clock;
use tokio::io::{AsyncBufReadExt, AsyncWriteExt, BufReader, Lines};
use tokio::process::{Child, ChildStdin, ChildStdout, Command};

use crate::http_way::HttpWay;
use crate::load::{Clients, Load, Slice, Until};
use crate::meter::processor_time;
use crate::scale::Scale;

/// Tells the program that it is the generator; what else it has to know follows.
const ARGUMENT: &str = "--generate";

/// That tokens are signed with; of these benches only.
pub const SECRET: &str = "a secret of the bench and of nobody else";
/// Issuer and audience of tokens.
pub const NAME: &str = "bench";
const TOKEN_LIFETIME: Duration = Duration::from_secs(24 * 3600);

/// As both servers verify.
#[must_use]
pub fn token_settings() -> TokenSettings {
    TokenSettings {
        algorithm: jsonwebtoken::Algorithm::HS256,
        keys: vec![VerificationKey::Secret(SECRET.into())],
        issuer: NAME.into(),
        audience: NAME.into(),
    }
}

/// Clients in a process of their own.
#[derive(Debug)]
pub struct Generator {
    process: Child,
    requests: ChildStdin,
    slices: Lines<BufReader<ChildStdout>>,
}

impl Generator {
    /// Starts them, told where and what to ask (see [`told`]).
    #[must_use]
    pub fn start(told: &[&str]) -> Self {
        let program = std::env::current_exe().expect("this program");
        let mut process = Command::new(program)
            .arg(ARGUMENT)
            .args(told)
            .args(std::env::args().skip(1))
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .kill_on_drop(true)
            .spawn()
            .expect("this program starts");
        let requests = process.stdin.take().expect("piped");
        let slices = BufReader::new(process.stdout.take().expect("piped")).lines();
        Self { process, requests, slices }
    }

    async fn slice(&mut self, until: Until) -> Slice {
        let pid = self.process.id().expect("it runs");
        let before = processor_time(pid);
        let Until::Elapsed(time) = until else { panic!("a generator runs for a time") };
        let line = format!("{}\n", time.as_micros());
        self.requests.write_all(line.as_bytes()).await.expect("it listens");
        let line = self.slices.next_line().await.expect("it answers").expect("it lives");
        let mut numbers = line.split(' ').map(|it| it.parse::<u64>().expect("a number"));
        let mut next = || numbers.next().expect("a slice has three numbers");
        let (granted, refused, elapsed) = (next(), next(), Duration::from_micros(next()));
        let generator_cpu = processor_time(pid) - before;
        Slice { granted, refused, elapsed, latencies: numbers.collect(), generator_cpu }
    }
}

impl Clients for Generator {
    fn run(&mut self, until: Until) -> Pin<Box<dyn Future<Output = Slice> + '_>> {
        Box::pin(self.slice(until))
    }
}

/// What this program was told, if it was started as the generator.
#[must_use]
pub fn told<const WORDS: usize>() -> Option<[String; WORDS]> {
    let mut arguments = std::env::args().skip_while(|it| it != ARGUMENT);
    arguments.next()?;
    let words: Vec<String> = arguments.take(WORDS).collect();
    Some(words.try_into().expect("as many words as the program knows"))
}

/// What the started program does for holds: the slices that it is asked for, until nobody asks.
pub async fn generate(scale: &Scale, address: String, event_id: String, round: u64) {
    let way = HttpWay::new(address, event_id, *scale, tokens(scale));
    serve_slices(&mut Load::new(Arc::new(way), scale, round)).await;
}

/// The same for any clients.
pub async fn serve_slices(clients: &mut dyn Clients) {
    // Nothing else is to be done while a line is waited for.
    for line in std::io::stdin().lines() {
        let time = Duration::from_micros(line.expect("a pipe").parse().expect("microseconds"));
        let slice = clients.run(Until::Elapsed(time)).await;
        let mut line = format!("{} {} {}", slice.granted, slice.refused, slice.elapsed.as_micros());
        for micros in slice.latencies {
            line.push_str(&format!(" {micros}"));
        }
        println!("{line}");
    }
}

/// A token for each buyer of the workload, by his number.
#[must_use]
pub fn tokens(scale: &Scale) -> Vec<String> {
    let settings = token_settings();
    let now = wall_clock::now();
    (0..scale.buyers)
        .map(|number| {
            let subject = format!("buyer-{number:06}");
            let (scope, lifetime) = (String::new(), TOKEN_LIFETIME);
            let grant = Grant { subject, scope, lifetime, email: None };
            mint(&settings, &grant, now).expect("the key signs")
        })
        .collect()
}
