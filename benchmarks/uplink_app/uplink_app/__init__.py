"""A Flower app whose clients compute for as long as their nodes say, and some of which are bad."""
