"""Bad inputs by the thousand, through the real command line: `python -m campaign --seed 1 --count 10000`.

Whatever is handed to us may come from somebody who means harm,
or from somebody in a hurry. Each input here is a folder
of files and a command. It may be refused (exit 2), be impossible (1) or give a release that verifies (0). It may not
end in a fault of ours, take longer than ten seconds or more than 1 GB, answer with pages of text,
repeat a password, a
person or a file that the release has no business with, or leave half a release behind.
"""
