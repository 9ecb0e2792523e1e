import type { Message } from "../../core/message.ts";

/** Values by canonical field names, in the order of the names. */
type Headers = Readonly<Record<string, readonly string[]>>;

/**
 * Returns the fields of a header section by their canonical names, as Go's textproto reads them: unfolded, not decoded. Names
 * are in the order of their UTF-16 code units; lines that are no fields are left out. Linear in the section.
 */
export function rawHeaders(head: Uint8Array): Headers {
  const fields = new Map<string, string[]>();
  let current: string[] | undefined;
  for (const line of Buffer.from(head)
    .toString("utf8")
    .split(/\r\n|\n/)) {
    if (/^[ \t]/.test(line)) {
      const continued = line.trim();
      const last = current?.pop();
      if (last !== undefined) current?.push(last === "" ? continued : `${last} ${continued}`);
      continue;
    }
    const [, name, value = ""] = /^([!-9;-~]+):(.*)$/s.exec(line) ?? [];
    if (name === undefined) continue;
    const canonical = canonicalName(name);
    current = fields.get(canonical) ?? [];
    current.push(value.trim());
    fields.set(canonical, current);
  }
  return inOrder(fields);
}

function inOrder(fields: Iterable<readonly [string, readonly string[]]>): Headers {
  return Object.fromEntries([...fields].toSorted(([a], [b]) => (a < b ? -1 : 1)));
}

/**
 * Returns fields with those that Mailpit adds to a mail on receipt: Return-Path, and Bcc for recipients of the envelope that no
 * field names.
 */
export function withEnvelope(headers: Headers, { bcc, metadata }: Pick<Message, "bcc" | "metadata">): Headers {
  const fields = new Map(Object.entries(headers));
  if (!fields.has("Return-Path") && metadata.mailFrom !== null) fields.set("Return-Path", [`<${metadata.mailFrom}>`]);
  const hidden = bcc.flatMap(({ email }) => (email === null || email === "" ? [] : [email]));
  if (!fields.has("Bcc") && hidden.length > 0) fields.set("Bcc", [hidden.join(", ")]);
  return inOrder(fields);
}

/** Returns a field name with capitals at the start and after hyphens. */
function canonicalName(name: string): string {
  return name.toLowerCase().replaceAll(/(?:^|-)[a-z]/g, (start) => start.toUpperCase());
}
