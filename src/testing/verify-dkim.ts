import { createHash, createVerify, type KeyObject } from "node:crypto";

/** Result of verifying a signature with a known key. */
export interface DkimVerdict {
  readonly domain: string;
  readonly selector: string;
  readonly bodyMatches: boolean;
  readonly signatureMatches: boolean;
}

/**
 * Verifies the first DKIM-Signature of a mail (RFC 6376 §6.1.3) with rsa-sha256 and relaxed/relaxed, independently of the
 * code that signs. Does not support fields that are signed more than once.
 */
export function verifyDkim(mail: string, publicKey: KeyObject): DkimVerdict {
  const [head = "", ...rest] = mail.split("\r\n\r\n");
  const fields = head.replaceAll(/\r\n(?=[ \t])/g, "").split("\r\n");
  const signature = fields.find((field) => /^dkim-signature:/i.test(field)) ?? "";
  const tags = new Map(
    signature
      .slice(signature.indexOf(":") + 1)
      .split(";")
      .map((tag) => [tag.slice(0, tag.indexOf("=")).trim(), tag.slice(tag.indexOf("=") + 1).replaceAll(/\s/g, "")]),
  );
  const signed = (tags.get("h") ?? "").toLowerCase().split(":");
  const covered = signed.flatMap((name) => fields.filter((field) => nameOf(field) === name).map(relaxedField));
  const unsigned = relaxedField(signature.replace(/([;\s]b=)[^;]*/, "$1"));
  const verifier = createVerify("sha256").update([...covered, unsigned].join("\r\n"), "latin1");
  const bodyHash = createHash("sha256")
    .update(relaxedBody(rest.join("\r\n\r\n")), "latin1")
    .digest("base64");
  return {
    domain: tags.get("d") ?? "",
    selector: tags.get("s") ?? "",
    bodyMatches: bodyHash === tags.get("bh"),
    signatureMatches: verifier.verify(publicKey, tags.get("b") ?? "", "base64"),
  };
}

function nameOf(field: string): string {
  return field.slice(0, field.indexOf(":")).trim().toLowerCase();
}

/** RFC 6376 §3.4.2. */
function relaxedField(field: string): string {
  const value = field.slice(field.indexOf(":") + 1).replaceAll(/[ \t]+/g, " ");
  return `${nameOf(field)}:${value.trim()}`;
}

/** RFC 6376 §3.4.4. */
function relaxedBody(body: string): string {
  const lines = body.split("\r\n").map((line) => line.replaceAll(/[ \t]+/g, " ").replace(/ $/, ""));
  while (lines.at(-1) === "") lines.pop();
  return lines.length === 0 ? "" : `${lines.join("\r\n")}\r\n`;
}
