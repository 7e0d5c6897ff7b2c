-- Q1
SELECT c.region, COUNT(*) AS customers,
       SUM(CASE WHEN c.id NOT IN (
             SELECT customer_id FROM orders WHERE status = 'done'
             AND ordered_on >= '2026-07-01' AND ordered_on < '2026-10-01') THEN 1 ELSE 0 END) AS idle,
       (SELECT COALESCE(SUM(t.eur), 0) FROM (
          SELECT o.customer_id, SUM(i.qty * i.unit_eur) - o.voucher_eur AS eur
          FROM orders o JOIN items i ON i.order_id = o.id
          WHERE o.status = 'done' AND o.ordered_on >= '2026-07-01' AND o.ordered_on < '2026-10-01'
          GROUP BY o.id) t JOIN customers k ON k.id = t.customer_id
        WHERE k.region = c.region) AS value_eur
FROM customers c GROUP BY c.region ORDER BY c.region;

-- Q2
SELECT c.region, COUNT(DISTINCT c.id) AS customers,
       COUNT(DISTINCT CASE WHEN o.id IS NULL THEN c.id END) AS idle,
       COALESCE(SUM((SELECT SUM(qty * unit_eur) FROM items WHERE order_id = o.id) - o.voucher_eur), 0)
         AS value_eur
FROM customers c LEFT JOIN orders o ON o.customer_id = c.id AND o.status = 'done'
WHERE o.ordered_on >= '2026-07-01' AND o.ordered_on < '2026-10-01'
GROUP BY c.region ORDER BY c.region;

-- Q3
SELECT c.region, COUNT(DISTINCT c.id) AS customers,
       COUNT(DISTINCT CASE WHEN o.id IS NULL THEN c.id END) AS idle,
       COALESCE(SUM((SELECT SUM(qty * unit_eur) FROM items WHERE order_id = o.id) - o.voucher_eur), 0)
         AS value_eur
FROM customers c LEFT JOIN orders o ON o.customer_id = c.id AND o.status = 'done'
     AND o.ordered_on BETWEEN '2026-07-01' AND '2026-09-30'
GROUP BY c.region ORDER BY c.region;

-- Q4
SELECT c.region, COUNT(DISTINCT c.id) AS customers,
       COUNT(DISTINCT CASE WHEN o.id IS NULL THEN c.id END) AS idle,
       COALESCE(SUM(i.qty * i.unit_eur - o.voucher_eur), 0) AS value_eur
FROM customers c LEFT JOIN orders o ON o.customer_id = c.id AND o.status = 'done'
     AND o.ordered_on >= '2026-07-01' AND o.ordered_on < '2026-10-01'
     LEFT JOIN items i ON i.order_id = o.id
GROUP BY c.region ORDER BY c.region;

-- Q5
SELECT c.region, COUNT(DISTINCT c.id) AS customers,
       COUNT(DISTINCT CASE WHEN o.id IS NULL THEN c.id END) AS idle,
       COALESCE(SUM((SELECT SUM(qty * unit_eur) FROM items WHERE order_id = o.id) - o.voucher_eur), 0)
         AS value_eur
FROM customers c LEFT JOIN orders o ON o.customer_id = c.id AND o.status = 'done'
     AND o.ordered_on >= '2026-07-01' AND o.ordered_on < '2026-10-01'
GROUP BY c.region ORDER BY c.region;
