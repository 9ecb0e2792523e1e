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

/** Parameters of a query string by their lower-case names; of a repeated parameter, the first. */
export interface Query extends ReadonlyMap<string, string> {
  /** Names of the parameters that occur more than once; absent without any. */
  readonly repeated?: ReadonlySet<string>;
}

const none: Query = new Map();

/**
 * Parses a query string without its `?` (WHATWG URL, application/x-www-form-urlencoded). Never throws: invalid
 * percent-encoding stays as it is. Takes time linear in the text.
 */
export function parseQuery(text: string): Query {
  if (text === "") return none;
  const parameters = new Map<string, string>();
  const repeated = new Set<string>();
  for (const pair of text.split("&")) {
    if (pair === "") continue;
    const equals = pair.indexOf("=");
    const name = decodeComponent(equals === -1 ? pair : pair.slice(0, equals)).toLowerCase();
    if (parameters.has(name)) repeated.add(name);
    else parameters.set(name, equals === -1 ? "" : decodeComponent(pair.slice(equals + 1)));
  }
  return repeated.size === 0 ? parameters : Object.assign(parameters, { repeated });
}

function decodeComponent(text: string): string {
  const spaced = text.includes("+") ? text.replaceAll("+", " ") : text;
  if (!spaced.includes("%")) return spaced;
  try {
    return decodeURIComponent(spaced);
  } catch {
    // Broken percent-encoding is taken literally.
    return spaced;
  }
}
