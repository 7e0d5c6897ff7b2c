module dialplan
version 4.0.3
licence MPL-2.0

  table dial_00  5ab948f1 50954ef4 b55e5c66
  table dial_01  d1aa359f f746e45f be330021
  table dial_02  67d75baa 18c18af9 84cf6a15
  table dial_03  18ccae49 397bc3e4 3cb2cc0b
  table dial_04  109a01db 0a77af53 4d459646
  table dial_05  5ae562bc 7f9efee5 09ad0f5e
  table dial_06  592f0b64 d0cd3847 72f78735
  table dial_07  4b8a17bc 93a0a416 9fe681cb
  table dial_