import { expect, test } from "vitest";
import type { RestanteClient } from "../client/client.ts";
import { NotFoundError } from "../client/errors.ts";
import { MessageDescriber } from "./describe-message.ts";

const parts = { status: 404, type: "NotFound", fields: [], body: null, requestId: null, retryAfterMs: null };

/** Client of a service in which no message can be read. */
function clientWithout(errorOf: (id: string) => Error): RestanteClient {
  return { messages: { get: async (id: string) => Promise.reject(errorOf(id)) } } as unknown as RestanteClient;
}

test("names each message that was deleted meanwhile, or not read in time", async () => {
  const client = clientWithout((id) =>
    id === "late"
      ? new DOMException("The operation was aborted", "TimeoutError")
      : new NotFoundError("Not found", parts),
  );
  const describer = new MessageDescriber({ client, savePicture: async () => "none" });
  expect(await describer.describeAll(["1", "2", "3", "4", "late"])).toEqual({
    messages: [],
    problems: [...["1", "2", "3", "4"].map((id) => `message ${id}: Not found`), "message late: not read in time"],
  });
});
