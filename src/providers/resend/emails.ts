import { Problem } from "../../core/errors.ts";
import type { StoredEmail } from "../email.ts";
import { fieldOf } from "../formats/form.ts";
import { isJsonObject } from "../formats/json-body.ts";
import {
  jsonResponse,
  type ProviderRequest,
  type ProviderResponse,
  type ProviderServices,
  type ProviderSession,
} from "../provider.ts";
import { answered, invalidResendField, resendError, ResendRejection } from "./errors.ts";
import { readResendBody } from "./request.ts";
import { emailItem, emailResource, objectResponse, uuidOfId } from "./response.ts";
import { readScheduledAt } from "./scheduled-at.ts";

const pageSizeDefault = 20;
const pageSizeMax = 100;
/** Mails that are looked through for the one of `after` or `before`. */
const reachMax = 1000;

/** Returns a mail: `GET /emails/:id`. */
export async function getEmail(request: ProviderRequest, services: ProviderServices): Promise<ProviderResponse> {
  const session = await services.authenticate(request.key, "read");
  return answered(async () => jsonResponse(200, emailResource(await openEmail(session, request))));
}

/** Changes the time of a scheduled mail: `PATCH /emails/:id`. */
export async function updateEmail(request: ProviderRequest, services: ProviderServices): Promise<ProviderResponse> {
  const session = await services.authenticate(request.key, "send");
  return answered(async () => {
    const body = readResendBody(request.body);
    const sendAt = readScheduledAt(isJsonObject(body) ? body["scheduled_at"] : undefined, services.now());
    if (sendAt === null)
      throw new ResendRejection(resendError("missing_required_field", "Missing `scheduled_at` field."));
    const { providerId } = await openEmail(session, request);
    await unlessArrived(session.rescheduleEmail(uuidOfId(providerId), sendAt));
    return objectResponse("email", providerId);
  });
}

/** Cancels a scheduled mail: `POST /emails/:id/cancel`. */
export async function cancelEmail(request: ProviderRequest, services: ProviderServices): Promise<ProviderResponse> {
  const session = await services.authenticate(request.key, "send");
  return answered(async () => {
    const { providerId } = await openEmail(session, request);
    await unlessArrived(session.cancelEmail(uuidOfId(providerId)));
    return objectResponse("email", providerId);
  });
}

/** Lists mails, newest first: `GET /emails` with `limit` and `after` or `before`. */
export async function listEmails(request: ProviderRequest, services: ProviderServices): Promise<ProviderResponse> {
  const session = await services.authenticate(request.key, "read");
  return answered(async () => {
    const limit = Number(fieldOf(request.fields, "limit") ?? pageSizeDefault);
    if (!Number.isInteger(limit) || limit < 1 || limit > pageSizeMax) {
      throw new ResendRejection(invalidResendField(`The \`limit\` parameter must be from 1 to ${pageSizeMax}.`));
    }
    const [after, before] = [fieldOf(request.fields, "after"), fieldOf(request.fields, "before")];
    const all = await readNewest(session, after === undefined && before === undefined ? limit + 1 : reachMax);
    const at = (id: string): number => {
      const found = all.findIndex(({ providerId }) => providerId === id);
      if (found === -1) throw new ResendRejection(resendError("not_found", "Email not found"));
      return found;
    };
    const start = after === undefined ? (before === undefined ? 0 : Math.max(0, at(before) - limit)) : at(after) + 1;
    const end = before === undefined ? start + limit : at(before);
    const hasMore = before === undefined ? all.length > end : start > 0;
    return jsonResponse(200, { object: "list", has_more: hasMore, data: all.slice(start, end).map(emailItem) });
  });
}

async function readNewest(session: ProviderSession, count: number): Promise<readonly StoredEmail[]> {
  const none = { tag: null, to: null, from: null, since: null, before: null };
  const { emails } = await session.listEmails({ ...none, page: 0, itemsPerPage: count });
  return emails;
}

async function openEmail(session: ProviderSession, { params }: ProviderRequest): Promise<StoredEmail> {
  const uuid = uuidOfId(params["id"] ?? "");
  if (uuid === "") throw new ResendRejection(resendError("invalid_parameter", "The `id` must be a valid UUID."));
  try {
    return await session.getEmail(uuid);
  } catch (error) {
    if (error instanceof Problem && error.code === "not_found") {
      throw new ResendRejection(resendError("not_found", "Email not found"));
    }
    throw error;
  }
}

async function unlessArrived(change: Promise<void>): Promise<void> {
  try {
    await change;
  } catch (error) {
    if (error instanceof Problem && error.code === "conflict") {
      throw new ResendRejection(invalidResendField("The email has already been sent."));
    }
    throw error;
  }
}
