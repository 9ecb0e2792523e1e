import { describe, expect, test } from "vitest";
import { safeMediaType } from "./file-response.ts";

describe("safeMediaType", () => {
  test.each([
    ["image/png", "image/png"],
    ["IMAGE/PNG; name=cat.png", "image/png"],
    ["text/plain; charset=utf-8", "text/plain; charset=utf-8"],
    ['text/csv;charset="iso-8859-1"; x=y', "text/csv; charset=iso-8859-1"],
    ["application/pdf", "application/pdf"],
    ["video/mp4", "video/mp4"],
    [
      "application/vnd.openxmlformats-officedocument.wordprocessingml.document",
      "application/vnd.openxmlformats-officedocument.wordprocessingml.document",
    ],
  ])("keeps %s", (declared, sent) => {
    expect(safeMediaType(declared)).toBe(sent);
  });

  test.each([
    "text/html",
    "TEXT/HTML; charset=utf-8",
    "application/xhtml+xml",
    "image/svg+xml",
    "text/xml",
    "application/xml",
    "application/atom+xml",
    "text/javascript",
    "application/javascript",
    "application/x-shockwave-flash",
    "multipart/related",
    "text/css",
    "application/wasm",
    "text/html\u0000",
    "text/plain, text/html",
    "nonsense",
    "",
    "image/png\r\nX: y",
  ])("replaces %j by application/octet-stream", (declared) => {
    expect(safeMediaType(declared)).toBe("application/octet-stream");
  });
});
