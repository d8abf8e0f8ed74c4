"""Who has what, to somebody who knows how frequent each value is among people of every kind?"""
