"""Who has what?"""
