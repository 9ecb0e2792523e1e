import type { HeaderField } from "../../core/message.ts";
import { fieldOf } from "../received-message.ts";

/** Links of the field, and its faults; "" when there are none. */
interface Reading {
  readonly Links: readonly string[];
  readonly Errors: string;
}

/** Returns List-Unsubscribe (RFC 2369) and List-Unsubscribe-Post of a message, with the faults that Mailpit reports. */
export function readListUnsubscribe(
  headers: readonly HeaderField[],
): Reading & Readonly<Record<"Header" | "HeaderPost", string>> {
  const header = fieldOf(headers, "list-unsubscribe");
  if (header === "") return { Header: "", Links: [], Errors: "", HeaderPost: "" };
  return { Header: header, ...readLinks(header), HeaderPost: fieldOf(headers, "list-unsubscribe-post") };
}

function readLinks(header: string): Reading {
  const text = header.replaceAll(/\([^()]*\)/g, "").trim();
  const links = Array.from(text.matchAll(/<([^<>]*)>/g), ([, link = ""]) => link);
  if (links.length === 0) return refused(`"${text}" no valid unsubscribe links found`);
  if (!text.startsWith("<") || !text.endsWith(">")) return refused(`"${text}" should be enclosed in <>`);
  if (links.length > 2) return refused(`"${text}" should include a maximum of one email and one HTTP link`);
  const between = text.split(/<[^<>]*>/).slice(1, -1);
  if (between.some((join) => join.trim() !== ",")) {
    return refused(`"${text}" <> should be split with a comma and optional spaces`);
  }
  return checkLinks(links);
}

function refused(error: string): Reading {
  return { Links: [], Errors: error };
}

function checkLinks(links: readonly string[]): Reading {
  const errors: string[] = [];
  const valid: string[] = [];
  const seen = { mail: false, web: false };
  for (const link of links) {
    const kind = /^mailto:[a-z0-9]/i.test(link) ? "mail" : /^https?:\/\/[a-z0-9]/i.test(link) ? "web" : null;
    if (/\s/.test(link)) errors.push(`"${link}" should not contain spaces`);
    else if (kind === null) errors.push(`"${link}" should start with either http(s):// or mailto:`);
    else if (seen[kind]) errors.push(`"${link}" should only contain one ${kind === "mail" ? "mailto:" : "HTTP link"}`);
    else {
      seen[kind] = true;
      valid.push(link);
    }
  }
  return { Links: valid, Errors: errors.join(", ") };
}
