//! What every request passes, whatever its path, from the outside in: its id, browsers' questions about other origins,
//! problems and panics, and whether there is room for it. Then come the routes, and the usher of their group.
//!
//! Not a stack of layers: each layer of the framework's puts the request into a box of its own and copies all that
//! stands behind it, which cost more than what the layers do.

use std::convert::Infallible;
use std::pin::Pin;
use std::sync::Arc;
use std::task::{Context, Poll};

use axum::Router;
use axum::extract::Request;
use axum::http::Method;
use axum::http::header::{ACCESS_CONTROL_REQUEST_METHOD, ORIGIN};
use axum::response::Response;
use tower::{Layer as _, Service};
use tower_http::cors::{Cors, CorsLayer};

use crate::problem::completed;
use crate::request_id::under_its_id;
use crate::shedding::{Shedding, shed_or_answer};

type Answered = Pin<Box<dyn Future<Output = Result<Response, Infallible>> + Send>>;

/// The whole interface. Cheap to clone, and always ready.
#[derive(Clone)]
pub struct Front(Arc<Parts>);

struct Parts {
    guarded: Guarded,
    other_origins: Cors<Guarded>,
}

impl Front {
    pub(super) fn new(
        router: Router,
        shedding: Option<Arc<Shedding>>,
        other_origins: &CorsLayer,
    ) -> Self {
        let guarded = Guarded(Arc::new(Behind { router, shedding }));
        let other_origins = other_origins.layer(guarded.clone());
        Self(Arc::new(Parts { guarded, other_origins }))
    }

    /// A browser's preflight is answered by the layer for other origins, whatever the path; any other `OPTIONS` is a
    /// method like the rest, which no path takes, and goes past that layer.
    async fn answer(&self, request: Request) -> Response {
        let headers = request.headers();
        let is_preflight =
            headers.contains_key(ORIGIN) && headers.contains_key(ACCESS_CONTROL_REQUEST_METHOD);
        let answered = if request.method() == Method::OPTIONS && !is_preflight {
            self.0.guarded.clone().call(request).await
        } else {
            self.0.other_origins.clone().call(request).await
        };
        let Ok(answer) = answered;
        answer
    }
}

impl Service<Request> for Front {
    type Response = Response;
    type Error = Infallible;
    type Future = Answered;

    fn poll_ready(&mut self, _: &mut Context<'_>) -> Poll<Result<(), Infallible>> {
        Poll::Ready(Ok(()))
    }

    fn call(&mut self, request: Request) -> Answered {
        let front = self.clone();
        Box::pin(async move {
            Ok(under_its_id(request, |request| async move { front.answer(request).await }).await)
        })
    }
}

/// The routes, behind what makes a problem of a panic and turns away what is too much.
#[derive(Clone)]
struct Guarded(Arc<Behind>);

struct Behind {
    router: Router,
    shedding: Option<Arc<Shedding>>,
}

impl Service<Request> for Guarded {
    type Response = Response;
    type Error = Infallible;
    type Future = Answered;

    fn poll_ready(&mut self, _: &mut Context<'_>) -> Poll<Result<(), Infallible>> {
        Poll::Ready(Ok(()))
    }

    fn call(&mut self, request: Request) -> Answered {
        let behind = Arc::clone(&self.0);
        Box::pin(async move {
            let route = async |request| {
                let Ok(answer) = behind.router.clone().call(request).await;
                answer
            };
            let shedding = behind.shedding.as_ref();
            Ok(completed(request, |request| shed_or_answer(shedding, request, route)).await)
        })
    }
}
