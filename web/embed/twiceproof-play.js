// The embed's loader.
