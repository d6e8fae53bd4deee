"""The gallery: a picture of each page in each state, and the list of these that other tests go through, too."""
