module tonegen
version 1.0.4
licence MPL-2.0

  table tone_00  7386ca22 dd1243a9 dd275e2d
  table tone_01  deb66cb6 177839f5 127af17c
  table tone_02  259fbfb8 3dbb53f5 1913aace
  table tone_03  30498067 281a82e2 eb830cba
  table tone_04  b93a2b3d fe409773 6f6f318c
  table tone_05  fa283904 559fb76d 982525bb
  table tone_06  ce90a9c8 86df8097 ebed12ad
  table tone_07  68108341 fd042d43 b742eed1
  table tone_08  9e138fe6 3982f8ce f7fcc4d5
  table tone_09  bec79654 62d24984 3328cd5f
  table tone_10  02847213 2753c662 a6976713
  table tone_11  ebc0fc5d 9e05b740 682f059d
  table tone_12  7c602617 92352001 13054394
  table tone_13  1fa44b2c f6e5c4f8 1079d213
end
