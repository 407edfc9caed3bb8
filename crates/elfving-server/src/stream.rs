//! Events as they happen, as server-sent events.

use std::pin::Pin;
use std::sync::Arc;
use std::task::{Context, Poll};
use std::time::Duration;

use axum::body::{Body, Bytes, HttpBody};
use elfving_campaign::{ExportedEvent, Recorded};
use hyper::body::Frame;
use tokio::sync::mpsc;
use tokio::time::{sleep, timeout};

use crate::guard::Who;
use crate::name::Name;
use crate::refusal::{Refusal, Why};
use crate::server::{Desk, STREAMS};
use crate::token::Scope;

/// A sign of life, and a look whether the token is still valid.
const ALIVE: Duration = Duration::from_secs(15);
/// Who takes nothing for so long is not listening.
const PATIENCE: Duration = Duration::from_secs(30);
/// How often to look for what other processes have appended.
const LOOK: Duration = Duration::from_millis(250);
/// Events that wait for a slow listener.
const AHEAD: usize = 16;

/// What comes through a channel, as a body.
struct Channel(mpsc::Receiver<Bytes>);

impl HttpBody for Channel {
    type Data = Bytes;
    type Error = std::convert::Infallible;

    fn poll_frame(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
    ) -> Poll<Option<Result<Frame<Bytes>, Self::Error>>> {
        self.0.poll_recv(context).map(|bytes| bytes.map(|bytes| Ok(Frame::data(bytes))))
    }
}

/// Begins a stream of the events after that one.
pub(crate) fn begin(desk: &Arc<Desk>, who: Who, name: Name, after: u64) -> Result<Body, Refusal> {
    let permit = Arc::clone(&desk.streams)
        .try_acquire_owned()
        .map_err(|_| Refusal::new(Why::Busy, format!("{STREAMS} streams are open already")).retry(30))?;
    let (send, receive) = mpsc::channel(AHEAD);
    let desk = Arc::clone(desk);
    tokio::spawn(async move {
        // It ends when nobody listens, or may.
        let _ = follow(&desk, &who, &name, after, &send).await;
        drop(permit);
    });
    Ok(Body::new(Channel(receive)))
}

async fn follow(
    desk: &Arc<Desk>,
    who: &Who,
    name: &Name,
    mut after: u64,
    send: &mpsc::Sender<Bytes>,
) -> Option<()> {
    let room = desk.house.room(name);
    let mut news = room.news.subscribe();
    say(send, ": the events of a campaign, as they happen\n\n".to_owned()).await?;
    loop {
        let (at, of) = (Arc::clone(desk), name.clone());
        let read = move || at.house.with(&of, |open| open.campaign.events_after(after));
        for recorded in tokio::task::spawn_blocking(read).await.ok()?.ok()? {
            after = recorded.seq;
            say(send, in_words(recorded)).await?;
        }
        while let Err(_quiet) = timeout(ALIVE, news.changed()).await {
            if !still_may(desk, who, name) {
                return None;
            }
            say(send, ": alive\n\n".to_owned()).await?;
        }
        if !still_may(desk, who, name) {
            return None;
        }
    }
}

fn still_may(desk: &Desk, who: &Who, name: &Name) -> bool {
    match who {
        Who::Holder(token) => desk
            .tokens
            .valid(&token.id, (desk.clock)())
            .is_some_and(|token| token.allows(Scope::Read, Some(name))),
        Who::Anybody => desk.is_open(),
        Who::Nobody => false,
    }
}

async fn say(send: &mpsc::Sender<Bytes>, text: String) -> Option<()> {
    timeout(PATIENCE, send.send(Bytes::from(text))).await.ok()?.ok()
}

fn in_words(recorded: Recorded) -> String {
    let event = ExportedEvent::from(recorded);
    // JSON on one line: a line break in a text is escaped.
    let data = serde_json::to_string(&event).expect("finite numbers and text have a JSON form");
    format!("id: {}\nevent: {}\ndata: {data}\n\n", event.event, event.kind)
}

/// Looks for what other processes append, where somebody listens.
pub(crate) async fn watch(desk: Arc<Desk>) {
    loop {
        sleep(LOOK).await;
        for name in desk.house.listened_to() {
            let desk = Arc::clone(&desk);
            // Looking wakes those who listen; a file that cannot be read now can perhaps later.
            let look = move || desk.house.with(&name, |_| Ok(())).is_ok();
            let _ = tokio::task::spawn_blocking(look).await;
        }
    }
}
