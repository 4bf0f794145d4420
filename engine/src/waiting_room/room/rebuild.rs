//! A room made from its rows.

use std::collections::HashMap;
use std::sync::Arc;

use super::lane::Gathered;
use super::{Room, RoomTerms};
use crate::moment::Moment;
use crate::waiting_room::draw::Attendance;
use crate::waiting_room::line::{Line, Patience};
use crate::waiting_room::members::MembersWriter;
use crate::waiting_room::snapshot::QueueSnapshot;

impl<R> Room<R> {
    /// From rows, with a line that nobody has read yet.
    #[must_use]
    pub fn new(terms: RoomTerms, patience: Patience, snapshot: QueueSnapshot) -> Self {
        let QueueSnapshot { epoch, sequence, salt, secret, opening, round, .. } = snapshot;
        let QueueSnapshot { control, places, calls, .. } = snapshot;
        let line = Arc::new(Line::new(terms.event.event(), salt, patience, round));
        let mut room = Self {
            gathering: Gathered::new(terms.event.event(), epoch, sequence),
            terms,
            now: opening
                .map(|it| it.at)
                .into_iter()
                .chain(calls.last().map(|it| it.at))
                .max()
                .unwrap_or(Moment(i64::MIN)),
            secret,
            line,
            writer: MembersWriter::default(),
            joined: 0,
            attendance: Attendance::default(),
            is_open: false,
            served: 0,
            round,
            control,
            asked: control,
            again: HashMap::new(),
            obeyed: Vec::new(),
            coming: HashMap::new(),
            turning: HashMap::new(),
            executing: None,
        };
        for place in places {
            if opening.is_none_or(|opening| room.joined < opening.present) {
                room.attendance.push(place.ticket);
            }
            if room.line.number(place.ticket).is_some() {
                *room.again.entry(place.ticket).or_default() += 1;
            }
            room.line.add(&mut room.writer, place.ticket, room.joined);
            room.line.restore(room.joined, place.kept);
            room.joined += 1;
        }
        if let Some(opening) = opening {
            room.open(opening);
        }
        for call in calls {
            room.line.call(call);
            room.served = call.served;
        }
        room
    }
}
