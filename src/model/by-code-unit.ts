/** The one order of names in the product: UTF-16 units, never the reader's locale. */
export function byCodeUnit(a: string, b: string): number {
  return a < b ? -1 : a > b ? 1 : 0;
}
