-- down 7
BEGIN;
CREATE TABLE kept_007 AS SELECT * FROM audit;
DROP TABLE audit;
DELETE FROM schema_migrations WHERE version = 7;
COMMIT;
