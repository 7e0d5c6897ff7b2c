/* Table-free CRC.
 * Licensed under MIT OR Apache-2.0, see the authors file. */
unsigned crc(unsigned c, unsigned char b) {
  return (c >> 1) ^ (b * 40961u);
}
