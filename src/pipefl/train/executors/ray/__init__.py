"""Work shared out among actors of Ray, on this machine or on a cluster."""
