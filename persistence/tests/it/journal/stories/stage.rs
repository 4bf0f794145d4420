//! An event with its owner, and who tells its stories.

use taquilla_engine::id::SeatIndex;
use taquilla_persistence::database::Database;
use taquilla_persistence::page::Page;
use taquilla_persistence::pool::Pool;
use taquilla_persistence::story::{Entry, Position, Stories, Subject, Who};

use crate::journal::box_office::{BoxOffice, EVENT};
use crate::journal::owner::Owner;

pub(super) struct Stage {
    pub(super) office: BoxOffice,
    pub(super) owner: Owner,
    pub(super) database: Database,
    pub(super) stories: Stories,
}

impl Stage {
    pub(super) async fn open(name: &str) -> Stage {
        let office = BoxOffice::open(name).await;
        let owner = Owner::start(&office).await;
        let pool = Pool::new(&office.settings).expect("a good URL");
        let database = Database::new(pool, &office.settings);
        let stories = Stories::new(database.clone());
        Stage { office, owner, database, stories }
    }

    pub(super) async fn tell(
        &self,
        subject: &Subject,
        after: Option<Position>,
        limit: u16,
    ) -> Option<Page<Entry, Position>> {
        self.stories.tell(EVENT, subject, after, limit).await.expect("rows that can be read")
    }

    /// All of it.
    pub(super) async fn story(&self, subject: &Subject) -> Vec<Entry> {
        let page = self.tell(subject, None, 10_000).await.expect("a story");
        assert_eq!(page.next, None);
        page.items
    }
}

/// The seat with its label in these tests.
pub(super) fn seat(index: u32) -> Subject {
    Subject::Seat { seat: SeatIndex(index), label: format!("S-{index}") }
}

/// Who, and the kind of what.
pub(super) fn told(story: &[Entry]) -> Vec<String> {
    let line = |entry: &Entry| {
        let who = match &entry.who {
            Who::Buyer(name) | Who::Operator(name) => name,
            Who::Clock => "clock",
        };
        let what = format!("{:?}", entry.what);
        format!("{who} {}", what.split([' ', '(']).next().expect("a kind"))
    };
    story.iter().map(line).collect()
}
