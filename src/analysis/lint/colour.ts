/** Colour without transparency, each component from 0 to 255. */
export interface Colour {
  readonly red: number;
  readonly green: number;
  readonly blue: number;
}

const named =
  "aqua 00ffff black 000000 blue 0000ff brown a52a2a cornflowerblue 6495ed crimson dc143c cyan 00ffff darkblue 00008b " +
  "darkgray a9a9a9 darkgreen 006400 darkgrey a9a9a9 darkorange ff8c00 darkred 8b0000 darkslategray 2f4f4f dimgray 696969 " +
  "dimgrey 696969 dodgerblue 1e90ff firebrick b22222 forestgreen 228b22 fuchsia ff00ff gainsboro dcdcdc gold ffd700 " +
  "gray 808080 green 008000 grey 808080 hotpink ff69b4 indigo 4b0082 ivory fffff0 khaki f0e68c lavender e6e6fa " +
  "lightblue add8e6 lightgray d3d3d3 lightgreen 90ee90 lightgrey d3d3d3 lightyellow ffffe0 lime 00ff00 magenta ff00ff " +
  "maroon 800000 midnightblue 191970 navy 000080 olive 808000 orange ffa500 orangered ff4500 orchid da70d6 pink ffc0cb " +
  "plum dda0dd purple 800080 red ff0000 royalblue 4169e1 salmon fa8072 seagreen 2e8b57 silver c0c0c0 skyblue 87ceeb " +
  "slategray 708090 slategrey 708090 steelblue 4682b4 tan d2b48c teal 008080 tomato ff6347 turquoise 40e0d0 " +
  "violet ee82ee white ffffff whitesmoke f5f5f5 yellow ffff00";
const names: ReadonlyMap<string, string> = new Map(
  Array.from(named.matchAll(/\b([a-z]+) ([0-9a-f]{6})/g), ([, name = "", hex = ""]) => [name, hex]),
);
const rgb = /^rgba?\(\s*(\d{1,3})(?:\s*,\s*|\s+)(\d{1,3})(?:\s*,\s*|\s+)(\d{1,3})\s*(?:[,/]\s*(1|1\.0*|100%)\s*)?\)$/;

/** Parses a CSS or HTML colour; undefined if it is transparent, computed, or an unknown name. */
export function parseColour(text: string): Colour | undefined {
  const given = text.trim().toLowerCase();
  const parts = rgb.exec(given);
  if (parts !== null) return colour(Number(parts[1]), Number(parts[2]), Number(parts[3]));
  const hex =
    names.get(given) ?? /^#?([0-9a-f]{3}|[0-9a-f]{6})$/.exec(given)?.[1] ?? /^#([0-9a-f]{6})ff$/.exec(given)?.[1];
  if (hex === undefined) return undefined;
  const whole = hex.length === 3 ? hex.replaceAll(/./g, "$&$&") : hex;
  const number = Number.parseInt(whole, 16);
  return colour(number >> 16, (number >> 8) & 0xff, number & 0xff);
}

/** Returns the contrast ratio of two colours, from 1 to 21 (WCAG 2.2, definition of contrast ratio). */
export function contrast(one: Colour, other: Colour): number {
  const [light, dark] = [luminance(one), luminance(other)].toSorted((a, b) => b - a);
  return ((light ?? 0) + 0.05) / ((dark ?? 0) + 0.05);
}

function colour(red: number, green: number, blue: number): Colour {
  return { red: Math.min(255, red), green: Math.min(255, green), blue: Math.min(255, blue) };
}

function luminance({ red, green, blue }: Colour): number {
  return 0.2126 * linear(red) + 0.7152 * linear(green) + 0.0722 * linear(blue);
}

function linear(part: number): number {
  const share = part / 255;
  return share <= 0.04045 ? share / 12.92 : ((share + 0.055) / 1.055) ** 2.4;
}
