import { feetToMetres } from "@units/core";

export function say(feet: number): string {
  return `${feet} ft = ${feetToMetres(feet).toFixed(2)} m`;
}
