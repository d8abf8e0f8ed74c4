"""What `init` proposes: what each column is, how it is read and made coarser, what to promise; and why."""
