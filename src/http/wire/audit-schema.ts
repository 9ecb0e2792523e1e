/** Entries of the audit log as the wire and the file show them. */
import { auditActions, type AuditEntry } from "../../core/audit-entry.ts";
import { build, orNull, schemaOf, type WireSchema } from "./schema.ts";

/** An entry on the wire; the instant is ISO 8601 in UTC. */
export interface WireAuditEntry extends Omit<AuditEntry, "at"> {
  readonly at: string;
}

/** An entry of the audit log. */
export const auditEntrySchema: WireSchema<WireAuditEntry> = schemaOf<WireAuditEntry>()(
  build.object(
    {
      id: build.string({ description: "Id of the entry." }),
      at: build.string({ format: "date-time", description: "When it was done." }),
      by: build.enum(["key", "session", "operator", "command"], {
        description:
          "`session`: a browser session of the key; `operator`: the key with the token of the data folder; `command`: a command that worked on the store itself.",
      }),
      key: orNull(build.string({ description: "Id of the key; null for commands." })),
      name: orNull(build.string({ description: "Name of the key then; of a command, the user of the system." })),
      clientAddress: orNull(build.string({ description: "Where the request came from; null for commands." })),
      action: build.enum(auditActions, { description: "What was done." }),
      target: orNull(build.string({ description: "Id of what was made, changed or removed." })),
      server: orNull(build.string({ description: "The server it belongs to; null for the account." })),
      details: build.freeObject<AuditEntry["details"]>({ description: "Counts, ids and names of settings." }),
    },
    { $id: "AuditEntry" },
  ),
);

/** Returns an entry as the wire shows it. */
export function toWireAuditEntry({ id, at, ...entry }: AuditEntry): WireAuditEntry {
  return { id, at: new Date(at).toISOString(), ...entry };
}
