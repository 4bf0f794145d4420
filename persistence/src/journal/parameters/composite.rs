//! Rows of the composite types that `append_batch` takes.
//!
//! A type is described once, by [`composite!`]: the struct's fields are the type's, by name and in
//! order, which is checked when a statement is bound, not row by row.

use bytes::{BufMut, BytesMut};
use tokio_postgres::types::{Field, IsNull, Kind, ToSql, Type};

pub(super) type BoxedError = Box<dyn std::error::Error + Sync + Send>;

/// The fields of a composite type; none of any other.
pub(super) fn fields(of: &Type) -> &[Field] {
    match of.kind() {
        Kind::Composite(fields) => fields,
        _ => &[],
    }
}

/// Begins a row.
pub(super) fn put_count(fields: usize, out: &mut BytesMut) -> Result<(), BoxedError> {
    out.put_i32(i32::try_from(fields)?);
    Ok(())
}

/// One field: its type, its length, its bytes.
pub(super) fn put(value: &impl ToSql, of: &Type, out: &mut BytesMut) -> Result<(), BoxedError> {
    const NULL: i32 = -1;
    out.put_u32(of.oid());
    let length_at = out.len();
    out.put_i32(NULL);
    if let IsNull::No = value.to_sql(of, out)? {
        let length = i32::try_from(out.len() - length_at - size_of::<i32>())?;
        out[length_at..length_at + size_of::<i32>()].copy_from_slice(&length.to_be_bytes());
    }
    Ok(())
}

/// A row of a composite type. Its fields are the type's, by name and in order.
macro_rules! composite {
    ($(#[$doc:meta])* $name:ident $(<$life:lifetime>)? { $($field:ident: $type:ty),+ $(,)? }) => {
        $(#[$doc])*
        #[derive(Debug)]
        struct $name $(<$life>)? { $($field: $type),+ }

        impl $(<$life>)? ToSql for $name $(<$life>)? {
            fn to_sql(&self, of: &Type, out: &mut BytesMut) -> Result<IsNull, BoxedError> {
                let fields = composite::fields(of);
                composite::put_count(fields.len(), out)?;
                let mut types = fields.iter().map(|field| field.type_());
                $(
                    let of = types.next().ok_or(concat!("no field ", stringify!($field)))?;
                    composite::put(&self.$field, of, out)?;
                )+
                Ok(IsNull::No)
            }

            fn accepts(of: &Type) -> bool {
                let mut left = composite::fields(of).iter();
                $(
                    left.next().is_some_and(|field| {
                        field.name() == stringify!($field)
                            && <$type as ToSql>::accepts(field.type_())
                    }) &&
                )+
                left.next().is_none()
            }

            to_sql_checked!();
        }
    };
}

pub(super) use composite;
