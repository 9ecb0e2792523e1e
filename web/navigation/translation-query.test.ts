import { expect, test } from "vitest";
import {
  canKeep,
  comparedMailsMax,
  keptTextsMax,
  parseTranslationQuery,
  translationPath,
} from "./translation-query.ts";

const query = {
  mails: [
    { id: "m1", locale: "" },
    { id: "m2", locale: "pt-BR" },
  ],
  original: "de",
  keep: ["Acme & Co.", "Café"],
};

test("translationPath returns an address that parseTranslationQuery reads", () => {
  const path = translationPath("shop", query);
  expect(path).toBe("/servers/shop/translations?mail=m1&mail=m2.pt-BR&default=de&keep=Acme+%26+Co.&keep=Caf%C3%A9");
  expect(parseTranslationQuery(path.slice(path.indexOf("?")))).toEqual(query);
});

test("parseTranslationQuery leaves out what exceeds the limits", () => {
  const mails = Array.from({ length: comparedMailsMax + 1 }, (_, at) => `mail=m${at}`);
  const texts = Array.from({ length: keptTextsMax + 1 }, (_, at) => `keep=${at}`);
  const parsed = parseTranslationQuery(`?${["mail=", `keep=${"x".repeat(201)}`, ...mails, ...texts].join("&")}`);
  expect([parsed.mails.length, parsed.keep.length]).toEqual([comparedMailsMax, keptTextsMax]);
  expect(canKeep(parsed, "new")).toBe(false);
  expect([canKeep(query, "new"), canKeep(query, "Café"), canKeep(query, "x".repeat(201))]).toEqual([
    true,
    false,
    false,
  ]);
});
