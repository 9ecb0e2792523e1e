/** Schema of entries of the audit log, in the API and in the file. */
import { auditActions, type AuditEntry } from "../../core/audit-entry.ts";
import { build, orNull, type ValueOf } from "./schema.ts";

/** Schema of an entry. */
export const auditEntrySchema = build.object(
  {
    id: build.string({ description: "Id of the entry." }),
    at: build.string({ format: "date-time", description: "Time of the action." }),
    by: build.enum(["key", "session", "operator", "command"], {
      description:
        "`session`: a browser session of the key; `operator`: the key with the token of the data folder; `command`: a command that worked on the store itself.",
    }),
    key: orNull(build.string({ description: "Id of the key; null for commands." })),
    name: orNull(
      build.string({ description: "Name of the key at that time; for commands, the operating system's user." }),
    ),
    clientAddress: orNull(build.string({ description: "Address of the client; null for commands." })),
    action: build.enum(auditActions, { description: "Action." }),
    target: orNull(build.string({ description: "Id of the object that was created, changed or removed." })),
    server: orNull(build.string({ description: "Id of the server; null for the account." })),
    details: build.freeObject<AuditEntry["details"]>({ description: "Counts, ids and names of settings." }),
  },
  { $id: "AuditEntry" },
);

/** JSON of an entry; the instant is ISO 8601 in UTC. */
export type WireAuditEntry = ValueOf<typeof auditEntrySchema>;

/** Returns an entry in its JSON form. */
export function toWireAuditEntry({ id, at, ...entry }: AuditEntry): WireAuditEntry {
  return { id, at: new Date(at).toISOString(), ...entry };
}
