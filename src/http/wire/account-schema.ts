import { type ApiKey, keyScopes } from "../../core/api-key.ts";
import { auditActions, auditActorKinds, type AuditEntry } from "../../core/audit-entry.ts";
import type { Device } from "../../core/device.ts";
import type { VerifiedAddress } from "../../core/verified-address.ts";
import type { DeviceRequest } from "../../operations/devices/devices.ts";
import type { KeyRequest, NewKey, Rotation } from "../../operations/keys/keys.ts";
import type { OneTimePassword } from "../../operations/services/security/one-time-password.ts";
import type { VerificationRequest } from "../../operations/verified-addresses/verified-addresses.ts";
import { build, orNull, schemaOf, type ValueOf, type WireSchema } from "../../core/schema.ts";
import { emailAddress, ipNetwork, totpSecret } from "../../core/text-schemas.ts";

// Schemas of API keys. Hashes are never shown; the key itself is shown once, when it is created or rotated.

const scope = build.enum(
  keyScopes,
  "`read`: list, search, wait and fetch. `send`: create messages, send, reply and forward. `scim`: provision users and groups by SCIM. `full`: everything.",
);
const networksText = "Addresses and networks (`192.0.2.0/24`) from which alone the key is valid; empty for all.";
const networks = build.array(build.string(), networksText);
const instant = (description: string): WireSchema<string | null> =>
  orNull(build.string({ format: "date-time", description }));

const shape = {
  id: build.string({ format: "uuid", description: "Id of the key in this API; not the key itself." }),
  name: build.string(),
  server: orNull(build.string("The only server that the key gives access to; null for all.")),
  createdAt: build.string({ format: "date-time" }),
  scope,
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

/** Request body that creates a key. */
export const keyRequestSchema: WireSchema<KeyRequest> = schemaOf<KeyRequest>()(
  build.partial({
    name: build.string({ maxLength: 200 }),
    server: build.string("Id of the only server that the key gives access to."),
    scope: scope,
    expires: build.string({ format: "date-time", description: "ISO 8601 instant in the future." }),
    requestsPerMinute: build.integer({ minimum: 1, maximum: 1_000_000 }),
    networks: build.array(ipNetwork(), { maxItems: 100, description: networksText }),
    user: build.string(
      "Id of the user that owns the key and whose access it cannot exceed; the user of the request by default. Account keys create keys of the account by default, and for a server, keys of the server.",
    ),
    team: build.string("Id of the team that owns the key and whose access it cannot exceed."),
  }),
);

/** Request body that rotates a key. */
export const rotationSchema: WireSchema<Rotation> = schemaOf<Rotation>()(
  build.partial({
    graceSeconds: build.integer({
      minimum: 0,
      maximum: 2_592_000,
      description: "Seconds for which the current secret stays valid; a day when absent, 0 revokes it at once.",
    }),
  }),
);

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

/** Request body that adds an address. */
export const verificationRequestSchema: WireSchema<VerificationRequest> = schemaOf<VerificationRequest>()(
  build.partial({
    address: emailAddress("One plain address; required."),
    operatorToken: build.string("Token from `service.json` in the data folder; verifies the address at once."),
  }),
);

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

const sharedSecret = totpSecret("Base32, or an `otpauth://totp/` URI.");

/** Request body with a secret, and the name of the device that stores it. */
export const deviceRequestSchema: WireSchema<DeviceRequest> = schemaOf<DeviceRequest>()(
  build.partial({ name: build.string({ pattern: "\\S", maxLength: 200 }), sharedSecret }),
);

/** Request body with a secret alone; the name that some libraries send beside it is not used. */
export const secretRequestSchema: WireSchema<Pick<DeviceRequest, "sharedSecret">> = schemaOf<
  Pick<DeviceRequest, "sharedSecret">
>()(build.partial({ sharedSecret }));

/** Returns a one-time password in its JSON form. */
export function toWirePassword({ code, expiresAt }: OneTimePassword): WirePassword {
  return { code, expires: new Date(expiresAt).toISOString() };
}
