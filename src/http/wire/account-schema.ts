import type { ApiKey } from "../../core/api-key.ts";
import { auditActions, auditActorKinds, type AuditEntry } from "../../core/audit-entry.ts";
import type { Device } from "../../core/device.ts";
import type { VerifiedAddress } from "../../core/verified-address.ts";
import { keyScopeSchema, networksText, type NewKey } from "../../operations/keys/keys.ts";
import type { OneTimePassword } from "../../operations/services/security/one-time-password.ts";
import { build, orNull, schemaOf, type ValueOf, type WireSchema } from "../../core/schema.ts";

// Schemas of API keys. Hashes are never shown; the key itself is shown once, when it is created or rotated.

const networks = build.array(build.string(), networksText);
const instant = (description: string): WireSchema<string | null> =>
  orNull(build.string({ format: "date-time", description }));

const shape = {
  id: build.string({ format: "uuid", description: "Id of the key in this API; not the key itself." }),
  name: build.string(),
  server: orNull(build.string("The only server that the key gives access to; null for all.")),
  createdAt: build.string({ format: "date-time" }),
  scope: keyScopeSchema,
  expires: instant("When the key expires; null for never."),
  requestsPerMinute: orNull(build.integer("Largest number of requests per minute and node.")),
  networks,
  lastUsed: instant("Time of last use, at most a minute behind; null before the first use."),
  user: orNull(build.string("Id of the user that owns the key; null for none.")),
  team: orNull(build.string("Id of the team that owns the key; null for none.")),
  formerUntil: instant("Until when the secret from before the last rotation is valid too."),
};

/** Schema of a key. */
export const keySchema = build.object(shape, { $id: "Key" });

/** JSON of a key; instants are ISO 8601 in UTC. */
export type WireKey = ValueOf<typeof keySchema>;

/** Schema of a key that was just created or rotated. */
export const newKeySchema = build.object(
  { ...shape, key: build.string("The key itself, shown only here.") },
  { $id: "NewKey" },
);

/** JSON of a key that was just created or rotated. */
export type WireNewKey = ValueOf<typeof newKeySchema>;

/** Returns a key in its JSON form, without its hashes. */
export function toWireKey(key: ApiKey): WireKey {
  const { id, name, server, createdAt, scope, expiresAt, requestsPerMinute, networks, lastUsedAt, former, owner } = key;
  return {
    id,
    name,
    server,
    createdAt: new Date(createdAt).toISOString(),
    scope,
    expires: instantOf(expiresAt),
    requestsPerMinute,
    networks,
    lastUsed: instantOf(lastUsedAt),
    user: owner?.kind === "user" ? owner.id : null,
    team: owner?.kind === "team" ? owner.id : null,
    formerUntil: instantOf(former?.until ?? null),
  };
}

/** Returns a new or rotated key with its secret, which is never shown again. */
export function toWireNewKey(created: NewKey): WireNewKey {
  return { ...toWireKey(created.key), key: created.secret };
}

function instantOf(at: number | null): string | null {
  return at === null ? null : new Date(at).toISOString();
}

// Schema of entries of the audit log, in the API and in the file.

/** Schema of an entry. */
export const auditEntrySchema = build.object(
  {
    id: build.string("Id of the entry."),
    at: build.string({ format: "date-time", description: "Time of the action." }),
    by: build.enum(
      auditActorKinds,
      "`session`: a browser session of the key or the user; `operator`: the key with the token of the data folder; `command`: a command that worked on the store itself; `service`: a rule of the service.",
    ),
    key: orNull(build.string("Id of the key; null for commands and sessions of users.")),
    name: orNull(build.string("Name of the key at that time; for commands, the operating system's user.")),
    clientAddress: orNull(build.string("Address of the client; null for commands.")),
    user: orNull(build.string("Id of the user that signed in or owns the key; null for others.")),
    email: orNull(build.string("E-mail address of that user at that time; null for others.")),
    action: build.enum(auditActions, "Action."),
    target: orNull(build.string("Id of the object that was created, changed or removed.")),
    server: orNull(build.string("Id of the server; null for the account.")),
    details: build.freeObject<AuditEntry["details"]>("Counts, ids and names of settings."),
  },
  { $id: "AuditEntry" },
);

/** JSON of an entry; the instant is ISO 8601 in UTC. */
export type WireAuditEntry = ValueOf<typeof auditEntrySchema>;

/** Returns an entry in its JSON form. */
export function toWireAuditEntry({ id, at, user = null, email = null, ...entry }: AuditEntry): WireAuditEntry {
  return { id, at: new Date(at).toISOString(), ...entry, user, email };
}

// Schemas of verified addresses, without their tokens.

/** Schema of an address. */
export const verifiedAddressSchema = build.object(
  {
    id: build.string({ format: "uuid" }),
    address: build.string(),
    status: build.enum(["Pending", "Verified"]),
    createdAt: build.string({ format: "date-time" }),
  },
  { $id: "VerifiedAddress" },
);

/** JSON of an address that mail may be sent to, or whose owner has not confirmed yet. */
export type WireVerifiedAddress = ValueOf<typeof verifiedAddressSchema>;

/** Request body that verifies an address. */
export const tokenSchema = build.partial({ token: build.string("Token from the verification mail; required.") });

/** Returns an address in its JSON form. */
export function toWireVerifiedAddress({ id, address, status, createdAt }: VerifiedAddress): WireVerifiedAddress {
  return { id, address, status, createdAt: new Date(createdAt).toISOString() };
}

// Schemas of devices, without their secrets.

/** Schema of a device. */
export const deviceSchema: WireSchema<Device> = schemaOf<Device>()(
  build.object({ id: build.string({ format: "uuid" }), name: build.string() }, { $id: "Device" }),
);

/** Schema of a one-time password. */
export const passwordOfDeviceSchema = build.object(
  {
    code: build.string({ pattern: "^\\d{6,8}$" }),
    expires: build.string({ format: "date-time", description: "When the next code replaces this one." }),
  },
  { $id: "OneTimePassword" },
);

/** JSON of a one-time password. */
export type WirePassword = ValueOf<typeof passwordOfDeviceSchema>;

/** Returns a one-time password in its JSON form. */
export function toWirePassword({ code, expiresAt }: OneTimePassword): WirePassword {
  return { code, expires: new Date(expiresAt).toISOString() };
}
