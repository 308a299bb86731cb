"""Where units of work are done: in this process, in several, or as one batched program."""
