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
  table dial_08  4fe4ffb1 1e1611c3 e5fc2b03
  table dial_09  ae5275ae 3b941417 c63aecef
  table dial_10  b7f505cd d04f9e0e 589470a8
  table dial_11  bc1ddd8a 1c42f9fb c94f592e
  table dial_12  315376b1 df1b3b76 30fc021c
  table dial_13  20476dca d914735d 61125e99
end
