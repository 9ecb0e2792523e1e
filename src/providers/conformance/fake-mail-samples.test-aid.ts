import { jsonOf, jsonRequest, type EmailSamples, type SampleEmail } from "./samples.test-aid.ts";

function bodyOf(mail: SampleEmail): Readonly<Record<string, unknown>> {
  const attachments = mail.attachments?.map((one) => ({
    ...one,
    content: Buffer.from(one.content).toString("base64"),
  }));
  return { ...mail, ...(attachments !== undefined && { attachments }) };
}

const mailbox = { name: "", address: "a@app.example" };
const valid = { from: mailbox, to: [mailbox], subject: "Hello", text: "Hello" };

/** Requests in the format of the fake mail provider. */
export const fakeMailSamples: EmailSamples = {
  sendPath: "/send",
  send: (mail, { key }) => jsonRequest(bodyOf(mail), { key, path: "/send" }),
  idsOf: (response) => jsonOf(response)["ids"] as readonly string[],
  errorOf: (response) => (response.status < 300 ? null : String(jsonOf(response)["error"])),
  rejected: (key) => {
    const post = (value: unknown, error: string): ReturnType<EmailSamples["rejected"]>[string] => ({
      request: jsonRequest(value, { key, path: "/send" }),
      error,
    });
    return {
      "no sender": post({ ...valid, from: undefined }, "from"),
      "no recipient": post({ ...valid, to: [] }, "to"),
      "an invalid recipient": post({ ...valid, to: [{ name: "", address: "nobody" }] }, "to"),
      "no body": post({ ...valid, text: undefined }, "content"),
      "invalid JSON or form": {
        ...post({}, "body"),
        request: jsonRequest("", { key, path: "/send", body: Buffer.from("{") }),
      },
      "invalid base64": post({ ...valid, attachments: [{ content: "?" }] }, "attachments"),
      "too many recipients": post({ ...valid, to: Array.from({ length: 4 }, () => mailbox) }, "too many"),
    };
  },
  storeTemplate: {
    steps: [(template, { key }) => jsonRequest(template, { key, path: "/templates" })],
    idOf: ([response]) => (response === undefined ? "" : String(jsonOf(response)["id"])),
  },
  batch: (mails, { key }) => ({ path: "/batch", request: jsonRequest(mails.map(bodyOf), { key, path: "/batch" }) }),
  cancel: (id, { key }) => {
    const path = `/messages/${id}/cancel`;
    return { method: "POST", path, request: jsonRequest({}, { key, path }) };
  },
  get: (id, { key }) => {
    const path = `/messages/${id}`;
    return { method: "GET", path, request: jsonRequest({}, { key, path, method: "GET" }) };
  },
};
