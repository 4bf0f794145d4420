//! Tickets on paper: a PDF with a page for each, and on it the QR code that a gate reads.
//!
//! Nothing of the machine is used, fonts come with the program. The same tickets make the same bytes.

mod dots;
mod lines;
mod qr;
mod typeface;

use krilla::Document;
use krilla::metadata::Metadata;
use krilla::page::PageSettings;
use krilla::surface::Surface;

use self::lines::wrap;
use self::typeface::{BOLD, REGULAR, Typeface};

/// A5, in points: it fits a pocket, and twice on what a printer at home takes.
const WIDTH: f32 = 419.53;
const HEIGHT: f32 = 595.28;
const MARGIN: f32 = 36.0;
/// Between lines, by the size of their letters.
const LEADING: f32 = 1.3;
/// 78 mm: a code of a few hundred bytes has modules of about a millimetre, which every scanner reads.
const QR_SIDE: f32 = 220.0;

/// A file has no more pages: a second or two of a core, and as many megabytes.
pub const PAGES_MAX: usize = 200;

/// What is printed.
#[derive(Clone, Debug)]
pub struct Paper {
    /// The event's name.
    pub event: String,
    /// When it begins, in words.
    pub starts: String,
    /// Where, in words.
    pub venue: String,
    /// The order's id.
    pub order: String,
    /// A page each, at most [`PAGES_MAX`].
    pub tickets: Vec<PaperTicket>,
    /// How many tickets there are before these.
    pub before: usize,
    /// How many there are in all.
    pub total: usize,
}

/// One page of it.
#[derive(Clone, Debug)]
pub struct PaperTicket {
    /// Its id.
    pub id: String,
    /// Where.
    pub section: String,
    /// On which seat, where the section has seats.
    pub seat: Option<String>,
    /// What the gate reads.
    pub code: String,
}

/// The PDF. A page takes a few milliseconds of a core: not for a thread that serves requests.
///
/// # Panics
/// Never: no page is of no size, and nothing is asked of the file that could be refused.
#[must_use]
pub fn print(paper: &Paper) -> Vec<u8> {
    let mut document = Document::new();
    let title = format!("{} · {}", paper.event, paper.starts);
    document.set_metadata(Metadata::new().title(title).creator("taquilla".into()));
    for (nth, ticket) in (paper.before + 1..).zip(&paper.tickets).take(PAGES_MAX) {
        let settings = PageSettings::from_wh(WIDTH, HEIGHT).expect("A5 has a size");
        let mut page = document.start_page_with(settings);
        let mut surface = page.surface();
        draw(&mut surface, paper, ticket, nth);
        surface.finish();
        page.finish();
    }
    document.finish().expect("a file without claims of conformance has nothing to break")
}

fn draw(surface: &mut Surface<'_>, paper: &Paper, ticket: &PaperTicket, nth: usize) {
    let mut pen = Pen { surface, y: MARGIN };
    pen.write(&BOLD, 20.0, &paper.event, 3);
    pen.skip(4.0);
    pen.write(&REGULAR, 11.0, &paper.starts, 1);
    pen.write(&REGULAR, 11.0, &paper.venue, 2);
    pen.skip(12.0);
    pen.write(&BOLD, 16.0, ticket.seat.as_ref().unwrap_or(&ticket.section), 2);
    if ticket.seat.is_some() {
        pen.write(&REGULAR, 11.0, &ticket.section, 2);
    }
    let (left, top) = ((WIDTH - QR_SIDE) / 2.0, HEIGHT - MARGIN - QR_SIDE - 54.0);
    // Beside the margin and the text below, the four modules of white that a scanner needs.
    if !qr::draw(pen.surface, left, top, QR_SIDE, &ticket.code) {
        pen.y = top;
        pen.write(&REGULAR, 11.0, "This ticket's code does not fit a QR code.", 1);
    }
    pen.y = HEIGHT - MARGIN - 34.0;
    let count = format!("{nth} of {}", paper.total);
    pen.write(&REGULAR, 8.0, &format!("{count} · ticket {}", ticket.id), 1);
    pen.write(&REGULAR, 8.0, &format!("order {}", paper.order), 1);
}

/// Writes from top to bottom.
struct Pen<'a, 'b> {
    surface: &'a mut Surface<'b>,
    y: f32,
}

impl Pen<'_, '_> {
    /// The text in lines of the page's width, at most so many; what is longer ends with three dots.
    fn write(&mut self, typeface: &Typeface, size: f32, text: &str, lines_max: usize) {
        for line in wrap(text, WIDTH - 2.0 * MARGIN, lines_max, |line| typeface.width(line, size)) {
            self.y += size;
            typeface.draw(self.surface, MARGIN, self.y, size, &line);
            self.y += size * (LEADING - 1.0);
        }
    }

    fn skip(&mut self, by: f32) {
        self.y += by;
    }
}
