-- 8: telephone and e-mail move into contact; run by bin/migrate, one transaction per step

-- step 1
CREATE TABLE contact (
  customer_id INTEGER NOT NULL,
  kind TEXT NOT NULL CHECK (kind IN ('phone', 'email')),
  value TEXT NOT NULL,
  updated_at TEXT NOT NULL,
  PRIMARY KEY (customer_id, kind)
);

-- step 2
INSERT OR IGNORE INTO contact
  SELECT id, 'phone', replace(phone, ' ', ''), updated_at FROM customer WHERE phone <> '';

-- step 3
INSERT OR IGNORE INTO contact
  SELECT id, 'email', lower(email), updated_at FROM customer WHERE email <> '';

-- step 4
ALTER TABLE customer ADD COLUMN locale TEXT NOT NULL DEFAULT 'en';

-- step 5
CREATE INDEX contact_value ON contact (value);

-- step 6
ALTER TABLE customer DROP COLUMN phone;

-- step 7
ALTER TABLE customer DROP COLUMN email;

-- step 8
INSERT INTO schema_migrations VALUES (8);
