module jitter
version 1.8.0
licence MPL-2.0

  table jitt_00  b3ea1d1b 686ac844 a0c2b4d0
  table jitt_01  c9667711 749f1360 1f247deb
  table jitt_02  81d6c3f5 345dfa1e ac2d6c1e
  table jitt_03  14fe18d5 742cb62c 6e6ccabe
  table jitt_04  15fe83d9 d6de1bdf 27309ed9
  table jitt_05  bf03eaba a8838d4b 709c5664
  table jitt_06  8ed8632a cea388ec 845ff725
  table jitt_07  00187900 4b662f0f 4fbf624f
  table jitt_08  95385895 c851162a dccc6feb
  table jitt_09  b4160d04 f88bdc80 2c917e69
  table jitt_10  dcf072cd 9f46ac7f fc755c73
  table jitt_11  0719352c 533b0107 989f2c70
  table jitt_12  bd6d2b94 848feb3d 98e9d75e
  table jitt_13  839e7e80 1284e5da b56eeec7
end
