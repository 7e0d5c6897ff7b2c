CREATE TABLE schema_migrations (version INTEGER PRIMARY KEY);
CREATE TABLE customer (
  id INTEGER PRIMARY KEY,
  name TEXT NOT NULL,
  updated_at TEXT NOT NULL,
  locale TEXT NOT NULL DEFAULT 'en'
);
CREATE TABLE audit (
  id INTEGER PRIMARY KEY,
  at TEXT NOT NULL,
  writer TEXT NOT NULL,
  customer_id INTEGER NOT NULL,
  field TEXT NOT NULL,
  value TEXT
);
CREATE TABLE contact (
  customer_id INTEGER NOT NULL,
  kind TEXT NOT NULL CHECK (kind IN ('phone', 'email')),
  value TEXT NOT NULL,
  updated_at TEXT NOT NULL,
  PRIMARY KEY (customer_id, kind)
);
CREATE INDEX contact_value ON contact (value);
CREATE VIEW phone_list AS
  SELECT c.name, p.value AS phone FROM customer c JOIN contact p ON p.customer_id = c.id AND p.kind = 'phone'
  ORDER BY c.name;
