const METRES_IN_A_FOOT = 0.3048;

/** Feet in metres. */
export function feetToMetres(feet: number): number {
  return feet * METRES_IN_A_FOOT;
}
