"""Filing order and abbreviations for catalogue headings."""
