/** Schemas of texts in requests. The operations read the texts; a test compares these patterns with their readers. */
import { build, keywordsOf, type SchemaKeywords, type WireSchema } from "./schema.ts";

/** Returns the schema of a text, with keywords beside those of its form. */
type TextSchema = (keywords?: SchemaKeywords) => WireSchema<string>;

const hex = "[0-9A-Fa-f]{1,4}";
const octet = "(?:25[0-5]|2[0-4][0-9]|1[0-9]{2}|[1-9]?[0-9])";
const ipv4 = `${octet}(?:\\.${octet}){3}`;
const embedded = [1, 2, 3, 4, 5].map(
  (count) => `(?:${hex}:){${String(count)}}:(?:${hex}:){0,${String(5 - count)}}${ipv4}`,
);
const ipv6 = [
  `(?:${hex}:){7}${hex}`,
  `(?:${hex}:){1,7}:`,
  ...[1, 2, 3, 4, 5, 6].map((count) => `(?:${hex}:){1,${String(7 - count)}}(?::${hex}){1,${String(count)}}`),
  `:(?::${hex}){1,7}`,
  "::",
  `(?:${hex}:){6}${ipv4}`,
  `::(?:${hex}:){0,5}${ipv4}`,
  ...embedded,
].join("|");
/** A last label that starts with a letter is no number, which would make the whole name an IPv4 address. */
const host = "(?:[A-Za-z0-9_](?:[A-Za-z0-9_-]*[A-Za-z0-9_])?\\.)*[A-Za-z](?:[A-Za-z0-9_-]*[A-Za-z0-9_])?\\.?";
const port = "(?::(?:[1-5]?[0-9]{1,4}|6[0-4][0-9]{3}|65[0-4][0-9]{2}|655[0-2][0-9]|6553[0-5]))?";
const localPart = localPartOf("*");
const mailDomain = `(?:${domainOf("")}|${ipv4})`;
const mailAddress = `${localPart}@${mailDomain}`;
/** Country codes of ITU-T E.164, by their length, each with the rest of a number of 7 to 15 digits. */
const countryCodes = [
  "[17]",
  "2[07]|3[0-469]|4[013-9]|5[1-8]|6[0-6]|8[1246]|9[0-58]",
  "21[12368]|2[2346][0-9]|25[0-8]|29[01789]|35[0-9]|37[0-8]|38[0-35-79]|42[013]|5[09][0-9]|67[02-9]|68[0-35-9]|69[0-2]|80[08]|85[02356]|870|878|88[012368]|96[0-8]|97[0-79]|99[2-68]",
];
const internationalNumber = countryCodes
  .map((codes, at) => `(?:${codes})(?:[ ().-]*[0-9]){${String(6 - at)},${String(14 - at)}}`)
  .join("|");
const writtenNumber = `[ (]*(?:${internationalNumber})[ ().-]*`;

const origin = `[Hh][Tt][Tt][Pp][Ss]?://(?:${host}|${ipv4}|\\[(?:${ipv6})\\])${port}`;

/** Builds the schema of an http or https URL of an application or an API; which hosts are called is up to the operator. */
export const webUrl: TextSchema = (keywords) =>
  build.string({
    pattern: `^${origin}(?:[/?#][!-~]*)?$`,
    ...keywordsOf(keywords),
  });

/** Builds the schema of the base of URLs, without query and fragment. */
export const baseUrl: TextSchema = (keywords) =>
  build.string({ pattern: `^${origin}(?:/[!"$->@-~]*)?$`, ...keywordsOf(keywords) });

/** Builds the schema of one plain e-mail address in ASCII. */
export const emailAddress: TextSchema = (keywords) =>
  build.string({ pattern: `^${mailAddress}$`, maxLength: 254, ...keywordsOf(keywords) });

/** Builds the schema of an e-mail address, or of `*@` and a domain. */
export const addressPattern: TextSchema = (keywords) =>
  build.string({ pattern: `^(?:${localPartOf("")}|\\*)@${mailDomain}$`, maxLength: 254, ...keywordsOf(keywords) });

const globAddress: WireSchema<string> = build.string({
  pattern: `^${localPart}@(?:${domainOf("*")}|${ipv4})$`,
  maxLength: 254,
});
/** A text that starts with `+` and has no `@` is a phone number. */
const globPart: WireSchema<string> = build.string({
  pattern: "^(?:[!-*,-?A-~][!-?A-~]*)?\\*[!-?A-~]*$",
  maxLength: 320,
});

/** Builds the schema of an e-mail address, or a part of one, in which `*` stands for any characters. */
export const senderGlob: TextSchema = (keywords) => build.anyOf([globAddress, globPart], keywords);

/** Builds the schema of an e-mail address, or a part of one, in which `*` stands for any characters, or of a phone number. */
export const recipientGlob: TextSchema = (keywords) =>
  build.anyOf([globAddress, globPart, build.string({ pattern: `^\\+${writtenNumber}$`, maxLength: 40 })], keywords);

/** Builds the schema of a phone number in international form. */
export const phoneNumber: TextSchema = (keywords) =>
  build.string({
    pattern: `^ *\\+${writtenNumber}$`,
    maxLength: 40,
    ...keywordsOf(keywords),
  });

/** Builds the schema of the sender of an SMS: a phone number, a short code or a name. */
export const smsSender: TextSchema = (keywords) =>
  build.anyOf(
    [
      phoneNumber(),
      build.string({ pattern: "^[0-9]{3,8}$" }),
      build.string({ pattern: "^[A-Za-z0-9 &+_-]*[A-Za-z][A-Za-z0-9 &+_-]*$", maxLength: 11 }),
    ],
    keywords,
  );

const base32 = "[A-Za-z2-7](?:[ -]*[A-Za-z2-7])+[ =-]*";
const totpParameter =
  "(?:algorithm=SHA(?:1|256|512)|digits=[678]|period=[1-9][0-9]{0,3}|(?:issuer|image)=[A-Za-z0-9%._-]*)";

/** Builds the schema of a shared secret: base32, or an `otpauth://totp/` URI. */
export const totpSecret: TextSchema = (keywords) =>
  build.string({
    pattern: `^(?:${base32}|otpauth://totp/[A-Za-z0-9%:@._-]*\\?(?:${totpParameter}&)*secret=[A-Za-z2-7]{2,}(?:&${totpParameter})*)$`,
    maxLength: 4096,
    ...keywordsOf(keywords),
  });

/** Builds the schema of an IP address, or of a network in CIDR notation. */
export const ipNetwork: TextSchema = (keywords) =>
  build.string({
    pattern: `^(?:${ipv4}(?:/(?:3[0-2]|[12]?[0-9]))?|(?:${ipv6})(?:/(?:12[0-8]|1[01][0-9]|[1-9]?[0-9]))?)$`,
    ...keywordsOf(keywords),
  });

/** Builds the schema of an enhanced status code of failures (RFC 3463). */
export const enhancedStatus: TextSchema = (keywords) =>
  build.string({ pattern: "^[45]\\.[0-9]{1,3}\\.[0-9]{1,3}$", ...keywordsOf(keywords) });

const clockTime = "(?:[01][0-9]|2[0-3]):[0-5][0-9](?::[0-5][0-9])?";
const monthName = "(?:Jan|Feb|Mar|Apr|May|Jun|Jul|Aug|Sep|Oct|Nov|Dec)";
const internetDate = `^(?:(?:Mon|Tue|Wed|Thu|Fri|Sat|Sun), ?)?(?:0?[1-9]|[12][0-9]|3[01]) ${monthName} [0-9]{4} ${clockTime} (?:[+-](?:[01][0-9]|2[0-3])[0-5][0-9]|GMT|UTC?|Z|[ECMP][SD]T)$`;

/** Builds the schema of an instant: ISO 8601, epoch milliseconds, or a date-time as in mail (RFC 5322 §3.3). */
export const instantText: TextSchema = (keywords) =>
  build.anyOf(
    [
      build.string({ format: "date-time" }),
      build.string({ format: "date" }),
      build.string({ pattern: "^-?[0-9]{1,15}$" }),
      build.string({ pattern: internetDate }),
    ],
    keywords,
  );

const sextets = "(?:[A-Za-z0-9+/]{4})";

/** Builds the schema of a secret of Standard Webhooks: `whsec_` and 24 to 64 bytes in Base64. */
export const webhookSecret: TextSchema = (keywords) =>
  build.string({
    pattern: `^whsec_(?:${sextets}{8,21}|${sextets}{8,20}[A-Za-z0-9+/]{3}=|${sextets}{8,21}[A-Za-z0-9+/]{2}==)$`,
    ...keywordsOf(keywords),
  });

/** Builds the schema of a tag: not blank, without commas and control characters. */
export const tagText: TextSchema = (keywords) =>
  build.string({
    pattern: "^[^,\\x00-\\x1f\\x7f-\\x9f]*[^\\s,\\x00-\\x1f\\x7f-\\x9f][^,\\x00-\\x1f\\x7f-\\x9f]*$",
    ...keywordsOf(keywords),
  });

/** Returns the pattern of a local part of atoms, with further characters. */
function localPartOf(more: string): string {
  const atom = `[A-Za-z0-9#$&'${more}+/=?^_\`{|}~-]`;
  return `${atom}{1,64}(?:\\.${atom}{1,63})*`;
}

/** Returns the pattern of a domain, with further characters of labels. */
function domainOf(more: string): string {
  const rest = `(?:[A-Za-z0-9${more}-]{0,61}[A-Za-z0-9${more}])?`;
  return `(?:[A-Za-z0-9${more}]${rest}\\.)*[A-Za-z${more}]${rest}`;
}

/** Builds the schema of a text to search for; no message contains NUL, so that it is an error. */
export const searchedText: TextSchema = (keywords) =>
  build.string({ pattern: "^[^\\u0000]*$", ...keywordsOf(keywords) });
