/** Samples of the shape `raw`. */
import type { InboundSamples } from "../conformance/callback-samples.test-aid.ts";

/** Samples of the shape. */
export const inboundSamples: InboundSamples = {
  given: { password: "correct horse" },
  verify: ({ headers, contentType }, { created }) => {
    const [, credentials = ""] = /^Basic (.+)$/.exec(headers["authorization"] ?? "") ?? [];
    const expected = `actionmailbox:${created.secret ?? ""}`;
    return contentType === "message/rfc822" && Buffer.from(credentials, "base64").toString("utf8") === expected;
  },
  altered: (request) => ({
    "no credentials": { ...request, headers: {} },
    password: { ...request, headers: { authorization: `Basic ${btoa("actionmailbox:wrong")}` } },
  }),
  signsBody: false,
  variants: [
    {
      title: "as it is",
      options: {},
      read: ({ headers, body }) => ({
        members: Object.fromEntries(Object.entries(headers).filter(([name]) => name !== "authorization")),
        raw: body,
      }),
      fields: { "X-Envelope-From": "string", "X-Envelope-To": "string" },
    },
  ],
};
