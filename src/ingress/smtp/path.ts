/** The argument of MAIL and RCPT: a path (RFC 5321 §4.1.2, RFC 6531 §3.3) and what follows it. */

/** A path that was read. */
export interface PathArgument {
  /** Mailbox as given, without angle brackets and source route, letter case kept; "" for the null path. */
  readonly address: string;
  /** What follows the path: the parameters. */
  readonly parameters: string;
}

/** `no_path`: the argument does not have the form of one. `bad_address`: what it names is not a mailbox. */
export type PathFault = "no_path" | "bad_address";

const prefixes = { FROM: /^FROM[ \t]*:[ \t]*/i, TO: /^TO[ \t]*:[ \t]*/i };
/** Neither brackets nor blanks can stand in a path, but inside quotes. */
const bracketedPath = /^<(?<path>(?:"(?:[^"\\]|\\.)*"|[^\s"<>])*)>(?<parameters>[ \t].*)?$/s;
const barePath = /^(?<path>(?:"(?:[^"\\]|\\.)*"|[^\s"<>])+)(?<parameters>[ \t].*)?$/s;
/** Obsolete hops in front of the mailbox, to be ignored (RFC 5321 §4.1.1.3). */
const sourceRoute = /^@[^:"]*:/;
const mailbox =
  /^(?:"(?:[^"\\]|\\.)*"|[^\s"\\()<>[\],;:@]+)(?:@(?<domain>\[[^\s"\\()<>[\],;@]+\]|[^\s"\\()<>[\],;:@]*))?$/u;
/** Controls, line and paragraph separators, and the marks of undecodable bytes: whoever writes a header would regret them. */
const unprintable = /[\p{Cc}\u2028\u2029\uFEFF\uFFFD]/u;

/**
 * Reads `FROM:<path> parameters` or `TO:<path> parameters`. Blanks around the colon, missing angle brackets, a mailbox
 * without domain and an empty domain (the caller decides) are taken; source routes are removed.
 */
export function readPath(keyword: "FROM" | "TO", argument: string): PathArgument | PathFault {
  const prefix = prefixes[keyword].exec(argument)?.[0];
  if (prefix === undefined || prefix === argument) return "no_path";
  const text = argument.slice(prefix.length);
  const groups = (text.startsWith("<") ? bracketedPath : barePath).exec(text)?.groups;
  const address = groups?.["path"]?.replace(sourceRoute, "");
  if (address === undefined || !isMailbox(address)) return "bad_address";
  return { address, parameters: groups?.["parameters"] ?? "" };
}

/** True for a mailbox that mail can be delivered to: not null, and without an empty domain. */
export function isDeliverable(address: string): boolean {
  return address !== "" && !address.endsWith("@");
}

function isMailbox(address: string): boolean {
  return address === "" || (mailbox.test(address) && !unprintable.test(address));
}
