/** Numbers written with a decimal point; JavaScript alone writes `1.0` as `1`. */
declare global {
  interface JSON {
    /** Value that `JSON.stringify` writes as the given JSON text (ECMA-262, proposal JSON.parse source text access). */
    rawJSON(text: string): object;
  }
}

/**
 * Returns a number for `JSON.stringify` with at least one digit behind its point (`1.0`) and never an exponent, since
 * some official libraries accept only such a literal as a float. Rounds to three digits; 0 for a number that is not
 * finite.
 */
export function decimal(value: number): number {
  const [whole = "0", fraction = ""] = (Number.isFinite(value) ? value : 0).toFixed(3).split(".");
  const text = `${whole}.${fraction.replace(/0{1,2}$/, "")}`;
  return JSON.rawJSON(text === "-0.0" ? "0.0" : text) as unknown as number;
}
