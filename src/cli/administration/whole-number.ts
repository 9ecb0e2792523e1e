/** Returns the integer value of a flag; undefined when the flag is absent. Throws an `Error` for the operator. */
export function wholeNumberOf(flags: ReadonlyMap<string, string>, name: string): number | undefined {
  const text = flags.get(name);
  if (text === undefined) return undefined;
  if (/^\d{1,15}$/.test(text)) return Number(text);
  throw new Error(`--${name} must be a whole number`);
}
