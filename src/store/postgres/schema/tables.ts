/** Tables that can be divided by server; the rows of one server then lie on one machine in all of them. */
export const serverTables: readonly string[] = [
  "server",
  "message",
  "chunk",
  "address",
  "change",
  "purge",
  "usage",
  "dns_zone",
  "outside",
  "outside_gone",
  "text_index",
  "indexed_text",
];

/** Of these, what can be made again from the others. */
export const derivedTables: ReadonlySet<string> = new Set(["text_index", "indexed_text"]);

/** Small tables of the account, of which every machine can have a copy. */
export const accountTables: readonly string[] = [
  "api_key",
  "device",
  "outbox",
  "verified_address",
  "verification_mail",
  "repeatable",
  "phone_number",
  "sign_in",
  "audit",
  "reread",
];
