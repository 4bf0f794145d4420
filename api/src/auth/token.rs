//! A bearer token, verified. Only the configured algorithm is taken, whatever the token's header
//! says. Signature, issuer and audience are the library's; time is ours, since it is the service's
//! clock that counts and not the machine's, and it is looked at each time, of known tokens too.

use std::time::Duration;

use jsonwebtoken::{Algorithm, DecodingKey, Validation, decode};
use lettre::Address;
use secrecy::{ExposeSecret, SecretString};
use serde::Deserialize;
use serde_json::Value;
use taquilla_engine::buyer::BuyerId;
use taquilla_engine::moment::Moment;

use super::known::KnownTokens;

/// How far the clocks of whoever signs and of this service may differ.
const LEEWAY: Duration = Duration::from_secs(30);

/// No token of ours has a tenth of it.
const TOKEN_BYTES_MAX: usize = 8 * 1024;

/// A path of RFC 5321 has no more.
const EMAIL_BYTES_MAX: usize = 254;

/// As many callers as one process serves of a large sale. Twice as many are kept at the most, 200 bytes or so each.
const TOKENS_KNOWN: usize = 250_000;

/// The scope that opens `/admin/*`.
const OPERATOR_SCOPE: &str = "operator";

/// Which tokens are taken.
#[derive(Clone, Debug)]
pub struct TokenSettings {
    /// The only one.
    pub algorithm: Algorithm,
    /// Any of these may have signed; several while keys are being changed.
    pub keys: Vec<VerificationKey>,
    /// The `iss` that a token must have.
    pub issuer: String,
    /// What a token's `aud` must name.
    pub audience: String,
}

/// A key to verify with.
#[derive(Clone, Debug)]
pub enum VerificationKey {
    /// For HS256, HS384, HS512; also signs.
    Secret(SecretString),
    /// A public key, PEM, for the other algorithms.
    Pem(String),
}

/// The settings' keys do not fit the algorithm.
#[derive(Debug, thiserror::Error)]
pub enum KeyError {
    /// None is given.
    #[error("there is no key to verify tokens with")]
    None,
    /// A secret for a public-key algorithm, or the other way round.
    #[error("a key does not fit the algorithm {0:?}")]
    Misfit(Algorithm),
    /// It cannot be read.
    #[error("a key cannot be read")]
    Unreadable(#[from] jsonwebtoken::errors::Error),
}

/// Who asks, by a verified token.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Caller {
    /// The token's `sub`.
    pub buyer: BuyerId,
    /// Whether `/admin/*` is open to it.
    pub is_operator: bool,
    /// The token's `email`, if it is one and whoever signed says `email_verified`.
    pub email: Option<String>,
}

/// Verifies tokens.
pub struct TokenVerifier {
    validation: Validation,
    keys: Vec<DecodingKey>,
    known: KnownTokens<Signed>,
}

/// What a token says whose signature is good.
struct Signed {
    caller: Caller,
    exp: f64,
    nbf: f64,
    iat: f64,
}

/// What is read of a token; `iss` and `aud` the library has compared. NumericDates may have
/// fractions.
#[derive(Deserialize)]
struct Claims {
    sub: String,
    exp: f64,
    /// Absent: good since ever.
    #[serde(default)]
    nbf: f64,
    /// Absent: made at no particular time.
    #[serde(default)]
    iat: f64,
    #[serde(default)]
    scope: String,
    /// Whatever these two are, the token is as good as without them.
    #[serde(default)]
    email: Value,
    #[serde(default)]
    email_verified: Value,
}

impl TokenVerifier {
    /// Reads the keys.
    ///
    /// # Errors
    /// [`KeyError`].
    pub fn new(settings: &TokenSettings) -> Result<Self, KeyError> {
        let algorithm = settings.algorithm;
        let keys: Vec<_> =
            settings.keys.iter().map(|key| key.read(algorithm)).collect::<Result<_, _>>()?;
        if keys.is_empty() {
            return Err(KeyError::None);
        }
        let mut validation = Validation::new(algorithm);
        validation.set_issuer(&[&settings.issuer]);
        validation.set_audience(&[&settings.audience]);
        validation.set_required_spec_claims(&["exp", "iss", "aud", "sub"]);
        validation.validate_exp = false;
        validation.validate_nbf = false;
        Ok(Self { validation, keys, known: KnownTokens::new(TOKENS_KNOWN) })
    }

    /// Who the token speaks for at this instant; `None` for a token that is not good, whatever is
    /// wrong with it.
    #[must_use]
    pub fn verify(&self, token: &str, now: Moment) -> Option<Caller> {
        if token.len() > TOKEN_BYTES_MAX {
            return None;
        }
        let signed = self.known.of(token, || self.signed(token))?;
        signed.holds_at(now).then(|| signed.caller.clone())
    }

    fn signed(&self, token: &str) -> Option<Signed> {
        let decoded = self.keys.iter().find_map(|key| decode(token, key, &self.validation).ok());
        let claims: Claims = decoded?.claims;
        let buyer = BuyerId::parse(&claims.sub)?;
        let is_operator = claims.scope.split(' ').any(|scope| scope == OPERATOR_SCOPE);
        let caller = Caller { buyer, is_operator, email: claims.email() };
        let Claims { exp, nbf, iat, .. } = claims;
        Some(Signed { caller, exp, nbf, iat })
    }
}

impl Signed {
    fn holds_at(&self, now: Moment) -> bool {
        let now = now.since(Moment(0)).as_secs_f64();
        let leeway = LEEWAY.as_secs_f64();
        now < self.exp + leeway && now + leeway >= self.nbf && now + leeway >= self.iat
    }
}

impl Claims {
    /// Some providers write the truth as a text.
    fn email(&self) -> Option<String> {
        let verified = self.email_verified == true || self.email_verified == "true";
        let email = self.email.as_str().filter(|email| email.len() <= EMAIL_BYTES_MAX)?;
        (verified && email.parse::<Address>().is_ok()).then(|| email.to_owned())
    }
}

impl VerificationKey {
    fn read(&self, algorithm: Algorithm) -> Result<DecodingKey, KeyError> {
        use Algorithm as A;
        match (self, algorithm) {
            (Self::Secret(secret), A::HS256 | A::HS384 | A::HS512) => {
                Ok(DecodingKey::from_secret(secret.expose_secret().as_bytes())?)
            }
            (Self::Pem(pem), A::ES256 | A::ES384) => Ok(DecodingKey::from_ec_pem(pem.as_bytes())?),
            (Self::Pem(pem), A::EdDSA) => Ok(DecodingKey::from_ed_pem(pem.as_bytes())?),
            (Self::Pem(pem), A::RS256 | A::RS384 | A::RS512 | A::PS256 | A::PS384 | A::PS512) => {
                Ok(DecodingKey::from_rsa_pem(pem.as_bytes())?)
            }
            (Self::Secret(_) | Self::Pem(_), _) => Err(KeyError::Misfit(algorithm)),
        }
    }
}
