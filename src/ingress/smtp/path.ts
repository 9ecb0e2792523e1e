import { reply, type Reply } from "./reply.ts";

/** Argument of MAIL and RCPT: a path (RFC 5321 §4.1.2, RFC 6531 §3.3) and parameters. */

/** Parsed path. */
interface PathArgument {
  /** Mailbox as given, without angle brackets and source route, letter case kept; "" for the null path. */
  readonly address: string;
  /** Text after the path. */
  readonly parameters: string;
}

/** Error of an argument. `no_path`: its syntax is wrong. `bad_address`: the path is not a mailbox. */
type PathError = "no_path" | "bad_address";

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

// ESMTP parameters of MAIL and RCPT (RFC 5321 §4.1.2): keywords are case-insensitive, unknown ones are rejected.

/** Returns whether a value has the syntax of the parameter; undefined for a parameter without value. */
export type ParameterRule = (value: string | undefined) => boolean;

const syntax = /^(?<keyword>[A-Za-z0-9][A-Za-z0-9-]*)(?:=(?<value>.*))?$/s;
const badSyntax = reply("501 5.5.4", "Syntax: parameters are keyword or keyword=value", { refusal: "syntax" });
const badValue = reply("501 5.5.4", "Error: invalid parameter value", { refusal: "syntax" });
const unknown = reply("555 5.5.4", "Error: unsupported parameter", { refusal: "syntax" });

/**
 * Parses `text` by `rules`. Returns the values by upper-case keyword ("" without one; the last of a repeated one), or the
 * reply that rejects it.
 */
export function readParameters(
  text: string,
  rules: ReadonlyMap<string, ParameterRule>,
): ReadonlyMap<string, string> | Reply {
  const parameters = new Map<string, string>();
  const words = text.split(/[ \t]+/).filter((word) => word !== "");
  for (const word of words) {
    const groups = syntax.exec(word)?.groups;
    const keyword = groups?.["keyword"]?.toUpperCase();
    if (groups === undefined || keyword === undefined) return badSyntax;
    const rule = rules.get(keyword);
    if (rule === undefined) return unknown;
    if (!rule(groups["value"])) return badValue;
    parameters.set(keyword, groups["value"] ?? "");
  }
  return parameters;
}
