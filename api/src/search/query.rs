//! From what is looked for to a query of the index. What a word is worth stands here in whole numbers, and rests on
//! nothing but the event and the word.

use tantivy::Term;
use tantivy::query::{
    AllQuery, BooleanQuery, ConstScoreQuery, DisjunctionMaxQuery, EmptyQuery, FuzzyTermQuery,
    Occur, PhraseQuery, Query, TermQuery,
};
use tantivy::schema::{Field, IndexRecordOption};
use taquilla_engine::name::canonical;
use taquilla_persistence::catalogue::Reference;

use super::Search;
use super::document::Fields;
use super::words::{Word, words};

/// A word as it stands in the event's or an artist's name.
const OF_TITLE: f32 = 8.0;
/// As it stands in the venue's or the city's.
const OF_PLACE: f32 = 5.0;
/// Its beginning.
const BEGUN: f32 = 3.0;
/// As it may have been meant.
const MISTYPED: f32 = 1.0;

/// The query, but for what is compared by columns.
pub(super) fn of(search: &Search, fields: &Fields) -> Box<dyn Query> {
    let mut all: Vec<Box<dyn Query>> = Vec::new();
    if let Some(text) = &search.text {
        let words = words(text);
        if words.is_empty() {
            return Box::new(EmptyQuery);
        }
        all.extend(words.into_iter().map(|word| as_written_or_meant(word, fields)));
    }
    if let Some(category) = &search.category {
        all.push(exactly(fields.category, &canonical(category)));
    }
    if let Some(artist) = &search.artist {
        let name = match artist {
            Reference::Id(id) => id.to_string(),
            Reference::Slug(slug) => slug.clone(),
        };
        all.push(exactly(fields.artist, &name));
    }
    match all.len() {
        0 => Box::new(AllQuery),
        _ => Box::new(BooleanQuery::new(all.into_iter().map(|it| (Occur::Must, it)).collect())),
    }
}

fn exactly(field: Field, text: &str) -> Box<dyn Query> {
    let term = Term::from_field_text(field, text);
    let query = TermQuery::new(term, IndexRecordOption::Basic);
    Box::new(ConstScoreQuery::new(Box::new(query), 0.0))
}

fn as_written_or_meant(Word(parts): Word, fields: &Fields) -> Box<dyn Query> {
    let worth = |score, query: Box<dyn Query>| -> Box<dyn Query> {
        Box::new(ConstScoreQuery::new(query, score))
    };
    let [part] = parts.as_slice() else {
        let one_behind_the_other = |field| {
            let terms = parts.iter().map(|part| Term::from_field_text(field, part)).collect();
            Box::new(PhraseQuery::new(terms))
        };
        let ways = vec![
            worth(OF_TITLE, one_behind_the_other(fields.title)),
            worth(OF_PLACE, one_behind_the_other(fields.text)),
        ];
        return Box::new(DisjunctionMaxQuery::new(ways));
    };
    let term = |field| Term::from_field_text(field, part);
    let whole = |field| Box::new(TermQuery::new(term(field), IndexRecordOption::Basic));
    let begun = |typos| Box::new(FuzzyTermQuery::new_prefix(term(fields.text), typos, true));
    let mut ways = vec![
        worth(OF_TITLE, whole(fields.title)),
        worth(OF_PLACE, whole(fields.text)),
        worth(BEGUN, begun(0)),
    ];
    let typos = typos(part);
    if typos > 0 {
        ways.push(worth(MISTYPED, begun(typos)));
    }
    Box::new(DisjunctionMaxQuery::new(ways))
}

/// How many letters may be wrong, missing, too many, or exchanged with the next: as Elasticsearch's `AUTO:4,6`. Of a
/// short word each letter counts, and a year is not another year.
fn typos(word: &str) -> u8 {
    match word.chars().count() {
        _ if word.chars().any(char::is_numeric) => 0,
        0..=3 => 0,
        4..=5 => 1,
        _ => 2,
    }
}
