import { createHmac } from "node:crypto";
import { expect, test } from "vitest";
import { sampleInboundMail, sampleSigning } from "../conformance/callback-samples.test-aid.ts";
import { mandrillInboundShape } from "./event-webhook.ts";

test.each([
  [{}, "https://app.example/hook"],
  [{ basicAuth: "user:$&-password" }, "https://user:$&-password@app.example/hook"],
])("signs the URL with the credentials %j, as users of Mandrill write it", (credentials, url) => {
  const signing = sampleSigning({ key: "webhook-key", ...credentials });
  const { headers, body } = mandrillInboundShape.render(sampleInboundMail(), {}, signing);
  const events = new URLSearchParams(Buffer.from(body).toString("utf8")).get("mandrill_events") ?? "";
  const expected = createHmac("sha1", "webhook-key").update(`${url}mandrill_events${events}`).digest("base64");
  expect(headers["x-mandrill-signature"]).toBe(expected);
});
