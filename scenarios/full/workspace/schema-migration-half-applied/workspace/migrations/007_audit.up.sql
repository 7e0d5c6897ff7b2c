-- 7: field-level audit

-- step 1
CREATE TABLE audit (
  id INTEGER PRIMARY KEY,
  at TEXT NOT NULL,
  writer TEXT NOT NULL,
  customer_id INTEGER NOT NULL,
  field TEXT NOT NULL,
  value TEXT
);

-- step 2
INSERT INTO schema_migrations VALUES (7);
