//! The one door of every shell: what the command line, campaigns and Python need besides the mathematics.
