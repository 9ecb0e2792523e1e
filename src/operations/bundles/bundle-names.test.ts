import fc from "fast-check";
import { expect, test } from "vitest";
import { folderOf, slugOf } from "./bundle-names.ts";

test.each([
  ["Your code is 804 219", "your-code-is-804-219"],
  ["Größe: naïve Ångström", "gro-e-naive-angstrom"],
  ["../../etc/passwd", "etc-passwd"],
  ["C:\\Windows\\con", "c-windows-con"],
  ["確認コード", "message"],
  ["", "message"],
  ["x".repeat(100), "x".repeat(40)],
])("turns the subject %j into %s", (subject, slug) => {
  expect(slugOf(subject)).toBe(slug);
});

/** Any UTF-16 code unit, lone surrogates and controls included. */
const unit = fc.nat(0xffff).map((code) => String.fromCharCode(code));

test("returns a name that is safe on every file system, for any subject", () => {
  const subjects = fc.oneof(fc.string({ unit, maxLength: 40 }), fc.constantFrom("CON", "nul.", "a/../..", "\0", ". "));
  fc.assert(
    fc.property(subjects, fc.nat(9999), (subject, position) => {
      const folder = folderOf(position, { subject, received: "2026-11-20T10:42:07.975Z" });
      expect(folder).toMatch(/^\d{4}-2026-11-20T10-42-07-[a-z0-9]+(?:-[a-z0-9]+)*$/);
    }),
  );
});
