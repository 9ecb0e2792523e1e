/** Samples of Resend's webhooks. */
import { Webhook } from "svix";
import { vi } from "vitest";
import type { EventSamples } from "../conformance/callback-samples.test-aid.ts";
import type { CallbackRequest } from "../callbacks.ts";
import type { FieldTypes } from "../conformance/field-types.test-aid.ts";

const common: FieldTypes = {
  type: "string",
  created_at: "string",
  data: "object",
  "data.created_at": "string",
  "data.email_id": "string",
  "data.message_id": "string",
  "data.from": "string",
  "data.to": "array",
  "data.to[]": "string",
  "data.subject": "string",
  "data.template_id": "string?",
  "data.tags": "map?",
  "data.headers": "array?",
  "data.headers[]": "object",
  "data.headers[].name": "string",
  "data.headers[].value": "string",
};

interface Payload {
  readonly type: string;
  readonly data: {
    readonly email_id: string;
    readonly to: readonly string[];
    readonly tags?: Readonly<Record<string, string>>;
  };
}

/** Samples of the webhooks. */
export const eventSamples: EventSamples = {
  given: { secret: `whsec_${Buffer.alloc(32, 7).toString("base64")}` },
  verify: ({ body, headers }, { created, now }) => {
    const clock = vi.spyOn(Date, "now").mockReturnValue(now);
    try {
      new Webhook(created.secret ?? "").verify(Buffer.from(body).toString("utf8"), { ...headers });
      return true;
    } finally {
      clock.mockRestore();
    }
  },
  altered: (request) => ({
    id: withHeader(request, "svix-id", "msg_0000000000000000000000000000"),
    timestamp: withHeader(request, "svix-timestamp", String(Number(request.headers["svix-timestamp"]) + 1)),
    signature: withHeader(request, "svix-signature", `v1,${Buffer.alloc(32).toString("base64")}`),
  }),
  signsBody: true,
  read: ({ body }) => {
    const members = JSON.parse(Buffer.from(body).toString("utf8")) as Payload;
    const { type, data } = members;
    return [{ members, type, recipient: data.to[0] ?? "", mailId: data.email_id, tags: [], metadata: data.tags ?? {} }];
  },
  fields: {
    processed: common,
    dropped: { ...common, "data.failed": "object", "data.failed.reason": "string" },
    deferred: common,
    delivered: common,
    bounced: {
      ...common,
      "data.bounce": "object",
      "data.bounce.message": "string",
      "data.bounce.type": "string",
      "data.bounce.subType": "string",
    },
    opened: common,
    clicked: {
      ...common,
      "data.click": "object",
      "data.click.ipAddress": "string",
      "data.click.link": "string",
      "data.click.timestamp": "string",
      "data.click.userAgent": "string",
    },
    complained: common,
  },
  showsTags: false,
  showsMetadata: true,
};

function withHeader(request: CallbackRequest, name: string, value: string): CallbackRequest {
  return { ...request, headers: { ...request.headers, [name]: value } };
}
