CREATE TABLE schema_migrations (version INTEGER PRIMARY KEY);
CREATE TABLE customer (
  id INTEGER PRIMARY KEY,
  name TEXT NOT NULL,
  phone TEXT,
  email TEXT,
  updated_at TEXT NOT NULL
);
CREATE TABLE audit (
  id INTEGER PRIMARY KEY,
  at TEXT NOT NULL,
  writer TEXT NOT NULL,
  customer_id INTEGER NOT NULL,
  field TEXT NOT NULL,
  value TEXT
);
CREATE VIEW phone_list AS SELECT name, phone FROM customer WHERE phone IS NOT NULL ORDER BY name;
