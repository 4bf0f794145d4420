//! Plans by rows: sections with rows of so many seats, numbered from 1, and general areas. The server
//! lays them out.

mod build;
mod check;
mod read;

pub(super) use self::build::build;
pub(super) use self::check::check;
pub(super) use self::read::read;

/// A plan of the right form.
#[derive(Debug, Default)]
pub(super) struct Draft {
    /// Those beyond the most that a plan may have are only counted.
    sections: Vec<Section>,
    sections_count: usize,
}

#[derive(Debug)]
struct Section {
    name: String,
    room: Room,
}

#[derive(Debug)]
enum Room {
    Rows(Vec<Row>),
    Places(u32),
}

#[derive(Debug)]
struct Row {
    name: String,
    seats: u32,
    /// Numbers of the seats that are fit for a wheelchair.
    accessible: Vec<u32>,
}

/// What people call a seat.
fn label(section: &str, row: &str, number: u32) -> String {
    format!("{section}-{row}-{number}")
}
