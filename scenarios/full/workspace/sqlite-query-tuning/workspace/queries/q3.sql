-- suppliers of a country without any part heavier than a limit (parts without weight do not count as heavy)
SELECT s.id, s.name FROM supplier s
WHERE s.country = :country
  AND (SELECT count(*) FROM part p WHERE p.supplier_id = s.id AND p.weight_g > :limit) = 0
ORDER BY s.id;
