"""What every engine that speaks SQL has in common."""
