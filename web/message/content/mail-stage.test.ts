import { expect, test } from "vitest";
import { fixedWidthOf } from "./mail-stage.tsx";

test.each([
  ['<table width="600"><td width=100%>', 616],
  ['<div style="width:640px"><img width="120">', 656],
  ['<div style="min-width: 700px">', 716],
  ['<div style="max-width:600px">', null],
  ["<style>@media only screen and (max-width: 480px) { table { width: 100% } }</style><table width=600>", null],
  ['<img width="5000"><p>Text', null],
  ['<td width="100%">', null],
  ["<p>Text", null],
])("returns the width of the layout of %s: %s", (html, width) => {
  expect(fixedWidthOf(html)).toBe(width);
});
