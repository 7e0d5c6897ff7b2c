#include "crc.h"

int main(void) {
  return 0;
}
