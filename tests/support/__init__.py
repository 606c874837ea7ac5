"""What several test files share: vocabularies, profiles in pairs, generated frames."""
