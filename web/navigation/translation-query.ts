/** Comparison of translations and its form in addresses. */
import { useMemo } from "react";
import { useSearch } from "wouter/use-browser-location";
import { routePath } from "./routes.ts";

/** A mail with its locale; "" leaves it to what the mail states. */
export interface ComparedMail {
  readonly id: string;
  readonly locale: string;
}

/** Mails that are compared. */
export interface TranslationQuery {
  readonly mails: readonly ComparedMail[];
  /** Locale that the others are compared with; "" for that of the first mail. */
  readonly original: string;
  /** Texts that are equal in all languages. */
  readonly keep: readonly string[];
}

/** Most mails of a comparison, as in the API. */
export const comparedMailsMax = 30;
/** Most texts that an address names: it has to fit into the header of a request. */
export const keptTextsMax = 20;
/** Longest such text, in characters. */
const keptLengthMax = 200;

/** Returns the comparison of the current address. */
export function useTranslationQuery(): TranslationQuery {
  const search = useSearch();
  return useMemo(() => parseTranslationQuery(search), [search]);
}

/** Parses a comparison from the search part of an address; parts beyond the limits are left out. */
export function parseTranslationQuery(search: string): TranslationQuery {
  const parameters = new URLSearchParams(search);
  const mails = parameters.getAll("mail").map((text) => {
    const [id = "", locale = ""] = text.split(".");
    return { id, locale };
  });
  return {
    mails: mails.filter(({ id }) => id !== "").slice(0, comparedMailsMax),
    original: parameters.get("default") ?? "",
    keep: [...new Set(parameters.getAll("keep"))]
      .filter((text) => text !== "" && text.length <= keptLengthMax)
      .slice(0, keptTextsMax),
  };
}

/** Returns the path of a comparison. */
export function translationPath(server: string, { mails, original, keep }: TranslationQuery): string {
  const parameters = new URLSearchParams();
  for (const { id, locale } of mails) parameters.append("mail", locale === "" ? id : `${id}.${locale}`);
  if (original !== "") parameters.set("default", original);
  for (const text of keep) parameters.append("keep", text);
  return `${routePath({ kind: "translations", server })}?${parameters.toString()}`;
}

/** Returns whether a text can be added to those that are equal in all languages. */
export function canKeep({ keep }: TranslationQuery, text: string): boolean {
  return keep.length < keptTextsMax && text.length <= keptLengthMax && !keep.includes(text);
}
