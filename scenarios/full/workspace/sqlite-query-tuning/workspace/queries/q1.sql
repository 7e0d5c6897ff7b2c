-- a part by its code, whatever the case in which it is typed
SELECT id, code, price_cents FROM part WHERE code = :code COLLATE NOCASE ORDER BY id;
