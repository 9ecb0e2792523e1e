/** A provider is one folder below src/providers and one line in the registry. */
import { expect, test } from "vitest";
import type { Provider } from "../../src/providers/provider.ts";
import { providers } from "../../src/providers/registry.ts";
import { filesBelow } from "./source-files.ts";

// `ses` is no part of `session`: a name ends before the next capital, as in `twilioSid`, or at a word's end.
const namesOf = (some: readonly Provider[]): RegExp => {
  const spellings = some.flatMap(({ name }) => [name, name.toUpperCase(), name[0]?.toUpperCase() + name.slice(1)]);
  return new RegExp(`\\b(?:${spellings.join("|")})(?![a-z])`);
};
const names = namesOf(providers);
/** Gmail is an email client too, which checks, previews and scanners name. */
const namesOfApis = namesOf(providers.filter(({ name }) => name !== "gmail"));

test("no file outside of a provider's folder and the registries names the provider", () => {
  const product = [...filesBelow("src", ".ts"), ...filesBelow("web", ".ts"), ...filesBelow("web", ".tsx")].filter(
    ({ path }) =>
      !/\.test(?:-aid)?\.tsx?$/.test(path) &&
      !/^src\/(?:providers|testing|store\/conformance|client\/generated)\//.test(path),
  );
  const code = (text: string): string => text.replaceAll(/^ *(?:\*|\/\/|\/\*).*$/gm, "");
  expect(product.filter(({ text }) => namesOfApis.test(code(text))).map(({ path }) => path)).toEqual([]);
  const shared = filesBelow("src/providers", ".ts").filter(({ path }) =>
    /^src\/providers\/(?:(?:formats|conformance|kit)\/)?[^/]+$/.test(path),
  );
  const naming = shared.filter(({ path, text }) => !path.endsWith(".test.ts") && names.test(code(text)));
  expect(naming.map(({ path }) => path)).toEqual(["src/providers/inbound-shapes.ts", "src/providers/registry.ts"]);
});
