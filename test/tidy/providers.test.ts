/** A provider is one folder below src/providers and one line in the registry. */
import { expect, test } from "vitest";
import { providers } from "../../src/providers/registry.ts";
import { filesBelow } from "./source-files.ts";

// `ses` is no part of `session`: a name ends before the next capital, as in `twilioSid`, or at a word's end.
const spellings = providers.flatMap(({ name }) => [name, name.toUpperCase(), name[0]?.toUpperCase() + name.slice(1)]);
const names = new RegExp(`\\b(?:${spellings.join("|")})(?![a-z])`);

test("no file outside of a provider's folder and the registries names the provider", () => {
  const product = [...filesBelow("src", ".ts"), ...filesBelow("web", ".ts"), ...filesBelow("web", ".tsx")].filter(
    ({ path }) =>
      !/\.test(?:-aid)?\.tsx?$/.test(path) &&
      !/^src\/(?:providers|testing|store\/conformance|client\/generated)\//.test(path),
  );
  const code = (text: string): string => text.replaceAll(/^ *(?:\*|\/\/|\/\*).*$/gm, "");
  expect(product.filter(({ text }) => names.test(code(text))).map(({ path }) => path)).toEqual([]);
  const shared = filesBelow("src/providers", ".ts").filter(({ path }) =>
    /^src\/providers\/(?:(?:formats|conformance|kit)\/)?[^/]+$/.test(path),
  );
  const naming = shared.filter(({ path, text }) => !path.endsWith(".test.ts") && names.test(code(text)));
  expect(naming.map(({ path }) => path)).toEqual(["src/providers/inbound-shapes.ts", "src/providers/registry.ts"]);
});
