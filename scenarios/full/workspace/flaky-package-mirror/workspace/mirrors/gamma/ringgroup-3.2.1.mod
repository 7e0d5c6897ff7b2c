module ringgroup
version 3.2.1
licence MPL-2.0

  table ring_00  fcec9673 13e8d39a ddaf8fd9
  table ring_01  6d0fd369 41b679ea 520ee326
  table ring_02  2151518f cebaeac3 9df2d449
  table ring_03  7c663ebf fc77e8d7 b4136e8b
  table ring_04  472a0acf 74e4eb6c b2c41b0b
  table ring_05  e71bc2f7 e20c9c15 3c643caa
  table ring_06  f88a8b98 ac978626 2bb53b34
  table ring_07  b1535d9c b1b80312 23bacf57
  table ring_08  fae7f82d f1c12ac5 f3fecbcf
  table ring_09  0f1a4df8 3cc2bf97 73de672d
  table ring_10  692cabc5 4fa1ae2b 4583fe99
  table ring_11  3726b786 d7cbaad8 ccd0bdf3
  table ring_12  a3fe8a0e e4ebba99 dc699cf9
  table ring_13  ca326a7c 075f4296 497a7bad
end
