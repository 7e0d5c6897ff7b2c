module audiocodec
version 2.1.0
licence MPL-2.0

  table audi_00  fcf73b1f 1cd43ffd 392401dd
  table audi_01  0c23aa16 b0d145e0 f02399f7
  table audi_02  ffe92efe c8aac179 5c9aebbf
  table audi_03  c69d8150 e0f9aaf7 fa676305
  table audi_04  0a314fc8 942ed067 68ab81cf
  table audi_05  a4332e1c f3f410df 191cc087
  table audi_06  4d086d84 de204f45 57787264
  table audi_07  f2b71b29 a55c947f 590b2236
  table audi_08  329004b1 2c827374 53484c17
  table audi_09  cd6f9ae1 f78c756b db89c1a0
  table audi_10  5e8ca561 aa4014c9 4cd7741a
  table audi_11  879be855 04d993f9 9408eaf2
  table audi_12  77d8aa75 df88f4f3 6d2e23e9
  table audi_13  8211f9be 25c230e5 306599ad
end
