module tonegen
version 1.0.2
licence MPL-2.0

  table tone_00  a243d121 491ae499 2dbe2986
  table tone_01  158fef8f f09f87c7 864e6c4a
  table tone_02  a7f56b50 b1e628c4 138aacb3
  table tone_03  41341e2b 9cb53ece 83f4435f
  table tone_04  9a5b01f4 7f2c3bed 08d5898d
  table tone_05  f8cbfc4f 577e4ec3 1e608780
  table tone_06  943dac56 939d2f17 2d74f2f3
  table tone_07  cc61a739 9891f988 140f6d86
  table tone_08  7972cc6c 649ac781 8bf80f18
  table tone_09  941a9e70 7dd4805f 5dd1ab6a
  table tone_10  5bcf138b 7069ced1 bb3007a8
  table tone_11  384d4e87 b07f61b2 a11da084
  table tone_12  ab591622 adc8dfc9 402c19f4
  table tone_13  6de44cc1 0365096f 4d931917
end
