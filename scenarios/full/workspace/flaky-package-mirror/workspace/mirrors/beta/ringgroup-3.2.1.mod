module ringgroup
version 3.2.2
licence MPL-2.0

  table ring_00  bb98a90b c03b1fd3 d0f9db67
  table ring_01  f6068bdd a2c91c63 efdfda97
  table ring_02  b2051665 c18756ca 9486438d
  table ring_03  96fb49ab cdf0edd5 dfcafacf
  table ring_04  4ebf43cc 438a8873 884a2609
  table ring_05  05c87bf4 74486786 fa7bbea2
  table ring_06  2423865e 748f5cff dfb08cfb
  table ring_07  a1dbb8f8 4583c50c abaec4c9
  table ring_08  e2846d27 3499eb96 66a9ebc7
  table ring_09  1ec53bd7 03a579ee cc456601
  table ring_10  2c390165 6eb8a083 a752683c
  table ring_11  62746b0c 00b79dc6 6e02814a
  table ring_12  03b62504 7a883f6a cabc24f4
  table ring_13  174073ef e4a9c8c6 840b6613
end
