import { fieldOf } from "../formats/form.ts";
import type { OpenHandler } from "../kit/endpoints.ts";
import { invalid } from "./errors.ts";

/** Validates a webhook by the URL that it was sent: `GET` or `POST /eventsubscriptions/:name/validate`. */
export const validateWebhook: OpenHandler = async ({ request, services }) => {
  const confirmed = await services.subscriptions.confirm(fieldOf(request.fields, "token") ?? "");
  if (confirmed === null) throw invalid("token", "The validation URL is not valid.");
  const text = "Webhook successfully validated as a subscription endpoint";
  return { status: 200, body: { contentType: "text/plain; charset=utf-8", text } };
};
