/** Reads the forms of callbacks byte for byte, without the code that reads forms elsewhere. */
import { expect } from "vitest";
import type { CallbackRequest } from "../callbacks.ts";
import { readFormBody } from "../formats/multipart.ts";

/** Field or file of a form. */
export interface ReadPart {
  readonly name: string;
  /** Undefined for fields. */
  readonly fileName: string | undefined;
  readonly value: Buffer;
}

/** Returns the parts in order; fails unless the parser of the service finds as many. */
export async function readParts({ body, contentType }: CallbackRequest): Promise<readonly ReadPart[]> {
  const boundary = /^multipart\/form-data; boundary=(.+)$/.exec(contentType)?.[1];
  const parts = boundary === undefined ? urlEncodedParts(body) : multipartParts(body, boundary);
  const form = await readFormBody(body, contentType);
  expect((form?.fields.length ?? 0) + (form?.files.length ?? 0)).toBe(parts.length);
  return parts;
}

/** Returns the texts of all fields, by name, and the names that occur. */
export function textsOf(parts: readonly ReadPart[]): Readonly<Record<string, string>> {
  return Object.fromEntries(parts.map(({ name, fileName, value }) => [name, fileName ?? value.toString("utf8")]));
}

/** Returns the texts with those parsed that contain JSON. */
export function withJson(
  texts: Readonly<Record<string, string>>,
  names: readonly string[],
): Readonly<Record<string, unknown>> {
  const parsed = names.flatMap((name) => {
    const text = texts[name];
    return text === undefined ? [] : [[name, JSON.parse(text) as unknown] as const];
  });
  return { ...texts, ...Object.fromEntries(parsed) };
}

function urlEncodedParts(body: Uint8Array): readonly ReadPart[] {
  return Buffer.from(body)
    .toString("latin1")
    .split("&")
    .map((pair) => {
      const [name = "", value = ""] = pair.split("=").map(percentDecoded);
      return {
        name: Buffer.from(name, "latin1").toString("utf8"),
        fileName: undefined,
        value: Buffer.from(value, "latin1"),
      };
    });
}

function percentDecoded(text: string): string {
  return text
    .replaceAll("+", " ")
    .replaceAll(/%([0-9A-F]{2})/g, (_all, hex: string) => String.fromCharCode(Number.parseInt(hex, 16)));
}

function multipartParts(body: Uint8Array, boundary: string): readonly ReadPart[] {
  const sections = Buffer.from(body).toString("latin1").split(`--${boundary}`);
  expect(sections.at(0)).toBe("");
  expect(sections.at(-1)).toBe("--\r\n");
  return sections.slice(1, -1).map((section) => {
    const end = section.indexOf("\r\n\r\n");
    const head = Buffer.from(section.slice(0, end), "latin1").toString("utf8");
    expect(section.endsWith("\r\n")).toBe(true);
    const pattern =
      /^\r\nContent-Disposition: form-data; name="([^"]*)"(?:; filename="([^"]*)"\r\nContent-Type: [!-~]+)?$/;
    const [, name, fileName] = pattern.exec(head) ?? [];
    expect([head, name]).toEqual([head, expect.any(String)]);
    return { name: name ?? "", fileName, value: Buffer.from(section.slice(end + 4, -2), "latin1") };
  });
}
