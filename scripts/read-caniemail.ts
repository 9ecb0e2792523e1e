/**
 * Writes the data of the package `caniemail` about email clients to `src/analysis/lint/email-client-support.json`, as far as
 * lint and previews need it, so that the package itself is only a development dependency.
 */
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";

/** Path of the written file. */
export const supportFile: string = join(
  import.meta.dirname,
  "..",
  "src",
  "analysis",
  "lint",
  "email-client-support.json",
);

/** Part of the data set that is read. */
interface Caniemail {
  readonly last_update_date: string;
  readonly nicenames: {
    readonly family: Readonly<Record<string, string>>;
    readonly platform: Readonly<Record<string, string>>;
  };
  readonly data: readonly {
    readonly slug: string;
    readonly title: string;
    readonly category: string;
    readonly stats: Readonly<Record<string, Readonly<Record<string, Readonly<Record<string, string>>>>>>;
  }[];
}

/** Content of {@link supportFile}: clients by name, and for each feature the positions of those that lack it. */
export interface EmailClientSupport {
  readonly source: string;
  readonly updated: string;
  readonly licence: readonly string[];
  readonly clients: readonly string[];
  readonly features: readonly {
    readonly title: string;
    readonly slug: string;
    readonly unsupported: readonly number[];
    readonly partial: readonly number[];
  }[];
}

const licence = [
  "MIT License. Copyright (c) 2019 HTeuMeuLeu (the data). Copyright © Avi Goldman, Copyright © Andrew Powell <andrew@shellscape.org> (the package).",
  'Permission is hereby granted, free of charge, to any person obtaining a copy of this software and associated documentation files (the "Software"), to deal in the Software without restriction, including without limitation the rights to use, copy, modify, merge, publish, distribute, sublicense, and/or sell copies of the Software, and to permit persons to whom the Software is furnished to do so, subject to the following conditions:',
  "The above copyright notice and this permission notice shall be included in all copies or substantial portions of the Software.",
  'THE SOFTWARE IS PROVIDED "AS IS", WITHOUT WARRANTY OF ANY KIND, EXPRESS OR IMPLIED, INCLUDING BUT NOT LIMITED TO THE WARRANTIES OF MERCHANTABILITY, FITNESS FOR A PARTICULAR PURPOSE AND NONINFRINGEMENT. IN NO EVENT SHALL THE AUTHORS OR COPYRIGHT HOLDERS BE LIABLE FOR ANY CLAIM, DAMAGES OR OTHER LIABILITY, WHETHER IN AN ACTION OF CONTRACT, TORT OR OTHERWISE, ARISING FROM, OUT OF OR IN CONNECTION WITH THE SOFTWARE OR THE USE OR OTHER DEALINGS IN THE SOFTWARE.',
];

/** Reads the data set of the installed package. Features that every client supports, and those that are not about bodies, are omitted. */
export function readCaniemail(): EmailClientSupport {
  const file = new URL(import.meta.resolve("caniemail/caniemail.json"));
  const { last_update_date, nicenames, data } = JSON.parse(readFileSync(file, "utf8")) as Caniemail;
  const clients: string[] = [];
  const positionOf = (name: string): number => {
    const known = clients.indexOf(name);
    return known >= 0 ? known : clients.push(name) - 1;
  };
  const features = data.flatMap(({ slug, title, category, stats }) => {
    const unsupported: number[] = [];
    const partial: number[] = [];
    if (category === "others") return [];
    for (const [family, platforms] of Object.entries(stats)) {
      for (const [platform, versions] of Object.entries(platforms)) {
        // The latest version of each client is used; `n` is no, `a` is partly, `y` is yes, `u` is unknown.
        const latest = Object.values(versions).at(-1) ?? "u";
        const name = `${nicenames.family[family] ?? family} (${nicenames.platform[platform] ?? platform})`;
        if (latest.startsWith("n")) unsupported.push(positionOf(name));
        else if (latest.startsWith("a")) partial.push(positionOf(name));
      }
    }
    return unsupported.length + partial.length === 0 ? [] : [{ title: title.trim(), slug, unsupported, partial }];
  });
  const updated = last_update_date.slice(0, 10);
  return { source: "https://www.caniemail.com", updated, licence, clients, features };
}

if (import.meta.main) writeFileSync(supportFile, `${JSON.stringify(readCaniemail(), null, 2)}\n`);
