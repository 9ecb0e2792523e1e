/** ESMTP parameters of MAIL and RCPT (RFC 5321 §4.1.2): keywords are case-insensitive, unknown ones refused. */
import { reply, type Reply } from "./reply.ts";

/** Decides whether a value is of the parameter's syntax; undefined is a parameter without value. */
export type ParameterRule = (value: string | undefined) => boolean;

const syntax = /^(?<keyword>[A-Za-z0-9][A-Za-z0-9-]*)(?:=(?<value>.*))?$/s;
const badSyntax = reply("501 5.5.4", "Parameter syntax is keyword or keyword=value", { refusal: "syntax" });
const badValue = reply("501 5.5.4", "A parameter has a value that it cannot have", { refusal: "syntax" });
const unknown = reply("555 5.5.4", "A parameter is not known here", { refusal: "syntax" });

/**
 * Reads `text` by `rules`: upper-case keyword → value ("" without one; the last, where it is repeated), or the reply
 * that refuses.
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
