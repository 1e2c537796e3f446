"""What flows between the rooms, and the primitives that every room stands on."""
