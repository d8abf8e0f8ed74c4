"""Whose row is it?"""
