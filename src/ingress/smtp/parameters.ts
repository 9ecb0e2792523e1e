/** ESMTP parameters of MAIL and RCPT (RFC 5321 §4.1.2): keywords are case-insensitive, unknown ones are rejected. */
import { reply, type Reply } from "./reply.ts";

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
