/** Validation of addresses: https://developers.sparkpost.com/api/recipient-validation/ */
import type { JsonObject } from "../formats/json-body.ts";
import { isEmailAddress } from "../formats/mailbox.ts";
import type { Handler } from "../kit/endpoints.ts";
import { onProblem } from "../kit/rejection.ts";
import { jsonResponse } from "../provider.ts";

const roles = /^(?:abuse|admin|billing|contact|help|hello|info|noreply|no-reply|postmaster|sales|support|webmaster)@/;
const disposable = /@(?:10minutemail|guerrillamail|mailinator|temp-mail|trashmail|yopmail)\.[a-z]+$/;
const free = /@(?:aol|gmail|gmx|hotmail|icloud|outlook|proton|yahoo)\.[a-z]+$/;

/** Validates an address: `GET /recipient-validation/single/:email`. It is valid when a server receives its mail. */
export const validateRecipient: Handler = async ({ request, session }) => {
  const address = (request.params["email"] ?? "").toLowerCase();
  if (!isEmailAddress(address)) return jsonResponse(200, { results: resultOf(address, "Invalid Syntax") });
  const reason = await onProblem(
    "not_found",
    session.openMailbox(address).then(() => null),
    () => "Invalid Recipient",
  );
  return jsonResponse(200, { results: resultOf(address, reason) });
};

/** Returns the result of an address; `reason` for which it receives no mail. */
function resultOf(address: string, reason: string | null): JsonObject {
  const isRisky = roles.test(address) || disposable.test(address);
  const [result, confidence] =
    reason !== null ? ["undeliverable", 0] : isRisky ? ["risky", 50] : (["valid", 100] as const);
  return {
    result,
    valid: reason === null,
    ...(reason !== null && { reason }),
    is_role: roles.test(address),
    is_disposable: disposable.test(address),
    is_free: free.test(address),
    delivery_confidence: confidence,
  };
}
