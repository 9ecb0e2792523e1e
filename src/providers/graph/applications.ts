/** Applications of the identity platform: the one that requested a token with a key, which tokens of notifications name. */
import { fieldOf } from "../formats/form.ts";
import { isUuid, uuidOfHash } from "../formats/uuid.ts";
import type { OpenCall } from "../kit/endpoints.ts";
import { onProblem } from "../kit/rejection.ts";
import type { KeyOwner } from "../provider.ts";

/** Application, as its latest request for a token named it. */
export interface Application {
  readonly id: string;
  /** UUID of its tenant; null when it named none, or named it by a domain. */
  readonly tenant: string | null;
}

/** Application of a key with which no token was requested. */
const unnamed: Application = { id: uuidOfHash("application"), tenant: null };
const kind = "application";
/** Time for which an application is known after its last request for a token. Libraries repeat it every hour. */
const knownMs = 24 * 3_600_000;
const idLengthMax = 100;

/** Remembers the application that requests a token; the latest one of each key. */
export async function noteApplication({ keyId, objects }: KeyOwner, { request, services }: OpenCall): Promise<void> {
  const id = fieldOf(request.form, "client_id") ?? "";
  if (id === "" || id.length > idLengthMax) return;
  const tenant = (request.params["tenant"] ?? "").toLowerCase();
  const value: Application = { id, tenant: isUuid(tenant) ? tenant : null };
  const stored = objects.put(kind, keyId, { value, expiresAt: services.now() + knownMs });
  // With ten thousand other keys within a day, tokens name no application of this one.
  await onProblem("limit_reached", stored, () => false);
}

/** Returns the application of the caller. */
export async function applicationOf({ keyId, objects }: KeyOwner): Promise<Application> {
  return ((await objects.get(kind, keyId))?.value as Application | undefined) ?? unnamed;
}
