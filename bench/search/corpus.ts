/**
 * Emails like those of applications: a few dozen templates of about 20 kB of HTML and 2 kB of text, filled with names,
 * amounts, item rows and tokens that differ from email to email. Deterministic for a seed.
 */

/** Texts of one email. */
export interface CorpusMail {
  readonly subject: string;
  readonly text: string;
  readonly html: string;
  readonly recipient: string;
  readonly sender: string;
  /** Occurs in subject and body of this email only. */
  readonly order: string;
  /** Two characters of another script that occur in the body of this email and hardly any other, or undefined. */
  readonly greeting: string | undefined;
}

const templateCount = 24;
const htmlLength = 19_000;
const textLength = 1700;
const syllables =
  "ba be bi bo ca ce co da de di do fa fe fi ga ge go la le li lo ma me mi mo na ne ni no pa pe pi po ra re ri ro sa se si so ta te ti to va ve vi ter ing ion ent est ver der men".split(
    " ",
  );

/** Returns a generator of integers below a bound, deterministic for a seed (mulberry32). */
export function createRandom(seed: number): (bound: number) => number {
  let state = seed >>> 0;
  return (bound) => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61)) ^ mixed;
    return Math.floor((((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32) * bound);
  };
}

/** Returns a function that creates the email of a number. */
export function createCorpus(seed: number): (index: number) => CorpusMail {
  const random = createRandom(seed);
  const words = Array.from({ length: 4000 }, () =>
    Array.from({ length: 1 + random(4) }, () => syllables[random(syllables.length)]).join(""),
  );
  const templates = Array.from({ length: templateCount }, () => createTemplate(random, words));
  return (index) => {
    const random = createRandom(Math.imul(seed + 1, 0x9e3779b1) ^ index);
    return fillTemplate(templates[random(templates.length)] ?? noTemplate, { words, random, index });
  };
}

/** Chinese and Japanese, emoji, Hebrew and Arabic: one email in `scriptRarity` uses one of them. */
const scriptRarity = 40;
const scripts = [
  range(0x4e00, 0x5fff),
  `${range(0x3041, 0x3096)}${range(0x30a1, 0x30fa)}`,
  range(0x1f300, 0x1f5ff),
  range(0x5d0, 0x5ea),
  range(0x621, 0x64a),
];

interface Template {
  readonly subject: string;
  readonly text: readonly string[];
  readonly html: readonly string[];
}

/** Values that a template is filled with. */
interface Filling {
  readonly words: readonly string[];
  readonly random: Random;
  readonly index: number;
}

const noTemplate: Template = { subject: "", text: [], html: [] };

type Random = (bound: number) => number;

/** Draws a word roughly by Zipf's law: small numbers far more often. */
function word(random: Random, words: readonly string[]): string {
  const spread = random(1000) / 1000;
  return words[Math.floor(spread ** 4 * words.length)] ?? "";
}

function sentence(random: Random, words: readonly string[]): string {
  const body = Array.from({ length: 6 + random(12) }, () => word(random, words)).join(" ");
  return `${body.charAt(0).toUpperCase()}${body.slice(1)}.`;
}

function createTemplate(random: Random, words: readonly string[]): Template {
  const html = [
    `<!DOCTYPE html><html><head><meta charset="utf-8"><style>body{margin:0;font-family:Arial,Helvetica,sans-serif}</style></head><body>`,
  ];
  for (let length = 0; length < htmlLength; length += html.at(-1)?.length ?? 0) {
    const color = random(2 ** 24)
      .toString(16)
      .padStart(6, "0");
    const width = 100 + random(500);
    const shell = `<table role="presentation" cellpadding="0" cellspacing="0" border="0" width="${width}" style="border-collapse:collapse;background-color:#${color}"><tr><td align="left" style="padding:${random(40)}px ${random(40)}px;font-size:${10 + random(12)}px;line-height:${14 + random(12)}px;color:#333333">`;
    html.push(
      `${shell}<p style="margin:0 0 16px 0">${sentence(random, words)} ${sentence(random, words)}</p></td></tr></table>\n`,
    );
  }
  const text = [sentence(random, words)];
  for (let length = 0; length < textLength; length += text.at(-1)?.length ?? 0) text.push(sentence(random, words));
  return { subject: sentence(random, words).slice(0, 40), text, html };
}

function fillTemplate(template: Template, { words, random, index }: Filling): CorpusMail {
  const name = `${word(random, words)} ${word(random, words)}${word(random, words)}`;
  const order = `ORD-${index.toString().padStart(8, "0")}-${token(random, 4)}`;
  const link = `https://app.example.com/confirm/${token(random, 32)}?user=${random(10 ** 6)}`;
  const rows = Array.from({ length: 2 + random(5) }, () => [
    `${word(random, words)} ${word(random, words)}`,
    `${1 + random(9)}`,
    `${random(500)}.${random(100).toString().padStart(2, "0")}`,
  ]);
  const greetingScript = scripts[random(scripts.length * scriptRarity)];
  const greeting = greetingScript === undefined ? undefined : draw(random, greetingScript, 2);
  const hello = greeting === undefined ? `Hello ${name}` : `${greeting} ${draw(random, greetingScript ?? "", 6)}`;
  const htmlRows = rows.map(
    (cells) =>
      `<tr>${cells.map((cell) => `<td style="padding:4px 8px;border-bottom:1px solid #dddddd">${cell}</td>`).join("")}</tr>\n`,
  );
  const opening = `${hello}, your order ${order} is on its way.`;
  const [head = "", ...rest] = template.html;
  const middle = Math.floor(rest.length / 2);
  const html = `${head}<h1>${opening}</h1>${rest.slice(0, middle).join("")}<table>${htmlRows.join("")}</table><a href="${link}">Confirm</a>${rest.slice(middle).join("")}<img src="https://app.example.com/open/${token(random, 24)}.gif" width="1" height="1"></body></html>\n`;
  const text = `${opening}\n\n${template.text.join("\n")}\n${rows.map((cells) => cells.join("  ")).join("\n")}\n${link}\n`;
  return {
    subject: `${template.subject} ${order}`,
    text,
    html,
    recipient: `user-${index.toString(36)}@example.com`,
    sender: `service-${random(20)}@example.com`,
    order,
    greeting,
  };
}

function token(random: Random, length: number): string {
  return draw(random, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789-_", length);
}

function draw(random: Random, alphabet: string, length: number): string {
  const characters = Array.from(alphabet);
  return Array.from({ length }, () => characters[random(characters.length)]).join("");
}

function range(first: number, last: number): string {
  return Array.from({ length: last - first + 1 }, (_, place) => String.fromCodePoint(first + place)).join("");
}
