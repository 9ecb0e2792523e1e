/** Compares docs/reference/client.md with the docstrings of the client. `npx vitest run FILE --update` regenerates it. */
import { expect, test } from "vitest";
import { pagePath, pageWith } from "../documentation.ts";
import { errorTable, messageMethods, optionTable, resourceSections } from "./client-reference.ts";

test("docs/reference/client.md shows every method, option and error", async () => {
  const page = "docs/reference/client.md";
  const expected = pageWith(page, {
    "client-options": optionTable("src/client/options.ts", "RestanteClientOptions"),
    "request-options": optionTable("src/client/options.ts", "RequestOptions"),
    "wait-options": [
      optionTable("src/client/waits.ts", "WaitOptions"),
      optionTable("src/client/bounds.ts", "Bounds").split("\n").slice(2).join("\n"),
      optionTable("src/client/waits.ts", "ExpectOptions").split("\n").slice(2).join("\n"),
    ].join("\n"),
    "message-methods": messageMethods(),
    errors: errorTable(),
    methods: resourceSections(),
  });
  expect(expected.match(/^\| `\w+\(/gm)?.length).toBeGreaterThan(100);
  await expect(expected).toMatchFileSnapshot(pagePath(page));
});
