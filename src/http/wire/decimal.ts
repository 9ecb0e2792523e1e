/** A number that is written with a decimal point; JavaScript alone writes `1.0` as `1`. */
declare global {
  interface JSON {
    /** A value that `JSON.stringify` writes as the given JSON text (ECMA-262, proposal JSON.parse source text access). */
    rawJSON(text: string): object;
  }
}

/**
 * A number for `JSON.stringify` that has at least one digit behind its point, `1.0`, and never an exponent: some of the
 * official libraries take only such a literal for a float. Rounded to three digits; what is not finite is 0.
 */
export function decimal(value: number): number {
  const [whole = "0", fraction = ""] = (Number.isFinite(value) ? value : 0).toFixed(3).split(".");
  const text = `${whole}.${fraction.replace(/0{1,2}$/, "")}`;
  return JSON.rawJSON(text === "-0.0" ? "0.0" : text) as unknown as number;
}
