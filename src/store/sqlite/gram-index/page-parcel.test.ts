import fc from "fast-check";
import { expect, test } from "vitest";
import { PageParcels } from "./page-parcel.ts";
import type { Page } from "./page-parcel.ts";
import { pagesOf } from "./segment.test-aid.ts";

const arbitraryPage: fc.Arbitrary<Page> = fc.record({
  kind: fc.constantFrom("key", "set"),
  number: fc.nat(2 ** 31 - 1).map((number) => number * 64),
  bytes: fc.uint8Array({ maxLength: 300 }),
});

test("parcels hold the pages in the order in which they were added", () => {
  fc.assert(
    fc.property(fc.array(arbitraryPage), (pages) => {
      const parcels = new PageParcels();
      for (const page of pages) parcels.add(page);
      expect(parcels.hasFull).toBe(false);
      expect(pagesOf(parcels.takeAll())).toEqual(pages);
      expect(parcels.takeAll()).toEqual([]);
    }),
  );
});

test("a parcel is full from 240 KiB on, in a buffer of its own", () => {
  const parcels = new PageParcels();
  const bytes = new Uint8Array(3600).fill(7);
  let count = 0;
  while (!parcels.hasFull) parcels.add({ kind: "key", number: count++, bytes });
  const [parcel, ...others] = parcels.takeFull();
  if (parcel === undefined) throw new Error("no parcel");
  expect(others).toEqual([]);
  expect(parcel.length).toBeGreaterThanOrEqual(240 * 1024);
  expect(parcel.length).toBeLessThan(240 * 1024 + 3700);
  expect(parcel.buffer.byteLength).toBe(parcel.length);
  expect(pagesOf([parcel]).map(({ number }) => number)).toEqual(Array.from({ length: count }, (_, number) => number));
});
