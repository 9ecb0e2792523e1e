/** Resources of stored messages, with their attachments on demand. */
import { fieldOf } from "../formats/form.ts";
import type { JsonObject } from "../formats/json-body.ts";
import type { Call } from "../kit/endpoints.ts";
import type { MailboxMessage, ProviderMailbox } from "../mailbox.ts";
import { attachmentResource, messageResource, viewOf } from "./message.ts";
import { representationOf } from "./response.ts";

/** Returns the resources of messages, with their attachments where `$expand` names them. */
export async function resourcesOf(
  { request }: Pick<Call, "request">,
  mailbox: ProviderMailbox,
  messages: readonly MailboxMessage[],
): Promise<readonly JsonObject[]> {
  const representation = representationOf(request);
  const isExpanded = /\battachments\b/i.test(fieldOf(request.fields, "$expand") ?? "");
  const resources: JsonObject[] = [];
  for (const one of messages) {
    const members = isExpanded ? { attachments: await attachmentsOf(mailbox, one) } : {};
    resources.push({ ...messageResource(viewOf(one), representation), ...members });
  }
  return resources;
}

async function attachmentsOf(mailbox: ProviderMailbox, one: MailboxMessage): Promise<readonly JsonObject[]> {
  const view = viewOf(one);
  const resources: JsonObject[] = [];
  for (const [at, attachment] of view.attachments.entries()) {
    const id = one.message.attachments[at]?.id;
    const content = id === undefined ? null : await mailbox.getAttachment(id);
    resources.push(attachmentResource(attachment, view.modifiedAt, content));
  }
  return resources;
}
