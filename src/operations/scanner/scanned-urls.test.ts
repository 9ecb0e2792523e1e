import { expect, test } from "vitest";
import { scannedUrls } from "./scan-message.ts";

const link = (href: string) => ({ href, text: null });
const mail = {
  html: {
    links: [link("https://app.example/in?t=1#top"), link("mailto:a@app.example"), link("#top"), link("javascript:1")],
    images: [
      { src: "http://app.example/pixel.gif", alt: "" },
      { src: "cid:logo", alt: "" },
    ],
    codes: [],
    body: null,
  },
  text: { links: [link("https://app.example/in?t=1"), link("HTTP://App.example")], codes: [], body: null },
};

test("returns http and https links of both bodies once, without fragments", () => {
  expect(scannedUrls(mail, "links")).toEqual(["https://app.example/in?t=1", "http://app.example/"]);
});

test("returns images of the HTML body", () => {
  expect(scannedUrls(mail, "images")).toEqual(["http://app.example/pixel.gif"]);
});
