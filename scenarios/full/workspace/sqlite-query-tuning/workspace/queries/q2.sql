-- parts of a class that are not blocked on a day, with what lies at a site
SELECT p.id, p.code, coalesce(s.qty, 0) AS qty
FROM part p LEFT JOIN stock s ON s.part_id = p.id AND s.site = :site
WHERE p.class = :class AND coalesce(p.blocked_until, '0') < :day
ORDER BY p.id;
