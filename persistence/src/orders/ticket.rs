//! Tickets of an order.

use taquilla_engine::id::{OrderId, TicketId};
use tokio_postgres::Row;

use crate::columns::{self, BrokenRow};

/// In seat order; places in the order of their ids, which is stable and means nothing.
macro_rules! tickets_of {
    ($name:literal, $orders:literal) => {
        concat!(
            "/* ",
            $name,
            " */ SELECT t.ticket_id, t.order_id, t.status, s.name AS section, v.label \
              FROM tickets t \
              JOIN events e USING (event_no) \
              JOIN plan_sections s ON s.plan_id = e.plan_id AND s.section_no = t.section_no \
              LEFT JOIN plan_seats v ON v.plan_id = e.plan_id \
                AND v.seat_index = t.seat_key - e.event_no::bigint * 1048576 \
             WHERE t.order_id ",
            $orders,
            " ORDER BY t.seat_key, t.ticket_id"
        )
    };
}

pub(super) const OF_ORDER: &str = tickets_of!("tickets_of_order", "= $1");
pub(super) const OF_ORDERS: &str = tickets_of!("tickets_of_orders", "= ANY ($1)");

/// A ticket.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct TicketRecord {
    /// Its id.
    pub id: TicketId,
    /// Its section's name.
    pub section: String,
    /// Its seat's label, where the section has seats.
    pub seat: Option<String>,
    /// What it is worth.
    pub status: TicketStatus,
}

/// What a ticket is worth.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum TicketStatus {
    /// Lets its bearer in.
    Valid,
    /// Lets nobody in.
    Void,
    /// Has let its bearer in.
    Used,
}

impl TicketStatus {
    /// The status as buyers see it.
    #[must_use]
    pub fn code(self) -> &'static str {
        match self {
            TicketStatus::Valid => "valid",
            TicketStatus::Void => "void",
            TicketStatus::Used => "used",
        }
    }

    fn from_column(status: i16) -> Option<TicketStatus> {
        match status {
            0 => Some(TicketStatus::Valid),
            1 => Some(TicketStatus::Void),
            2 => Some(TicketStatus::Used),
            _ => None,
        }
    }
}

pub(super) fn read(row: &Row) -> Result<(OrderId, TicketRecord), BrokenRow> {
    let ticket = TicketRecord {
        id: columns::id(row, "ticket_id", TicketId::parse)?,
        section: columns::get(row, "section")?,
        seat: columns::get(row, "label")?,
        status: columns::parse(row, "status", TicketStatus::from_column)?,
    };
    Ok((columns::id(row, "order_id", OrderId::parse)?, ticket))
}
