/** Argument of MAIL and RCPT: a path (RFC 5321 §4.1.2, RFC 6531 §3.3) and parameters. */

/** Parsed path. */
export interface PathArgument {
  /** Mailbox as given, without angle brackets and source route, letter case kept; "" for the null path. */
  readonly address: string;
  /** Text after the path. */
  readonly parameters: string;
}

/** Error of an argument. `no_path`: its syntax is wrong. `bad_address`: the path is not a mailbox. */
export type PathError = "no_path" | "bad_address";

const prefixes = { FROM: /^FROM[ \t]*:[ \t]*/i, TO: /^TO[ \t]*:[ \t]*/i };
/** Brackets and blanks may only occur within quotes. */
const bracketedPath = /^<(?<path>(?:"(?:[^"\\]|\\.)*"|[^\s"<>])*)>(?<parameters>[ \t].*)?$/s;
const barePath = /^(?<path>(?:"(?:[^"\\]|\\.)*"|[^\s"<>])+)(?<parameters>[ \t].*)?$/s;
/** Source route in front of the mailbox, which is ignored (RFC 5321 §4.1.1.3). */
const sourceRoute = /^@[^:"]*:/;
const mailbox =
  /^(?:"(?:[^"\\]|\\.)*"|[^\s"\\()<>[\],;:@]+)(?:@(?<domain>\[[^\s"\\()<>[\],;@]+\]|[^\s"\\()<>[\],;:@]*))?$/u;
/** Control characters, line and paragraph separators, and replacement characters, which could break a header. */
const unprintable = /[\p{Cc}\u2028\u2029\uFEFF\uFFFD]/u;

/**
 * Parses `FROM:<path> parameters` or `TO:<path> parameters`. Accepts blanks around the colon, missing angle brackets, a
 * mailbox without domain and an empty domain; removes source routes.
 */
export function readPath(keyword: "FROM" | "TO", argument: string): PathArgument | PathError {
  const prefix = prefixes[keyword].exec(argument)?.[0];
  if (prefix === undefined || prefix === argument) return "no_path";
  const text = argument.slice(prefix.length);
  const groups = (text.startsWith("<") ? bracketedPath : barePath).exec(text)?.groups;
  const address = groups?.["path"]?.replace(sourceRoute, "");
  if (address === undefined || !isMailbox(address)) return "bad_address";
  return { address, parameters: groups?.["parameters"] ?? "" };
}

/** Returns whether a mailbox can receive mail: it is not the null path and its domain is not empty. */
export function isDeliverable(address: string): boolean {
  return address !== "" && !address.endsWith("@");
}

function isMailbox(address: string): boolean {
  return address === "" || (mailbox.test(address) && !unprintable.test(address));
}
