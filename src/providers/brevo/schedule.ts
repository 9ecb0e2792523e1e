import { Problem } from "../../core/errors.ts";
import type { ProviderObjects, StoredEmail } from "../email.ts";
import {
  jsonResponse,
  type ProviderRequest,
  type ProviderResponse,
  type ProviderServices,
  type ProviderSession,
} from "../provider.ts";
import { answered, BrevoRejection } from "./errors.ts";
import { instantText, uuidOfId } from "./response.ts";

const kind = "batch";

/** Adds mails to a batch of scheduled mail. */
export async function storeBatch(
  { objects }: { readonly objects: ProviderObjects },
  batchId: string,
  uuids: readonly string[],
): Promise<void> {
  for (;;) {
    const present = await objects.get(kind, batchId);
    const value = [...((present?.value as readonly string[] | undefined) ?? []), ...uuids];
    if (await objects.put(kind, batchId, { value, version: present?.version ?? 0 })) return;
  }
}

/** Cancels the scheduled mails of a message id or of a batch: `DELETE /v3/smtp/email/:id`. */
export async function cancelMail(request: ProviderRequest, services: ProviderServices): Promise<ProviderResponse> {
  const session = await services.authenticate(request.key, "send");
  return answered(async () => {
    const scheduled = (await openMails(session, request)).filter(({ status }) => status === "scheduled");
    if (scheduled.length === 0) throw new BrevoRejection("bad_request", "The email has already been sent");
    for (const { providerId } of scheduled) await session.cancelEmail(uuidOfId(providerId));
    return { status: 204, body: null };
  });
}

/** Returns the status of a message id or of a batch: `GET /v3/smtp/emailStatus/:id`. */
export async function getStatus(request: ProviderRequest, services: ProviderServices): Promise<ProviderResponse> {
  const session = await services.authenticate(request.key, "read");
  return answered(async () => {
    const mails = (await openMails(session, request)).map(({ createdAt, sendAt, status }) => ({
      createdAt: instantText(createdAt),
      scheduledAt: instantText(sendAt ?? createdAt),
      status: status === "scheduled" ? "queued" : "processed",
    }));
    const isBatch = uuidOfId(request.params["id"] ?? "") === "";
    return jsonResponse(200, isBatch ? { count: mails.length, batches: mails } : mails[0]);
  });
}

/** Returns the mails of a message id or of a batch; throws {@link BrevoRejection} when there is none. */
async function openMails(session: ProviderSession, { params }: ProviderRequest): Promise<readonly StoredEmail[]> {
  const id = params["id"] ?? "";
  const own = uuidOfId(id);
  const batch = own === "" && id.length <= 36 ? await session.objects.get(kind, id.toLowerCase()) : undefined;
  const uuids = own === "" ? ((batch?.value as readonly string[] | undefined) ?? []) : [own];
  const mails = await Promise.all(uuids.map(async (uuid) => findMail(session, uuid)));
  const found = mails.filter((one) => one !== undefined);
  if (found.length === 0) throw new BrevoRejection("document_not_found", "No email found for the given identifier");
  return found;
}

async function findMail(session: ProviderSession, uuid: string): Promise<StoredEmail | undefined> {
  try {
    return await session.getEmail(uuid);
  } catch (error) {
    if (error instanceof Problem && error.code === "not_found") return undefined;
    throw error;
  }
}
