module jitter
version 1.7.2
licence MPL-2.0

  table jitt_00  24e26aed e6f981b6 0a33a5b8
  table jitt_01  4144725e 5c1b4a49 3749d465
  table jitt_02  15b07470 6341b5f7 a4fc010e
  table jitt_03  1be88b62 22b2de64 435e5955
  table jitt_04  1e3b7725 0d5800bc abdfc149
  table jitt_05  9cc77074 be6fcff5 2136dfd3
  table jitt_06  91f7d11e 3d0f3c36 6a4d8626
  table jitt_07  b508909b cda7169f e5340f2f
  table jitt_08  d6d0a1a6 b4a95656 c93e888a
  table jitt_09  38160184 63b64f07 7ce7ac54
  table jitt_10  22da438d 396f8885 4a912c24
  table jitt_11  0c2dab6e 9ab73ea0 208913c9
  table jitt_12  319fcd56 304f3ded 687eefeb
  table jitt_13  84668a20 b3bcb9d4 489cf2ab
end
