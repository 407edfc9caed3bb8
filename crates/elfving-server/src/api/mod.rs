//! The API: each handler reads a request, calls the library, and answers with the document of the command line.

pub(crate) mod campaigns;
pub(crate) mod changes;
pub(crate) mod meta;
pub(crate) mod reading;
pub(crate) mod results;
pub(crate) mod slots;
