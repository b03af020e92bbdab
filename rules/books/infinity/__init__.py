"""The book of Infinity CodeOne: Normal Rolls and Face to Face Rolls."""
