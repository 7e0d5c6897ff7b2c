module sipparse
version 5.5.0
licence MPL-2.0

  table sipp_00  d8461101 c0de41f7 a95f25b1
  table sipp_01  7d10107d d11d77a9 1e83d5ed
  table sipp_02  8e381dd8 da8a7ef2 2c5d1d60
  table sipp_03  670277de f9b64163 69b0d743
  table sipp_04  a2c9d04f 024068b8 d219b52a
  table sipp_05  d139e6d3 fed9eaaf 35890715
  table sipp_06  bda8ec3f c0eaecb8 44e82115
  table sipp_07  74a759d4 c8b211a4 6f3a2885
  table sipp_08  41abd480 2557bf29 fa9217d5
  table sipp_09  cdc23be0 89ee62d2 68ecb3d5
  table sipp_10  592ffe13 17a33ef2 ec25e1d3
  table sipp_11  76948949 6e0f973e 45e840e8
  table sipp_12  0d6a5066 174aba63 b060110c
  table sipp_13  664ffd85 c0a20b48 44408074
end
