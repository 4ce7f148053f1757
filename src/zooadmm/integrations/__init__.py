"""The library as a part of others, a module each."""
