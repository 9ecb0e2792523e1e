import { and } from "../../../core/search/search-expression.ts";
import { expect, test } from "vitest";
import { Problem } from "../../../core/errors.ts";
import { openHttpTestServer } from "../../../testing/http-test-server.test-aid.ts";
import { until } from "../../../testing/until.test-aid.ts";
import { waitForMessages } from "./wait-for-messages.ts";

interface Behaviour {
  readonly isOpen: () => Promise<boolean>;
  /** Reads the result after the first query. */
  readonly searchAgain: () => Promise<number>;
}

/** Waits for a message, which arrives; resolves with the result or the code of the problem. */
async function wait({ isOpen, searchAgain }: Behaviour): Promise<unknown> {
  await using api = await openHttpTestServer();
  const server = await api.addServer();
  let isWaiting = false;
  const outcome = waitForMessages(
    api.context,
    { keyId: "test", server: null },
    {
      interests: [{ server: server.id, direction: "Received", expression: and() }],
      waitMs: 30_000,
      gone: new AbortController().signal,
      isOpen,
      search: async () => {
        const count = isWaiting ? await searchAgain() : 0;
        isWaiting = true;
        return { count, cursor: 0 };
      },
      isComplete: ({ count }) => count > 0,
    },
  ).then(
    ({ count }) => count,
    (error: unknown) => (error instanceof Problem ? error.code : error),
  );
  await until(() => isWaiting);
  await api.deliver(server, { subject: "any" });
  return await outcome;
}

test("a wait reads its result while its key is checked", async () => {
  let isSearched = false;
  const isOpen = async (): Promise<boolean> => {
    await until(() => isSearched);
    return true;
  };
  const searchAgain = async (): Promise<number> => {
    isSearched = true;
    return 1;
  };
  expect(await wait({ isOpen, searchAgain })).toBe(1);
});

test("a wait of a revoked key is unauthenticated, whatever its query does", async () => {
  const searchAgain = async (): Promise<number> => Promise.reject(new Problem("not_found"));
  expect(await wait({ isOpen: async () => false, searchAgain })).toBe("unauthenticated");
  expect(await wait({ isOpen: async () => true, searchAgain })).toBe("not_found");
});
