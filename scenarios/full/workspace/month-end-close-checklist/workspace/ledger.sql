CREATE TABLE po_lines(po_line TEXT, entity TEXT, vendor TEXT, account TEXT, net NUMERIC, delivered TEXT);
INSERT INTO po_lines VALUES
 ('PO-8101-1','HQ','Brunner Kanzlei','6420',740.00,'2026-10-14'),
 ('PO-8101-2','HQ','Brunner Kanzlei','6420',260.00,'2026-10-31'),
 ('PO-8107-1','HQ','Lindqvist Data','6510',999.99,'2026-10-20'),
 ('PO-8112-1','HQ','Stadtwerke Auen','6110',312.40,'2026-10-31'),
 ('PO-8112-2','HQ','Stadtwerke Auen','6440',705.00,'2026-10-09'),
 ('PO-8120-1','HQ','Ferro Montage','6430',5480.00,'2026-11-02'),
 ('PO-8124-1','HQ','Halden Print','6530',1890.00,'2026-10-22'),
 ('PO-8131-1','SK','Dopravni Sever','6230',14850.00,'2026-10-18'),
 ('PO-8131-2','SK','Dopravni Sever','6230',5900.00,'2026-10-27'),
 ('PO-8140-1','SK','Energo Labe','6120',8120.50,'2026-10-30'),
 ('PO-8146-1','SK','Kovarna Tisa','6430',21900.00,'2026-10-30'),
 ('PO-8150-1','SK','Uklid Plus','6440',20350.00,'2026-10-28'),
 ('PO-8155-1','HQ','Marlow Audit','6420',2600.00,'2026-10-29');
CREATE TABLE invoices(invoice TEXT, entity TEXT, vendor TEXT, account TEXT, net NUMERIC, posted TEXT, po_line TEXT, cover_from TEXT, cover_to TEXT);
INSERT INTO invoices VALUES
 ('IN-5521','HQ','Halden Print','6530',1890.00,'2026-10-30','PO-8124-1','',''),
 ('IN-5530','HQ','Orion Versicherung','6610',7320.00,'2026-10-16','','2026-10-17','2027-10-16'),
 ('IN-5534','HQ','Lindqvist Data','6510',1210.00,'2026-10-02','','2026-10-01','2026-12-31'),
 ('IN-5541','HQ','Parkhaus Mitte','6340',1575.00,'2026-10-12','','2026-10-12','2026-12-13'),
 ('IN-5560','SK','Pojistovna Vltava','6610',98500.00,'2026-10-20','','2026-10-20','2027-04-19'),
 ('IN-5566','SK','Softline','6510',26000.00,'2026-09-28','','2026-10-01','2027-01-31'),
 ('IN-5571','SK','Uklid Plus','6440',20350.00,'2026-11-02','PO-8150-1','','');
CREATE TABLE intercompany(item TEXT, debtor TEXT, creditor TEXT, eur NUMERIC, booked_czk NUMERIC, booked_on TEXT);
INSERT INTO intercompany VALUES
 ('IC-204','SK','HQ',18400.00,461288.00,'2026-10-06'),
 ('IC-209','SK','HQ',7250.50,182150.06,'2026-10-19');
