"""What is called from Python and from notebooks: frames in, frames out, and results that show themselves."""
