/** Tables that Citus distributes by server; all rows of one server are then on one machine. */
export const serverTables: readonly string[] = [
  "server",
  "message",
  "chunk",
  "address",
  "annotation",
  "mark",
  "change",
  "purge",
  "usage",
  "outside",
  "outside_gone",
  "text_progress",
  "text_segment",
  "text_page",
];

/** Tables among them that can be rebuilt from the others. */
export const derivedTables: ReadonlySet<string> = new Set(["text_progress", "text_segment", "text_page"]);

/** Small account tables, which Citus copies to every machine. */
export const accountTables: readonly string[] = [
  "api_key",
  "account_user",
  "team",
  "team_limit",
  "membership",
  "device",
  "dns_zone",
  "outbox",
  "verified_address",
  "verification_mail",
  "repeatable",
  "phone_number",
  "sign_in",
  "audit",
  "reread",
  "provider_object",
  "scheduled_email",
  "scheduled_chunk",
  "callback_target",
  "callback_cursor",
  "callback_purge",
  "callback_delivery",
  "callback_report",
  "callback_failure",
  "fault_list",
  "fault_rule",
  "fault_hit",
  "fault_triple",
  "scanner",
  "scan",
];
