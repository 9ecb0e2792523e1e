/**
 * Requests without credentials, as receivers of notifications make them: confirmation with the token, cancellation, and the
 * certificate of signatures.
 */
import { textAt } from "../formats/aws-members.ts";
import { queryResponse } from "../formats/aws-xml.ts";
import { fieldOf } from "../formats/form.ts";
import type { JsonObject } from "../formats/json-body.ts";
import type { OpenCall, OpenHandler } from "../kit/endpoints.ts";
import type { ProviderServices } from "../provider.ts";
import { invalidParameter, namespace, rejection } from "./errors.ts";
import { certificateName, targetOfCertificateName, subscriptionArnOf } from "./notifications.ts";

const pemType = "application/x-pem-file";

/** Responds to the URLs in notifications: `GET /?Action=ConfirmSubscription` and `GET /?Action=Unsubscribe`. */
export const respondToLink: OpenHandler = async ({ request, services }) => {
  const action = fieldOf(request.fields, "Action") ?? "";
  const parameters = Object.fromEntries(request.fields);
  if (action === "ConfirmSubscription") {
    return queryResponse(namespace, action, await confirmSubscription(parameters, { services }));
  }
  if (action !== "Unsubscribe") throw rejection("missingToken");
  const arn = textAt(parameters, "SubscriptionArn") ?? "";
  if (!(await cancelSubscription(arn, services))) throw rejection("notFound", "Subscription does not exist");
  return queryResponse(namespace, action, null);
};

/** Confirms a subscription by its token, without credentials; throws `invalid` for an unknown token. */
export async function confirmSubscription(
  parameters: JsonObject,
  { services: { subscriptions } }: Pick<OpenCall, "services">,
): Promise<{ readonly SubscriptionArn: string }> {
  const confirmed = await subscriptions.confirm(textAt(parameters, "Token") ?? "");
  if (confirmed === null) throw invalidParameter("Token");
  return { SubscriptionArn: subscriptionArnOf(confirmed.target, confirmed.options) };
}

/** Disables the target of a subscription; false for an ARN of another subscription. */
export async function cancelSubscription(
  arn: string,
  { subscriptions }: Pick<ProviderServices, "subscriptions">,
): Promise<boolean> {
  const target = /^arn:[^\s]{1,500}:([0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12})$/.exec(arn)?.[1];
  return target !== undefined && subscriptions.unsubscribe(target);
}

/** Responds with the certificate of a target: `GET /SimpleNotificationService-….pem`. */
export const getCertificate: OpenHandler = async ({ request: { params }, services: { subscriptions } }) => {
  const { file = "" } = params;
  const target = targetOfCertificateName(file);
  const certificate = target === undefined ? null : await subscriptions.publicKeyOf(target);
  if (target === undefined || certificate === null || certificateName(target, certificate) !== file) {
    // As the storage of AWS responds.
    throw rejection("accessDenied", "Access Denied");
  }
  return { status: 200, body: { contentType: pemType, text: certificate } };
};
