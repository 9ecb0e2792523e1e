import { createHash, createSign, generateKeyPairSync, type KeyObject } from "node:crypto";

/** Domain that signs its mail, with its DNS record. */
export interface Signer {
  readonly domain: string;
  readonly privateKey: KeyObject;
  /** Line of a zone file: the key of the selector `sel`. */
  readonly zoneLine: string;
}

/** Creates a signer with a new RSA key of 2048 bits. */
export function createSigner(domain: string): Signer {
  const { privateKey, publicKey } = generateKeyPairSync("rsa", { modulusLength: 2048 });
  const key = publicKey.export({ type: "spki", format: "der" }).toString("base64");
  const halves = `"v=DKIM1; k=rsa; p=${key.slice(0, 200)}" "${key.slice(200)}"`;
  return { domain, privateKey, zoneLine: `sel._domainkey.${domain}. TXT ${halves}` };
}

/** Returns the mail with a prepended DKIM signature (RFC 6376, rsa-sha256, relaxed/relaxed) over these fields and the body. */
export function signMail(mail: string, { domain, privateKey }: Signer, fields: readonly string[]): string {
  const [head = "", ...rest] = mail.split("\r\n\r\n");
  const bodyHash = createHash("sha256")
    .update(relaxBody(rest.join("\r\n\r\n")))
    .digest("base64");
  const lines = head.split("\r\n");
  const covered = fields.map((name) => relax(lines.find((line) => line.toLowerCase().startsWith(`${name}:`)) ?? ""));
  const tags = `v=1; a=rsa-sha256; c=relaxed/relaxed; d=${domain}; s=sel; h=${fields.join(":")}; bh=${bodyHash}; b=`;
  const signature = createSign("sha256")
    .update([...covered, `dkim-signature:${tags}`].join("\r\n"))
    .sign(privateKey, "base64");
  return `DKIM-Signature: ${tags}${signature}\r\n${mail}`;
}

function relax(field: string): string {
  const colon = field.indexOf(":");
  return `${field.slice(0, colon).toLowerCase()}:${field
    .slice(colon + 1)
    .replaceAll(/[ \t]+/g, " ")
    .trim()}`;
}

function relaxBody(body: string): string {
  const lines = body.split("\r\n").map((line) => line.replaceAll(/[ \t]+/g, " ").trimEnd());
  while (lines.at(-1) === "") lines.pop();
  return lines.length === 0 ? "" : `${lines.join("\r\n")}\r\n`;
}
