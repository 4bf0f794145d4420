//! One page of what a query finds: narrowed by columns, sorted, from a position on. Keeps no more than the page.

use std::collections::BinaryHeap;
use std::sync::Arc;

use tantivy::collector::{Collector, SegmentCollector};
use tantivy::columnar::ColumnValues;
use tantivy::{DocId, Result, Score, SegmentOrdinal, SegmentReader};
use taquilla_engine::id::EventNumber;
use taquilla_engine::moment::Moment;

use super::document::{DAY, EVENT, LAT, LON, STARTS_AT};
use super::{Near, Order, Search, SearchPosition, When};

/// The mean radius, as the haversine formula takes it.
const EARTH_KM: f64 = 6_371.0;

/// What is compared by columns.
#[derive(Clone, Copy, Debug)]
pub(super) struct Narrowed {
    near: Option<Near>,
    from: Option<When>,
    to: Option<When>,
    order: Order,
    after: Option<SearchPosition>,
}

impl Narrowed {
    pub(super) fn of(search: &Search, after: Option<SearchPosition>) -> Self {
        let Search { near, from, to, order, .. } = *search;
        Self { near, from, to, order, after }
    }
}

/// Finds the first so many.
pub(super) struct PageCollector {
    narrowed: Narrowed,
    limit: usize,
}

impl PageCollector {
    pub(super) fn new(narrowed: Narrowed, limit: usize) -> Self {
        Self { narrowed, limit }
    }
}

type Column<T> = Arc<dyn ColumnValues<T>>;

/// The same in one segment.
pub(super) struct SegmentPage {
    narrowed: Narrowed,
    limit: usize,
    event: Column<i64>,
    starts_at: Column<i64>,
    day: Column<i64>,
    lat: Column<f64>,
    lon: Column<f64>,
    /// The last of the page on top.
    page: BinaryHeap<SearchPosition>,
}

impl Collector for PageCollector {
    type Fruit = Vec<SearchPosition>;
    type Child = SegmentPage;

    fn for_segment(&self, _: SegmentOrdinal, segment: &SegmentReader) -> Result<SegmentPage> {
        let columns = segment.fast_fields();
        Ok(SegmentPage {
            narrowed: self.narrowed,
            limit: self.limit,
            event: columns.i64(EVENT)?.first_or_default_col(0),
            starts_at: columns.i64(STARTS_AT)?.first_or_default_col(0),
            day: columns.i64(DAY)?.first_or_default_col(0),
            lat: columns.f64(LAT)?.first_or_default_col(0.0),
            lon: columns.f64(LON)?.first_or_default_col(0.0),
            page: BinaryHeap::new(),
        })
    }

    fn requires_scoring(&self) -> bool {
        self.narrowed.order == Order::Relevance
    }

    fn merge_fruits(&self, pages: Vec<Vec<SearchPosition>>) -> Result<Vec<SearchPosition>> {
        let mut page: Vec<_> = pages.into_iter().flatten().collect();
        page.sort_unstable();
        page.truncate(self.limit);
        Ok(page)
    }
}

impl SegmentCollector for SegmentPage {
    type Fruit = Vec<SearchPosition>;

    fn collect(&mut self, event: DocId, score: Score) {
        let Some(position) = self.position(event, score) else { return };
        let is_full = self.page.len() == self.limit;
        if is_full && self.page.peek().is_some_and(|last| *last <= position) {
            return;
        }
        if is_full {
            self.page.pop();
        }
        self.page.push(position);
    }

    fn harvest(self) -> Vec<SearchPosition> {
        self.page.into_vec()
    }
}

impl SegmentPage {
    /// Where the event stands, if it is one of those that are looked for, and not before the page.
    fn position(&self, document: DocId, score: Score) -> Option<SearchPosition> {
        let Narrowed { near, from, to, order, after } = self.narrowed;
        let starts_at = Moment(self.starts_at.get_val(document));
        let day = || self.day.get_val(document);
        let begins_late_enough = from.is_none_or(|from| match from {
            When::Instant(from) => starts_at >= from,
            When::Day(from) => day() >= i64::from(from),
        });
        let begins_soon_enough = to.is_none_or(|to| match to {
            When::Instant(to) => starts_at <= to,
            When::Day(to) => day() <= i64::from(to),
        });
        if !begins_late_enough || !begins_soon_enough {
            return None;
        }
        let km = match near {
            Some(near) => Some(self.km_within(near, document)?),
            None => None,
        };
        let rank = match order {
            Order::Date => 0,
            Order::Distance => (km.unwrap_or(0.0) * 1_000.0).round() as i64,
            Order::Relevance => -(score.round() as i64),
        };
        let event = EventNumber(i32::try_from(self.event.get_val(document)).ok()?);
        let position = SearchPosition { order, rank, starts_at, event };
        after.is_none_or(|after| position > after).then_some(position)
    }

    fn km_within(&self, near: Near, document: DocId) -> Option<f64> {
        let lat = self.lat.get_val(document);
        // No farther on the sphere than along its meridian: most are out by this alone.
        let meridian_km = (lat - near.lat).to_radians().abs() * EARTH_KM;
        if meridian_km > near.radius_km {
            return None;
        }
        let km = distance_km(near, lat, self.lon.get_val(document));
        (km <= near.radius_km).then_some(km)
    }
}

/// By the haversine formula.
fn distance_km(from: Near, lat: f64, lon: f64) -> f64 {
    let (from_lat, to_lat) = (from.lat.to_radians(), lat.to_radians());
    let half_lat = (to_lat - from_lat) / 2.0;
    let half_lon = (lon - from.lon).to_radians() / 2.0;
    let chord = half_lat.sin().powi(2) + from_lat.cos() * to_lat.cos() * half_lon.sin().powi(2);
    2.0 * EARTH_KM * chord.sqrt().min(1.0).asin()
}
