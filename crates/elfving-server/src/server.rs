//! From a connection to an answer: who is connected, how much may come in, where the work is done.

use std::collections::HashMap;
use std::io;
use std::net::{SocketAddr, TcpListener};
use std::path::PathBuf;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::time::{Duration, Instant};

use axum::Router;
use axum::body::Body;
use axum::extract::rejection::PathRejection;
use axum::extract::{FromRequest, Multipart, Path, Request};
use axum::http::{HeaderMap, HeaderValue, StatusCode, header};
use axum::response::Response;
use axum::routing::{MethodFilter, on};
use elfving_campaign::Attachment;
use http_body_util::{BodyExt, Limited};
use hyper_util::rt::{TokioIo, TokioTimer};
use hyper_util::service::TowerToHyperService;
use tokio::sync::Semaphore;

use crate::answers::Answers;
use crate::call::{Answer, Answered, Call, HTML, PROBLEM};
use crate::guard::{self, Who};
use crate::house::{Clock, House};
use crate::limit::Limiter;
use crate::metrics::Metrics;
use crate::refusal::{Refusal, Why};
use crate::routes::{ROUTES, Route, Takes, Verb};
use crate::screens;
use crate::session::Sessions;
use crate::stash::Stash;
use crate::stream;
use crate::token::{TokenError, Tokens};

/// Connections at a time.
const CONNECTIONS: usize = 1024;
/// Streams of events at a time.
pub(crate) const STREAMS: usize = 256;
/// Requests that are worked on at a time, and those that may wait for it.
const WORKERS: usize = 8;
const WAITING: usize = 256;
/// Large bodies at a time.
const UPLOADS: usize = 4;
/// A body larger than this is large.
const LARGE: u64 = 1 << 20;
/// How long the head of a request may take, then its body, then the wait for a worker.
const HEAD_TIME: Duration = Duration::from_secs(10);
const BODY_TIME: Duration = Duration::from_secs(60);
const QUEUE_TIME: Duration = Duration::from_secs(30);

/// What to serve, and where.
#[derive(Debug, Clone)]
pub struct Settings {
    /// The folder of campaigns.
    pub folder: PathBuf,
    /// The address to listen at.
    pub listen: SocketAddr,
    /// The time on record.
    pub clock: Clock,
}

/// Why nothing is served.
#[derive(Debug, thiserror::Error)]
pub enum ServeError {
    /// There is no such folder.
    #[error("{}: not a folder", .0.display())]
    NoFolder(PathBuf),
    /// Others could reach it, and there is no token that is valid.
    #[error("{0} can be reached from other computers, and there is no valid token")]
    NeedsTokens(SocketAddr),
    /// The address cannot be had.
    #[error("{address}: {source}")]
    Address {
        /// The address.
        address: SocketAddr,
        /// What the operating system said.
        source: io::Error,
    },
    /// The tokens cannot be read.
    #[error(transparent)]
    Tokens(#[from] TokenError),
}

/// A server with its address, not yet answering.
#[derive(Debug)]
pub struct Server {
    listener: TcpListener,
    desk: Arc<Desk>,
}

/// What all requests share.
#[derive(Debug)]
pub(crate) struct Desk {
    pub(crate) house: House,
    pub(crate) tokens: Tokens,
    pub(crate) sessions: Sessions,
    pub(crate) requests: Limiter,
    pub(crate) failures: Limiter,
    pub(crate) metrics: Metrics,
    pub(crate) answers: Answers,
    pub(crate) stash: Stash,
    pub(crate) streams: Arc<Semaphore>,
    pub(crate) port: u16,
    pub(crate) clock: Clock,
    workers: Semaphore,
    waiting: AtomicUsize,
    uploads: Semaphore,
    /// Whether there were ever tokens: from then on nobody gets in without one.
    closed: AtomicBool,
}

impl Desk {
    /// Whether everybody on this computer is let in.
    pub(crate) fn is_open(&self) -> bool {
        if !self.closed.load(Ordering::Relaxed) && self.tokens.any() {
            self.closed.store(true, Ordering::Relaxed);
        }
        !self.closed.load(Ordering::Relaxed)
    }
}

impl Server {
    /// Takes the address. Without tokens that is one of this computer only.
    ///
    /// # Errors
    /// [`ServeError`].
    pub fn bind(settings: &Settings) -> Result<Self, ServeError> {
        let Settings { folder, listen, clock } = settings;
        if !folder.is_dir() {
            return Err(ServeError::NoFolder(folder.clone()));
        }
        let tokens = Tokens::of(folder);
        let at = clock();
        if !listen.ip().is_loopback() && !tokens.list()?.iter().any(|token| token.is_valid(at)) {
            return Err(ServeError::NeedsTokens(*listen));
        }
        let failed = |source| ServeError::Address { address: *listen, source };
        let listener = TcpListener::bind(listen).map_err(failed)?;
        listener.set_nonblocking(true).map_err(failed)?;
        let port = listener.local_addr().map_err(failed)?.port();
        let closed = AtomicBool::new(tokens.any());
        let desk = Desk {
            house: House::new(folder),
            tokens,
            sessions: Sessions::new(),
            requests: Limiter::new(500.0, 1000.0),
            failures: Limiter::new(5.0, 50.0),
            metrics: Metrics::default(),
            answers: Answers::default(),
            stash: Stash::default(),
            streams: Arc::new(Semaphore::new(STREAMS)),
            port,
            clock: *clock,
            workers: Semaphore::new(WORKERS),
            waiting: AtomicUsize::new(0),
            uploads: Semaphore::new(UPLOADS),
            closed,
        };
        Ok(Self { listener, desk: Arc::new(desk) })
    }

    /// Where it listens.
    ///
    /// # Errors
    /// What the operating system says.
    pub fn address(&self) -> io::Result<SocketAddr> {
        self.listener.local_addr()
    }

    /// Whether everybody on this computer is let in without a token.
    pub fn is_open(&self) -> bool {
        self.desk.is_open()
    }

    /// Answers until the program ends.
    ///
    /// # Errors
    /// What the operating system says.
    pub fn run(self) -> io::Result<()> {
        let runtime = tokio::runtime::Builder::new_multi_thread()
            .worker_threads(2)
            // Workers, streams that read, and the one that looks for what others append.
            .max_blocking_threads(WORKERS + 8)
            .enable_all()
            .build()?;
        runtime.block_on(async move {
            let listener = tokio::net::TcpListener::from_std(self.listener)?;
            tokio::spawn(stream::watch(Arc::clone(&self.desk)));
            accept(listener, self.desk).await
        })
    }
}

async fn accept(listener: tokio::net::TcpListener, desk: Arc<Desk>) -> io::Result<()> {
    let router = router(&desk);
    let connections = Arc::new(Semaphore::new(CONNECTIONS));
    loop {
        // Who comes when all are taken waits in the queue of the operating system.
        let Ok(permit) = Arc::clone(&connections).acquire_owned().await else { return Ok(()) };
        let (socket, peer) = match listener.accept().await {
            Ok(accepted) => accepted,
            Err(_) => {
                // Too many open files, or a connection that went away: no reason to end.
                tokio::time::sleep(Duration::from_millis(50)).await;
                continue;
            }
        };
        let _ = socket.set_nodelay(true);
        let service = router.clone();
        tokio::spawn(async move {
            let service = tower::service_fn(move |mut request: hyper::Request<hyper::body::Incoming>| {
                request.extensions_mut().insert(peer);
                tower::ServiceExt::oneshot(service.clone(), request)
            });
            let served = hyper::server::conn::http1::Builder::new()
                .timer(TokioTimer::new())
                .header_read_timeout(HEAD_TIME)
                .serve_connection(TokioIo::new(socket), TowerToHyperService::new(service));
            // A connection that breaks is nobody's mistake.
            let _ = served.await;
            drop(permit);
        });
    }
}

fn router(desk: &Arc<Desk>) -> Router {
    let mut router = Router::new();
    for route in ROUTES {
        let desk = Arc::clone(desk);
        let method = match route.method {
            Verb::Get => MethodFilter::GET,
            Verb::Post => MethodFilter::POST,
            Verb::Put => MethodFilter::PUT,
        };
        let handler = move |path: Result<Path<HashMap<String, String>>, PathRejection>, request: Request| {
            let desk = Arc::clone(&desk);
            async move { respond(desk, route, path.ok().map(|Path(path)| path), request).await }
        };
        router = router.route(route.path, on(method, handler));
    }
    let nothing = |why: Why, detail: &'static str| async move {
        finished(Err(Refusal::new(why, detail).help("GET /openapi.json lists what there is")), false)
    };
    router
        .fallback(move || nothing(Why::NotThere, "there is nothing at this address"))
        .method_not_allowed_fallback(move || {
            nothing(Why::NoSuchMethod, "this address does not take that method")
        })
}

async fn respond(
    desk: Arc<Desk>,
    route: &'static Route,
    path: Option<HashMap<String, String>>,
    request: Request,
) -> Response {
    let began = Instant::now();
    let reads = request.method() == axum::http::Method::GET;
    let headers = request.headers().clone();
    let answered = answer(&desk, route, path, request).await;
    let response = match answered {
        Ok((Answer::Stream { name, after }, who)) => match stream::begin(&desk, who, name, after) {
            Ok(body) => streaming(body),
            Err(refusal) => finished(Err(refusal), false),
        },
        Ok((whole, _)) => finished(Ok(whole), route.is_page()),
        Err(refusal) if route.is_page() && reads && refusal.status == StatusCode::UNAUTHORIZED => {
            finished(Ok(Answer::see("/login")), true)
        }
        Err(refusal) if route.is_page() => {
            let page = screens::refused(&desk, &headers, &refusal);
            finished(Ok(Answer::html(page).status(refusal.status)), true)
        }
        Err(refusal) => finished(Err(refusal), false),
    };
    desk.metrics.count(route.id, response.status().as_u16(), began.elapsed());
    response
}

async fn answer(
    desk: &Arc<Desk>,
    route: &'static Route,
    path: Option<HashMap<String, String>>,
    request: Request,
) -> Result<(Answer, Who), Refusal> {
    let path = path.ok_or_else(|| Refusal::malformed("the address is not UTF-8"))?;
    let (parts, body) = request.into_parts();
    let peer = parts.extensions.get::<SocketAddr>().map_or_else(String::new, |peer| peer.ip().to_string());
    let at = (desk.clock)();
    let who = guard::admit(desk, route, &parts.method, &parts.headers, &path, &peer, at)?;
    let query = parts.uri.query().unwrap_or_default().as_bytes();
    let query = form_urlencoded::parse(query).into_owned().collect();
    let body = taken(desk, route, &parts.headers, body).await?;
    let mut call = Call {
        desk: Arc::clone(desk),
        who,
        at,
        path,
        query,
        headers: parts.headers,
        body,
        fields: Vec::new(),
        files: Vec::new(),
    };
    if matches!(route.takes, Takes::Form | Takes::Upload) {
        read_form(&mut call).await?;
    }
    if route.takes == Takes::Form {
        let ours = call.field("form_key").is_some_and(|key| desk.sessions.is_ours(&call.headers, key));
        if !ours {
            return Err(Refusal::new(Why::OtherSite, "the form is not one of this server, or too old")
                .help("open the page again and fill it in"));
        }
    }
    let who = call.who.clone();
    Ok((worked(desk, route, call).await?, who))
}

/// The body, as large and as slow as it may be.
async fn taken(desk: &Desk, route: &Route, headers: &HeaderMap, body: Body) -> Result<Vec<u8>, Refusal> {
    let most = route.most();
    let too_large = || {
        let most = elfving::units::grouped(most as u64);
        Refusal::new(Why::TooLarge, format!("the body is larger than {most} bytes"))
    };
    let length =
        headers.get(header::CONTENT_LENGTH).and_then(|length| length.to_str().ok()?.parse::<u64>().ok());
    if length.is_some_and(|length| length > most as u64) {
        return Err(too_large());
    }
    let busy = || Refusal::new(Why::Busy, "too many uploads at a time").retry(5);
    let is_large = most as u64 > LARGE && length.is_none_or(|length| length > LARGE);
    let _permit = match is_large {
        true => {
            let wait = tokio::time::timeout(QUEUE_TIME, desk.uploads.acquire());
            Some(wait.await.map_err(|_| busy())?.map_err(|_| busy())?)
        }
        false => None,
    };
    let read = tokio::time::timeout(BODY_TIME, Limited::new(body, most).collect()).await;
    match read {
        Err(_) => Err(Refusal::new(Why::TooSlow, "the body took longer than a minute")),
        Ok(Err(error)) if error.is::<http_body_util::LengthLimitError>() => Err(too_large()),
        Ok(Err(_)) => Err(Refusal::malformed("the body ended too early")),
        Ok(Ok(body)) => Ok(body.to_bytes().into()),
    }
}

/// The fields and files of a form.
async fn read_form(call: &mut Call) -> Result<(), Refusal> {
    let kind = call.kind().to_owned();
    let body = std::mem::take(&mut call.body);
    if kind == "application/x-www-form-urlencoded" {
        call.fields = form_urlencoded::parse(&body).into_owned().collect();
        return Ok(());
    }
    if kind != "multipart/form-data" {
        return Err(Refusal::malformed(format!("the body is {kind:?}, not a form"))
            .help("send Content-Type: multipart/form-data"));
    }
    let mut request = Request::new(Body::from(body));
    request
        .headers_mut()
        .extend(call.headers.get(header::CONTENT_TYPE).map(|kind| (header::CONTENT_TYPE, kind.clone())));
    // It is in memory already, and no larger than it may be.
    axum::extract::DefaultBodyLimit::disable().apply(&mut request);
    let wrong = |what: String| Refusal::malformed(format!("the form: {what}"));
    let mut form = Multipart::from_request(request, &()).await.map_err(|error| wrong(error.body_text()))?;
    while let Some(field) = form.next_field().await.map_err(|error| wrong(error.body_text()))? {
        let name = field.name().unwrap_or_default().to_owned();
        let file = field.file_name().map(str::to_owned);
        let bytes = field.bytes().await.map_err(|error| wrong(error.body_text()))?;
        match file {
            Some(file) => call.files.push((name, Attachment::new(bare(&file), bytes.to_vec()))),
            None => call.fields.push((name, String::from_utf8_lossy(&bytes).into_owned())),
        }
    }
    Ok(())
}

/// A file's name without any folder, whatever separates them there.
pub(crate) fn bare(name: &str) -> String {
    let name = name.rsplit(['/', '\\']).next().unwrap_or_default();
    name.chars().filter(|c| !c.is_control()).take(200).collect()
}

/// The handler at work, where it may wait for a disk.
async fn worked(desk: &Arc<Desk>, route: &'static Route, mut call: Call) -> Answered {
    let busy = || Refusal::new(Why::Busy, "the server has its hands full").retry(5);
    if desk.waiting.fetch_add(1, Ordering::Relaxed) >= WAITING {
        desk.waiting.fetch_sub(1, Ordering::Relaxed);
        return Err(busy());
    }
    let permit = tokio::time::timeout(QUEUE_TIME, desk.workers.acquire()).await;
    desk.waiting.fetch_sub(1, Ordering::Relaxed);
    let _permit = permit.map_err(|_| busy())?.map_err(|_| busy())?;
    let work = tokio::task::spawn_blocking(move || (route.serve)(&mut call));
    work.await.unwrap_or_else(|_| Err(Refusal::bug()))
}

/// What the pages may do: load our style and script, talk to us, send forms to us; nothing else.
const POLICY: &str = "default-src 'none'; style-src 'self'; script-src 'self'; img-src 'self' data:; connect-src 'self'; \
                      form-action 'self'; frame-ancestors 'none'; base-uri 'none'";

fn protected(headers: &mut HeaderMap) {
    let fixed = [
        (header::CONTENT_SECURITY_POLICY, POLICY),
        (header::X_CONTENT_TYPE_OPTIONS, "nosniff"),
        (header::X_FRAME_OPTIONS, "DENY"),
        // With none at all, browsers say of our own forms that they come from nowhere.
        (header::REFERRER_POLICY, "same-origin"),
        (header::CACHE_CONTROL, "private, no-cache"),
        (header::HeaderName::from_static("cross-origin-resource-policy"), "same-origin"),
        (header::HeaderName::from_static("cross-origin-opener-policy"), "same-origin"),
    ];
    for (name, value) in fixed {
        headers.entry(name).or_insert(HeaderValue::from_static(value));
    }
}

fn finished(answered: Answered, page: bool) -> Response {
    let (status, kind, body, more, retry) = match answered {
        Ok(Answer::Whole { status, kind, body, headers }) => (status, kind, body, headers, None),
        Ok(Answer::Stream { .. }) => unreachable!("streams are answered elsewhere"),
        Err(refusal) => {
            let body = refusal.document().to_string().into_bytes();
            (refusal.status, if page { HTML } else { PROBLEM }, body, Vec::new(), refusal.retry)
        }
    };
    let mut response = Response::new(Body::from(body));
    *response.status_mut() = status;
    let headers = response.headers_mut();
    headers.insert(header::CONTENT_TYPE, HeaderValue::from_static(kind));
    for (name, value) in more {
        // A value that is no header is left out: nothing gets into a header that could end it.
        headers.extend(HeaderValue::from_str(&value).ok().map(|value| (name, value)));
    }
    headers.extend(retry.map(|seconds| (header::RETRY_AFTER, HeaderValue::from(seconds))));
    if status == StatusCode::UNAUTHORIZED {
        headers.insert(header::WWW_AUTHENTICATE, HeaderValue::from_static("Bearer"));
    }
    protected(headers);
    response
}

fn streaming(body: Body) -> Response {
    let mut response = Response::new(body);
    let headers = response.headers_mut();
    headers.insert(header::CONTENT_TYPE, HeaderValue::from_static("text/event-stream"));
    // Proxies pass it on as it comes.
    headers.insert(header::HeaderName::from_static("x-accel-buffering"), HeaderValue::from_static("no"));
    headers.insert(header::CACHE_CONTROL, HeaderValue::from_static("no-store"));
    protected(headers);
    response
}
