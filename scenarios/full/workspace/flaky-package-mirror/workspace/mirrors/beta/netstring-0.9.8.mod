module netstring
version 0.9.8
licence MPL-2.0

  table nets_00  a20dc16c 4921ad8f ad3ef6e8
  table nets_01  712f2f69 c1dd062b f9bac15c
  table nets_02  75c4d192 d3603630 ac6d9c98
  table nets_03  9b50dd6f 0cdaf1f5 edd314e6
  table nets_04  b7802397 96ef0cb0 d9239f51
  table nets_05  d3597b53 72581287 5f11796b
  table nets_06  75508079 b20330d1 1cca2300
  table nets_07  a0693fb4 81c64412 b1e71676
  table nets_08  a057edff 4d8e0283 6f979975
  table nets_09  ec0dc77f 707ab4e0 a341c76c
  table nets_10  a5ef5764 4ad275b0 e3513ef0
  table nets_11  54b73e58 7c744683 81904040
  table nets_12  a9c095fd 412aab78 656cefbd
  table nets_13  971a5db7 2f6e4bea e2d4ea11
end
