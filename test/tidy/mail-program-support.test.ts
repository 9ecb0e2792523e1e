import { readFileSync } from "node:fs";
import { expect, test } from "vitest";
import { readCaniemail, supportFile } from "../../scripts/read-caniemail.ts";

test("the data of caniemail in the tree is that of the installed package; node scripts/read-caniemail.ts writes it anew", () => {
  const kept = JSON.parse(readFileSync(supportFile, "utf8")) as ReturnType<typeof readCaniemail>;
  expect(kept).toEqual(readCaniemail());
  expect(kept.features.length).toBeGreaterThan(200);
  expect(kept.licence.join(" ")).toMatch(/MIT License\..*Permission is hereby granted/);
});
