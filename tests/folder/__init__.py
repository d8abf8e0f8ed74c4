"""Tests of what the whole folder of a release tells: adversaries read every file of it."""
