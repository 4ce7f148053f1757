"""What the applications reach on real data, beside the specialists' tools."""
