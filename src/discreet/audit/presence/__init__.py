"""Who is in the table?"""
