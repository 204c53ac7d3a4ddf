/* Compiles exactly where the struct TYPE of the header HEADER has a field FIELD. */
#include HEADER

int main(void) {
  return (int)sizeof(((TYPE *)0)->FIELD);
}
