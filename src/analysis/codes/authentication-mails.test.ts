import { describe, expect, test } from "vitest";
import { analyseHtml } from "../analyse-html.ts";
import { type AuthenticationMail, authenticationMails } from "./authentication-mails.test-aid.ts";
import { findCodes } from "./find-codes.ts";

const codesOf = ({ isHtml, body }: AuthenticationMail): string[] =>
  (isHtml ? analyseHtml(body).codes : findCodes(body)).map(({ value }) => value);

const mails = authenticationMails().map((mail) => ({ mail, found: codesOf(mail) }));
const languages = new Set(mails.map(({ mail }) => mail.language));

describe(`mails about signing in, in ${languages.size} languages`, () => {
  test("are in at least 60 languages and in text and HTML", () => {
    expect(languages.size).toBeGreaterThanOrEqual(60);
    expect(new Set(mails.map(({ mail }) => mail.isHtml))).toEqual(new Set([true, false]));
    expect(mails.filter(({ mail }) => mail.codes.length > 0).length).toBeGreaterThan(6000);
  });

  test("show no number that is listed as a code by mistake", () => {
    const wrong = mails.filter(({ mail, found }) => found.some((value) => !mail.codes.includes(value)));
    expect(wrong.map(({ mail, found }) => `${mail.name}: ${found.join(" ")}`)).toEqual([]);
  });

  test("have at least 99 of 100 codes found, and 90 of 100 in each language", () => {
    const withCode = mails.filter(({ mail }) => mail.codes.length > 0);
    const isFound = ({ mail, found }: (typeof mails)[number]): boolean =>
      mail.codes.every((code) => found.includes(code));
    const missed = withCode.filter((one) => !isFound(one)).map(({ mail }) => mail.name);
    expect(missed.length > withCode.length / 100 ? missed : []).toEqual([]);
    const shares = [...languages].map((language) => {
      const own = withCode.filter(({ mail }) => mail.language === language);
      return [language, own.filter(isFound).length / own.length] as const;
    });
    expect(shares.filter(([, share]) => share < 0.9)).toEqual([]);
  });
});
