//! Bodies of `POST /holds`: a form, or errors that each name a place in words for a client.

#![no_main]

#[path = "../said.rs"]
mod said;

use libfuzzer_sys::fuzz_target;
use taquilla_api::forms::hold::HoldForm;
use taquilla_api::strict::read_form;

fuzz_target!(|bytes: &[u8]| {
    match read_form::<HoldForm>(bytes) {
        // What is wrong is said as what it is, and where.
        Ok(form) => {
            if let Err(problem) = form.check() {
                said::is_malformed_request(&problem);
            }
        }
        Err(errors) => {
            assert!(!errors.is_empty() && errors.len() <= 100);
            for error in errors {
                assert!(error.pointer.is_empty() || error.pointer.starts_with('/'));
                assert!(!error.detail.is_empty());
            }
        }
    }
});
